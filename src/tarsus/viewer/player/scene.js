// Drawing of one frame of the animation with WebGL.
"use strict";

const LIGHT = unit([0.45, 0.35, 0.9]);
const COLORS = { force: [0.84, 0.24, 0.16], push: [0.16, 0.36, 0.82], support: [0.24, 0.6, 0.36], com: [0.08, 0.08, 0.1], ground: [0.77, 0.75, 0.72] };
const VERTEX = `#version 300 es
in vec3 position; in vec3 normal; uniform mat4 model, view; out vec3 n; out vec3 w;
void main() { vec4 p = model * vec4(position, 1.0); w = p.xyz; n = mat3(model) * normal; gl_Position = view * p; }`;
const SOLID = `#version 300 es
precision highp float; in vec3 n; in vec3 w; uniform vec4 color; uniform vec3 light, eye; uniform float lit; out vec4 pixel;
void main() {
  vec3 m = normalize(n + 1e-9); m = dot(m, eye - w) < 0.0 ? -m : m;
  float shade = 0.42 + 0.24 * (0.5 + 0.5 * m.z) + 0.42 * max(dot(m, light), 0.0);
  pixel = vec4(color.rgb * mix(1.0, shade, lit), color.a);
}`;
const GRID = `#version 300 es
precision highp float; in vec3 n; in vec3 w; uniform vec3 eye; uniform float cell, reach; uniform vec2 middle; out vec4 pixel;
float lines(float size, float thick) {
  vec2 p = w.xy / size, d = fwidth(p) * thick, a = abs(fract(p - 0.5) - 0.5);
  vec2 c = clamp(1.0 - a / max(d, 1e-6), 0.0, 1.0) * clamp(0.6 / max(d, 1e-6), 0.0, 1.0);
  return max(c.x, c.y);
}
void main() {
  float fade = pow(clamp(1.0 - length(w.xy - middle) / reach, 0.0, 1.0), 1.5);
  float line = max(0.22 * lines(cell, 1.0), 0.42 * lines(10.0 * cell, 1.3));
  pixel = vec4(vec3(0.25), fade * (line + 0.04));
}`;

class Scene {
  constructor(canvas, film) {
    const gl = canvas.getContext("webgl2", { alpha: false, antialias: true, stencil: true, preserveDrawingBuffer: true });
    if (!gl) throw new Error("this browser offers no WebGL 2");
    this.canvas = canvas; this.gl = gl; this.film = film;
    this.shown = { forces: true, support: true, com: true, frames: false, transparent: false, follow: true };
    this.azimuth = 0.62; this.elevation = 0.25; this.distance = 2.4 * film.extent; this.offset = [0, 0, 0];
    this.solid = this.program(SOLID); this.grid = this.program(GRID);
    this.parts = film.parts.map((part) => ({ ...part, mesh: this.mesh(film.array(part.vertices), film.array(part.normals), film.array(part.faces)) }));
    this.terrain = film.terrain.map((part) => this.mesh(film.array(part.vertices), film.array(part.normals), film.array(part.faces)));
    this.ball = this.mesh(...ballMesh(16)); this.rod = this.mesh(...rodMesh(20, 1, 1)); this.cone = this.mesh(...rodMesh(20, 1, 0));
    this.plane = this.mesh(new Float32Array([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0]), new Float32Array(12), new Uint32Array([0, 1, 2, 0, 2, 3]));
    this.fan = this.mesh(new Float32Array(3 * Math.max(film.contacts, 3)), new Float32Array(3 * Math.max(film.contacts, 3)), fanFaces(Math.max(film.contacts, 3)));
  }

