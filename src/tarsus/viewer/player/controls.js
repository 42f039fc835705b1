// Reading of the data, timeline, mouse and plot.
"use strict";

const PALETTE = ["#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf", "#8c564b", "#e377c2"];
const element = (id) => document.getElementById(id);

async function readFilm() {
  const packed = Uint8Array.from(atob(element("data").textContent.trim()), (c) => c.charCodeAt(0));
  if (!("DecompressionStream" in window)) throw new Error("this browser is too old: it cannot unpack the data");
  const buffer = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
  const size = new Uint32Array(buffer, 0, 1)[0];
  const film = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, size)));
  const start = 4 * Math.ceil((4 + size) / 4);
  const kinds = { f4: Float32Array, i1: Int8Array, u4: Uint32Array, u2: Uint16Array };
  film.array = ([kind, offset, count]) => new kinds[kind](buffer, start + offset, count);
  for (const name of ["time", "poses", "com", "level", "contactPosition", "contactForce", "pushArrows", "support"]) film[name] = film.array(film[name]);
  for (const group of film.curves) { group.time = film.array(group.time); group.values = group.values.map(film.array); }
  film.duration = film.time[film.time.length - 1];
  return film;
}

class Player {
  constructor(film) {
    this.film = film; this.t = 0; this.playing = false; this.speed = 1; this.drawn = -1;
    this.scene = new Scene(element("view"), film);
    element("title").textContent = document.title = film.name;
    element("time").max = Math.max(film.duration, 1e-9);
    element("play").onclick = () => this.toggle();
    element("time").oninput = (e) => this.seek(Number(e.target.value));
    element("speed").onchange = (e) => { this.speed = Number(e.target.value); };
    for (const name of Object.keys(this.scene.shown)) element(name).onchange = (e) => { this.scene.shown[name] = e.target.checked; this.redraw(); };
    for (const group of film.curves) element("curves").add(new Option(group.name + (group.unit ? " [" + group.unit + "]" : "")));
    element("curves").onchange = () => this.plot();
    if (!film.curves.length) element("side").style.display = "none";
    if (film.time.length < 2) element("bar").querySelectorAll("#play, #time, #speed").forEach((e) => { e.disabled = true; });
    window.onresize = () => this.redraw();
    window.onkeydown = (e) => { if (e.key === " " && e.target === document.body) { this.toggle(); e.preventDefault(); } };
    this.listen(element("view"));
    this.redraw();
    requestAnimationFrame((now) => this.tick(now));
  }

  // Frame nearest to the present time.
  get frame() {
    const time = this.film.time;
    let low = 0, high = time.length - 1;
    while (high - low > 1) { const middle = (low + high) >> 1; if (time[middle] <= this.t) low = middle; else high = middle; }
    return this.t - time[low] <= time[high] - this.t ? low : high;
  }

  toggle() {
    if (!this.playing && this.t >= this.film.duration) this.t = 0;
    this.playing = !this.playing && this.film.duration > 0;
    element("play").textContent = this.playing ? "Pause" : "Play";
  }

  seek(t) { this.t = Math.min(Math.max(t, 0), this.film.duration); this.redraw(); }

  tick(now) {
    if (this.playing) {
      this.t += this.speed * (now - this.last) / 1000;
      if (this.t > this.film.duration) this.t %= this.film.duration;
      this.redraw();
    }
    this.last = now;
    requestAnimationFrame((next) => this.tick(next));
  }

  redraw() {
    this.scene.draw(this.frame);
    element("time").value = this.t;
    element("now").textContent = this.t.toFixed(2) + " / " + this.film.duration.toFixed(2) + " s";
    this.plot();
  }

