// The page: its data, its controls, and the clock.

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 5, 10];
const byId = (id) => document.getElementById(id);

function controls(stage, page) {
  const { slider, play, clock, speed } = page;
  slider.addEventListener("input", () => page.seek(page.timeOf(slider.valueAsNumber)));
  play.addEventListener("click", () => page.run(!page.running));
  byId("home").addEventListener("click", () => {
    Object.assign(stage.camera, stage.home);
    page.stale = true;
  });
  for (const s of SPEEDS) speed.add(new Option(`${s}×`, s, s === 1, s === 1));
  speed.addEventListener("change", () => (page.speed = Number(speed.value)));
  document.addEventListener("keydown", (event) => {
    const step = (stage.times[stage.times.length - 1] - stage.times[0]) / 100;
    if (["SELECT", "INPUT", "BUTTON"].includes(event.target.tagName)) return;
    if (event.key === " ") page.run(!page.running);
    else if (event.key === "ArrowRight") page.seek(page.t + step);
    else if (event.key === "ArrowLeft") page.seek(page.t - step);
    else return;
    event.preventDefault();
  });
  clock.textContent = "";
}

// One switch for each thing that can be shown; arrows say their scale.
function switches(stage, page) {
  const box = byId("switches");
  const put = (key, label, tint, title) => {
    const made = document.createElement("label");
    const input = document.createElement("input");
    input.type = "checkbox";
    input.checked = stage.shown[key];
    input.dataset.shows = key;
    input.addEventListener("change", () => {
      stage.shown[key] = input.checked;
      page.stale = true;
    });
    made.append(input);
    if (tint) {
      const mark = document.createElement("i");
      mark.style.background = tint;
      made.append(mark);
    }
    made.append(label);
    if (title) made.title = title;
    box.appendChild(made);
  };
  put("trails", "trails");
  if (stage.data.joints.length) put("joints", "joints");
  put("frames", "frames");
  put("names", "names");
  if (stage.rollings.length) put("ellipsoid", "polhode on its ellipsoid", "#d1495b");
  for (const kind of stage.arrows) {
    const title = `drawn ${kind.scale.toPrecision(3)} m for 1 ${kind.unit}`;
    put(kind.kind, kind.kind, kind.colour, title);
  }
}

// Dragging turns, with shift or the right button it shifts; the wheel comes nearer.
function handling(stage, page) {
  const canvas = stage.canvas;
  let held = null;
  let moved = 0;
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    held = [event.clientX, event.clientY, event.shiftKey || event.button === 2];
    moved = 0;
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!held) return;
    const [dx, dy] = [event.clientX - held[0], event.clientY - held[1]];
    moved += Math.abs(dx) + Math.abs(dy);
    [held[0], held[1]] = [event.clientX, event.clientY];
    const camera = stage.camera;
    if (held[2]) {
      const step = camera.distance / canvas.clientHeight * 0.64;
      const { right, up } = stage.sight;
      camera.target = add(camera.target, add(scale(right, -dx * step), scale(up, dy * step)));
    } else {
      camera.azimuth -= dx * 0.008;
      camera.rise = Math.min(1.5, Math.max(-1.5, camera.rise + dy * 0.008));
    }
    page.stale = true;
  });
  canvas.addEventListener("pointerup", (event) => {
    const box = canvas.getBoundingClientRect();
    if (held && moved < 4) page.choose(stage.pick(event.clientX - box.left, event.clientY - box.top));
    held = null;
  });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const factor = Math.exp(Math.sign(event.deltaY) * 0.12);
    stage.camera.distance = Math.min(20 * stage.size, Math.max(0.05 * stage.size, stage.camera.distance * factor));
    page.stale = true;
  }, { passive: false });
}

class Page {
  constructor(data) {
    this.stage = new Stage(byId("stage"), data);
    this.times = this.stage.times;
    [this.slider, this.play, this.clock, this.speed] = ["slider", "play", "clock", "speed"].map(byId);
    this.t = this.times[0];
    this.speed.value = 1;
    this.running = false;
    this.stale = true;
    this.chosen = null;
    this.plots = data.plots.map((plot, k) => new Plot(byId(`plot-${k}`), plot, this.times, (t) => this.seek(t)));
    this.labels = this.stage.bodies.map((body) => {
      const label = document.createElement("span");
      label.textContent = body.name;
      byId("labels").appendChild(label);
      return label;
    });
    controls(this.stage, this);
    this.speed = 1;
    switches(this.stage, this);
    handling(this.stage, this);
    new ResizeObserver(() => (this.stale = true)).observe(this.stage.canvas);
    this.seek(this.times[0]);
    this.draw();
    requestAnimationFrame((now) => this.tick(now));
  }