  program(fragment) {
    const gl = this.gl, program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text); gl.compileShader(shader); gl.attachShader(program, shader);
    }
    gl.bindAttribLocation(program, 0, "position"); gl.bindAttribLocation(program, 1, "normal");
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error("WebGL: " + gl.getProgramInfoLog(program));
    return new Proxy({ program }, { get: (o, name) => name in o ? o[name] : (o[name] = gl.getUniformLocation(program, name)) });
  }

  mesh(vertices, normals, faces) {
    const gl = this.gl, array = gl.createVertexArray();
    gl.bindVertexArray(array);
    const buffers = [vertices, normals].map((data, place) => {
      const buffer = gl.createBuffer();
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer); gl.bufferData(gl.ARRAY_BUFFER, data, gl.DYNAMIC_DRAW);
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, 3, data instanceof Int8Array ? gl.BYTE : gl.FLOAT, data instanceof Int8Array, 0, 0);
      return buffer;
    });
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, faces, gl.STATIC_DRAW);
    return { array, buffers, count: faces.length };
  }

  draw(k) {
    const gl = this.gl, film = this.film, scale = window.devicePixelRatio || 1;
    const width = Math.max(1, Math.round(this.canvas.clientWidth * scale)), height = Math.max(1, Math.round(this.canvas.clientHeight * scale));
    if (this.canvas.width !== width || this.canvas.height !== height) { this.canvas.width = width; this.canvas.height = height; }
    gl.viewport(0, 0, width, height);
    gl.clearColor(1, 1, 1, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST); gl.enable(gl.BLEND); gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    const target = this.target(k);
    const c = Math.cos(this.elevation), away = [Math.cos(this.azimuth) * c, Math.sin(this.azimuth) * c, Math.sin(this.elevation)];
    this.eye = plus(target, away, this.distance);
    this.view = multiply(perspective(0.7, width / height, 0.01 * this.distance, 40 * this.distance), lookAt(this.eye, target));
    if (film.grid) this.drawGround(target);
    const poses = film.parts.map((part) => poseMatrix(film.poses, 7 * (k * film.bodies + part.body)));
    if (film.grid && !this.terrain.length) this.drawShadow(poses);
    this.use(this.solid);
    for (const mesh of this.terrain) this.put(mesh, placed([0, 0, 0], [1, 1, 1]), [...COLORS.ground, 1]);
    this.drawRobot(poses);
    if (this.shown.support) this.drawSupport(k);
    if (this.shown.forces) this.drawForces(k);
    if (this.shown.frames) this.drawFrames(k);
    if (this.shown.com && film.massive) this.drawCom(k);
  }

  target(k) {
    const at = (j) => [...this.film.com.subarray(3 * j, 3 * j + 3)];
    const from = at(this.shown.follow ? k : 0);
    return plus([from[0], from[1], this.film.middle[2]], this.offset);
  }

  use(program) {
    const gl = this.gl;
    gl.useProgram(program.program); this.current = program;
    gl.uniformMatrix4fv(program.view, false, this.view);
    gl.uniform3fv(program.eye, this.eye);
    if (program === this.solid) gl.uniform3fv(program.light, LIGHT);
  }

  put(mesh, model, color, lit = 1) {
    const gl = this.gl;
    gl.uniformMatrix4fv(this.current.model, false, model);
    if (color) { gl.uniform4fv(this.current.color, color); gl.uniform1f(this.current.lit, lit); }
    gl.bindVertexArray(mesh.array);
    gl.drawElements(gl.TRIANGLES, mesh.count, gl.UNSIGNED_INT, 0);
  }

  drawGround(target) {
    const gl = this.gl, reach = 4 * this.film.extent + this.distance;
    this.use(this.grid);
    gl.uniform1f(this.grid.cell, this.film.cell); gl.uniform1f(this.grid.reach, reach);
    gl.uniform2f(this.grid.middle, target[0], target[1]);
    gl.depthMask(false);
    this.put(this.plane, placed([target[0], target[1], this.film.floor], [reach, reach, 1]));
    gl.depthMask(true);
  }

  drawShadow(poses) {
    const gl = this.gl, flat = shadowMatrix(LIGHT, this.film.floor);
    this.use(this.solid);
    gl.depthMask(false); gl.disable(gl.DEPTH_TEST);
    gl.enable(gl.STENCIL_TEST); gl.stencilFunc(gl.EQUAL, 0, 255); gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR);
    this.parts.forEach((part, i) => this.put(part.mesh, multiply(flat, poses[i]), [0, 0, 0, 0.13], 0));
    gl.disable(gl.STENCIL_TEST); gl.enable(gl.DEPTH_TEST); gl.depthMask(true);
  }

  drawRobot(poses) {
    const gl = this.gl, see = this.shown.transparent ? 0.3 : 1;
    const drawn = (clear) => this.parts.forEach((part, i) => {
      const opacity = part.color[3] * see;
      if ((opacity < 1) === clear) this.put(part.mesh, poses[i], [part.color[0], part.color[1], part.color[2], opacity]);
    });
    drawn(false);
    gl.depthMask(false); drawn(true); gl.depthMask(true);
  }

  drawSupport(k) {
    const gl = this.gl, film = this.film, n = film.contacts;
    const corners = [...film.support.subarray(k * n, (k + 1) * n)].filter((c) => c !== 65535);
    if (corners.length < 3) return;
    const points = new Float32Array(3 * Math.max(n, 3));
    for (let i = 0; i < points.length / 3; i++) {
      const o = 3 * (k * n + corners[Math.min(i, corners.length - 1)]);
      for (let a = 0; a < 3; a++) points[3 * i + a] = film.contactPosition[o + a] + (a === 2 ? 0.002 * film.extent : 0);
    }
    gl.bindBuffer(gl.ARRAY_BUFFER, this.fan.buffers[0]); gl.bufferSubData(gl.ARRAY_BUFFER, 0, points);
    gl.depthMask(false);
    this.put(this.fan, placed([0, 0, 0], [1, 1, 1]), [...COLORS.support, 0.55], 0);
    gl.depthMask(true);
  }

  drawForces(k) {
    const film = this.film;
    for (let i = 0; i < film.contacts; i++) {
      const o = 3 * (k * film.contacts + i), p = [...film.contactPosition.subarray(o, o + 3)];
      this.drawArrow(p, [...film.contactForce.subarray(o, o + 3)].map((x) => x * film.forceScale), COLORS.force);
    }
    for (let i = 0; i < film.pushes; i++) {
      const o = 6 * (k * film.pushes + i), tail = [...film.pushArrows.subarray(o, o + 3)];
      this.drawArrow(tail, plus([...film.pushArrows.subarray(o + 3, o + 6)], tail, -1), COLORS.push);
    }
  }

  drawArrow(p, f, color) {
    const size = this.film.extent, whole = length(f);
    if (whole < 1e-3 * size) return;
    const head = Math.min(0.05 * size, 0.5 * whole), neck = plus(p, f, 1 - head / whole), tip = plus(p, f);
    this.put(this.rod, between(p, neck, 0.006 * size), [...color, 1]);
    this.put(this.cone, between(neck, tip, 0.017 * size), [...color, 1]);
  }

  drawFrames(k) {
    const film = this.film, size = 0.08 * film.extent;
    for (const frame of film.frames) {
      const m = multiply(poseMatrix(film.poses, 7 * (k * film.bodies + frame.body)), poseMatrix(frame.pose, 0)), o = [m[12], m[13], m[14]];
      [[0.84, 0.15, 0.16], [0.17, 0.63, 0.17], [0.12, 0.31, 0.85]].forEach((color, a) =>
        this.put(this.rod, between(o, plus(o, [m[4 * a], m[4 * a + 1], m[4 * a + 2]], size), 0.0035 * film.extent), [...color, 1]));
    }
  }

  // Over everything else: the centre of mass is inside the robot.
  drawCom(k) {
    const gl = this.gl, film = this.film, size = film.extent, p = [...film.com.subarray(3 * k, 3 * k + 3)];
    const foot = [p[0], p[1], film.level[k]];
    this.put(this.rod, between(foot, plus(foot, [0, 0, 0.003 * size]), 0.02 * size), [...COLORS.com, 1], 0);
    gl.disable(gl.DEPTH_TEST);
    this.put(this.rod, between(foot, p, 0.0015 * size), [...COLORS.com, 0.6], 0);
    this.put(this.ball, placed(p, [0.016 * size, 0.016 * size, 0.016 * size]), [...COLORS.com, 1], 0);
    this.put(this.ball, placed(p, [0.009 * size, 0.009 * size, 0.009 * size]), [1, 1, 1, 1], 0);
    gl.enable(gl.DEPTH_TEST);
  }
}