  listen(canvas) {
    const scene = this.scene;
    let held = null;
    canvas.onpointerdown = (e) => { held = [e.clientX, e.clientY]; canvas.setPointerCapture(e.pointerId); };
    canvas.onpointerup = canvas.onpointercancel = () => { held = null; };
    canvas.oncontextmenu = (e) => e.preventDefault();
    canvas.onpointermove = (e) => {
      if (!held) return;
      const dx = e.clientX - held[0], dy = e.clientY - held[1];
      held = [e.clientX, e.clientY];
      if (e.buttons === 2 || e.shiftKey) {
        const step = 0.7 * scene.distance / canvas.clientHeight, a = scene.azimuth;
        scene.offset = plus(scene.offset, [Math.sin(a), -Math.cos(a), 0], dx * step);
        scene.offset[2] += dy * step;
      } else {
        scene.azimuth -= 0.008 * dx;
        scene.elevation = Math.min(Math.max(scene.elevation + 0.008 * dy, -0.1), 1.54);
      }
      this.redraw();
    };
    canvas.addEventListener("wheel", (e) => { e.preventDefault(); scene.distance *= Math.exp(0.0012 * e.deltaY); this.redraw(); }, { passive: false });
  }

  plot() {
    const group = this.film.curves[element("curves").selectedIndex];
    if (!group) return;
    const canvas = element("plot"), scale = window.devicePixelRatio || 1, w = canvas.clientWidth, h = canvas.clientHeight;
    canvas.width = w * scale; canvas.height = h * scale;
    const g = canvas.getContext("2d");
    g.scale(scale, scale); g.font = "11px system-ui, sans-serif"; g.lineWidth = 1;
    let low = Infinity, high = -Infinity;
    for (const values of group.values) for (const y of values) if (Number.isFinite(y)) { low = Math.min(low, y); high = Math.max(high, y); }
    if (low > high) { low = 0; high = 1; }
    const pad = 0.06 * (high - low) || 0.5 * Math.abs(high) || 1; low -= pad; high += pad;
    const [left, top, right, bottom] = [52, 6, w - 8, h - 20];
    const X = (t) => left + (right - left) * t / Math.max(this.film.duration, 1e-9), Y = (y) => bottom - (bottom - top) * (y - low) / (high - low);
    g.strokeStyle = "#e4e4e4"; g.fillStyle = "#555";
    for (const y of ticks(low, high)) { g.beginPath(); g.moveTo(left, Y(y)); g.lineTo(right, Y(y)); g.stroke(); g.textAlign = "right"; g.fillText(shortNumber(y), left - 5, Y(y) + 4); }
    for (const t of ticks(0, this.film.duration)) { g.beginPath(); g.moveTo(X(t), top); g.lineTo(X(t), bottom); g.stroke(); g.textAlign = "center"; g.fillText(shortNumber(t), X(t), bottom + 14); }
    g.lineWidth = 1.5;
    group.values.forEach((values, i) => {
      g.strokeStyle = PALETTE[i % PALETTE.length]; g.beginPath();
      values.forEach((y, j) => { if (Number.isFinite(y)) g.lineTo(X(group.time[j]), Y(y)); });
      g.stroke();
    });
    g.strokeStyle = "#111"; g.beginPath(); g.moveTo(X(this.t), top); g.lineTo(X(this.t), bottom); g.stroke();
    if (this.drawn !== group) { this.legend(group); this.drawn = group; }
  }

  legend(group) {
    element("legend").replaceChildren(...group.labels.map((label, i) => {
      const span = document.createElement("span"), mark = document.createElement("i");
      mark.style.background = PALETTE[i % PALETTE.length];
      span.append(mark, label);
      return span;
    }));
  }
}

function ticks(low, high) {
  const raw = (high - low) / 4 || 1, power = 10 ** Math.floor(Math.log10(raw));
  const step = power * [1, 2, 5, 10].find((k) => k * power >= raw), found = [];
  for (let y = Math.ceil(low / step) * step; y <= high + 1e-9 * step; y += step) found.push(y);
  return found;
}

const shortNumber = (x) => String(Number(x.toPrecision(4)));

readFilm().then((film) => { window.player = new Player(film); }).catch((error) => { element("message").textContent = "This animation cannot be shown: " + error.message; });
