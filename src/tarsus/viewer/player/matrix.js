// 4 x 4 matrices, column by column as WebGL wants them.
"use strict";

function multiply(a, b) {
  const c = new Float32Array(16);
  for (let j = 0; j < 4; j++) for (let i = 0; i < 4; i++)
    for (let k = 0; k < 4; k++) c[4 * j + i] += a[4 * k + i] * b[4 * j + k];
  return c;
}

// Pose from (x, y, z, qw, qx, qy, qz) at an offset of an array.
function poseMatrix(p, o) {
  const [w, x, y, z] = [p[o + 3], p[o + 4], p[o + 5], p[o + 6]];
  return new Float32Array([
    1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y), 0,
    2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x), 0,
    2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y), 0,
    p[o], p[o + 1], p[o + 2], 1]);
}

function placed(position, size) {
  return new Float32Array([size[0], 0, 0, 0, 0, size[1], 0, 0, 0, 0, size[2], 0, ...position, 1]);
}

const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const plus = (a, b, s = 1) => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
const length = (a) => Math.hypot(a[0], a[1], a[2]);
const unit = (a) => { const n = length(a) || 1; return [a[0] / n, a[1] / n, a[2] / n]; };
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

// From a to b along z, with a radius across.
function between(a, b, radius) {
  const d = minus(b, a), z = unit(d);
  const x = unit(cross(Math.abs(z[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0], z)), y = cross(z, x);
  const m = new Float32Array(16);
  for (let i = 0; i < 3; i++) { m[i] = x[i] * radius; m[4 + i] = y[i] * radius; m[8 + i] = d[i]; m[12 + i] = a[i]; }
  m[15] = 1;
  return m;
}

function lookAt(eye, target) {
  const z = unit(minus(eye, target)), x = unit(cross([0, 0, 1], z)), y = cross(z, x);
  const row = (a) => -(a[0] * eye[0] + a[1] * eye[1] + a[2] * eye[2]);
  return new Float32Array([x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0, row(x), row(y), row(z), 1]);
}

function perspective(angle, aspect, near, far) {
  const f = 1 / Math.tan(angle / 2), d = near - far;
  return new Float32Array([f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / d, -1, 0, 0, 2 * far * near / d, 0]);
}

// Projection along the light onto the plane z = floor.
function shadowMatrix(light, floor) {
  const x = light[0] / light[2], y = light[1] / light[2];
  return new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, -x, -y, 0, 0, x * floor, y * floor, floor, 1]);
}