function fanFaces(n) {
  const faces = [];
  for (let i = 1; i + 1 < n; i++) faces.push(0, i, i + 1);
  return new Uint32Array(faces);
}

function ballMesh(n) {
  const points = [], faces = [];
  for (let i = 0; i <= n; i++) for (let j = 0; j <= 2 * n; j++) {
    const a = Math.PI * i / n, b = Math.PI * j / n;
    points.push(Math.sin(a) * Math.cos(b), Math.sin(a) * Math.sin(b), Math.cos(a));
    if (i < n && j < 2 * n) { const o = i * (2 * n + 1) + j, u = o + 2 * n + 1; faces.push(o, u, u + 1, o, u + 1, o + 1); }
  }
  return [new Float32Array(points), new Float32Array(points), new Uint32Array(faces)];
}

// From z = 0 to 1, with a radius at either end, closed.
function rodMesh(n, low, high) {
  const points = [], normals = [], faces = [];
  const ring = (r, z, normal) => {
    for (let j = 0; j <= n; j++) {
      const c = Math.cos(2 * Math.PI * j / n), s = Math.sin(2 * Math.PI * j / n);
      points.push(r * c, r * s, z);
      normals.push(...(normal ? [0, 0, normal] : [c, s, low - high]));
    }
  };
  const band = (a, b) => { for (let j = 0; j < n; j++) faces.push(a + j, a + j + 1, b + j + 1, a + j, b + j + 1, b + j); };
  ring(low, 0); ring(high, 1); ring(0, 0, -1); ring(low, 0, -1); ring(high, 1, 1); ring(0, 1, 1);
  band(0, n + 1); band(2 * (n + 1), 3 * (n + 1)); band(4 * (n + 1), 5 * (n + 1));
  return [new Float32Array(points), new Float32Array(normals), new Uint32Array(faces)];
}