  get ends() {
    return [this.times[0], this.times[this.times.length - 1]];
  }

  timeOf(share) {
    const [a, b] = this.ends;
    return a + (b - a) * share;
  }

  seek(t) {
    const [a, b] = this.ends;
    this.t = Math.min(Math.max(a, b), Math.max(Math.min(a, b), t));
    this.stage.t = this.t;
    this.slider.value = b === a ? 0 : (this.t - a) / (b - a);
    this.stale = true;
  }

  run(running) {
    const [a, b] = this.ends;
    if (running && this.t === b) this.seek(a);
    this.running = running;
    this.play.textContent = running ? "❚❚" : "►";
    this.play.setAttribute("aria-label", running ? "pause" : "play");
  }

  tick(now) {
    const passed = Math.min(0.1, (now - (this.last || now)) / 1000);
    this.last = now;
    if (this.running) {
      const [a, b] = this.ends;
      this.seek(this.t + Math.sign(b - a) * passed * this.speed * this.stage.data.pace);
      if (this.t === b) this.run(false);
    }
    if (this.stale) this.draw();
    requestAnimationFrame((later) => this.tick(later));
  }

  draw() {
    this.stale = false;
    this.stage.draw();
    this.clock.textContent = `t = ${this.t.toPrecision(4)} s`;
    const moment = this.stage.moment();
    for (const plot of this.plots) plot.show(this.t, moment);
    this.labels.forEach((label, k) => {
      label.hidden = !this.stage.shown.names;
      if (label.hidden) return;
      const [x, y] = this.stage.pixel(k);
      label.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
    });
    if (this.chosen !== null) this.describe();
  }

  choose(k) {
    this.chosen = k;
    byId("chosen").hidden = k === null;
    this.stale = true;
  }

  // The numbers of the chosen body, now.
  describe() {
    const body = this.stage.bodies[this.chosen];
    const { axes, at } = this.stage.pose(body);
    const centre = add(add(combine(axes, body.centre), at), this.stage.data.middle);
    const of = (kind) => {
      const found = this.stage.arrows.find((a) => a.kind === kind);
      const arrow = found && found.arrows.find((a) => a.name === body.name);
      return arrow ? this.stage.vector(arrow.vectors) : [0, 0, 0];
    };
    const shown = (v, u) => `${v.map((x) => x.toPrecision(4)).join(", ")} ${u}`;
    const momentum = of("momentum");
    const rows = [
      ["mass", `${body.mass.toPrecision(4)} kg`],
      ["mass centre", shown(centre, "m")],
      ["velocity", shown(scale(momentum, 1 / (body.mass || 1)), "m/s")],
      ["angular velocity", shown(of("angular velocity"), "rad/s")],
      ["angular momentum", shown(of("angular momentum"), "kg m²/s")],
    ];
    const box = byId("chosen");
    box.replaceChildren();
    const title = document.createElement("h3");
    title.textContent = body.name;
    box.appendChild(title);
    for (const [name, value] of rows) {
      const line = document.createElement("div");
      const word = document.createElement("span");
      word.textContent = name;
      line.append(word, value);
      box.appendChild(line);
    }
  }
}

try {
  const page = new Page(JSON.parse(byId("data").textContent));
  const place = (k) => {
    const { axes, at } = page.stage.pose(page.stage.bodies[k]);
    return { axes, origin: add(at, page.stage.data.middle), pixel: page.stage.pixel(k) };
  };
  // What is drawn, for whoever wants to know: time, and bodies by name.
  window.polhode = Object.freeze({
    time: () => page.t,
    bodies: () => Object.fromEntries(page.stage.bodies.map((body, k) => [body.name, place(k)])),
    redraw: () => page.draw(),
  });
  if (window.location.hash !== "#still") page.run(true);
} catch (error) {
  byId("apology").textContent = `The motion cannot be drawn here: ${error.message}`;
  byId("apology").hidden = false;
}
