// The page: its data, its controls, and the clock.

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 5, 10];
const byId = (id) => document.getElementById(id);

function controls(page) {
  const { slider, play, choice } = page;
  slider.addEventListener("input", () => page.seek(page.timeOf(slider.valueAsNumber)));
  play.addEventListener("click", () => page.run(!page.running));
  byId("home").addEventListener("click", () => page.home());
  byId("theme").addEventListener("click", () => page.theme.turn());
  byId("help").addEventListener("click", () => (byId("keys").hidden = !byId("keys").hidden));
  const follow = byId("follow");
  for (const { name } of page.stage.bodies) follow.add(new Option(`with ${name}`, name));
  follow.addEventListener("change", () => page.follow(follow.value));
  for (const s of SPEEDS) choice.add(new Option(`${s}×`, s, s === 1, s === 1));
  choice.addEventListener("change", () => (page.speed = Number(choice.value)));
  page.theme.follow(() => {
    const dark = page.theme.name === "dark";
    byId("theme").textContent = dark ? "☀" : "☾";
    byId("theme").setAttribute("aria-label", dark ? "light" : "dark");
    page.stale = true;
  });
}

// One switch for each thing that can be shown, with the colour it is drawn in.
function switches(page) {
  const box = byId("switches");
  const { stages, theme } = page;
  const put = (key, label, tint, title) => {
    if (box.querySelector(`[data-shows="${key}"]`)) return;
    const made = document.createElement("label");
    const input = document.createElement("input");
    input.type = "checkbox";
    input.checked = stages.some((stage) => stage.shown[key]);
    input.dataset.shows = key;
    input.addEventListener("change", () => {
      for (const stage of stages) stage.shown[key] = input.checked;
      page.stale = true;
    });
    made.append(input);
    if (tint) {
      const mark = document.createElement("i");
      theme.follow(() => (mark.style.background = theme.hex(tint)));
      made.append(mark);
    }
    made.append(label);
    if (title) made.title = title;
    box.appendChild(made);
  };
  put("trails", "trails");
  if (stages.some((stage) => stage.data.joints.length)) put("joints", "joints");
  put("frames", "frames");
  put("names", "names");
  if (stages.some((stage) => stage.rollings.length)) put("ellipsoid", "polhode on its ellipsoid", "#d1495b");
  for (const stage of stages)
    for (const kind of stage.arrows)
      put(kind.kind, kind.kind, kind.colour, `drawn ${kind.scale.toPrecision(3)} m for 1 ${kind.unit}`);
}

class Page {
  constructor(data) {
    this.theme = new Theme(data.tones);
    this.stages = data.stages.map((each, k) => new Stage(byId(k ? `stage-${k}` : "stage"), each, this.theme));
    this.stage = this.stages[0];
    for (const other of this.stages.slice(1)) other.camera = this.stage.camera; // seen from one place
    const times = this.stages.map((stage) => stage.times);
    this.times = times.reduce((a, b) => (Math.abs(b[b.length - 1] - b[0]) > Math.abs(a[a.length - 1] - a[0]) ? b : a));
    [this.slider, this.play, this.clock, this.choice] = ["slider", "play", "clock", "speed"].map(byId);
    this.speed = 1;
    this.t = this.times[0];
    this.running = false;
    this.stale = true;
    this.chosen = null;
    this.plots = data.plots.map((plot, k) => new Plot(byId(`plot-${k}`), plot, times, this));
    this.labels = this.stages.flatMap((stage, k) => stage.bodies.map((body, n) => {
      const label = document.createElement("span");
      label.textContent = body.name;
      byId(k ? `labels-${k}` : "labels").appendChild(label);
      return { label, stage, n };
    }));
    controls(this);
    switches(this);
    for (const stage of this.stages) {
      handling(stage, this);
      new ResizeObserver(() => (this.touched ? (this.stale = true) : this.home())).observe(stage.canvas);
    }
    keyboard(this);
    this.home();
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
    for (const stage of this.stages) stage.t = this.t;
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

  // So many speeds up or down the list.
  pace(steps) {
    const k = SPEEDS.indexOf(this.speed) + steps;
    this.speed = SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, k))];
    this.choice.value = this.speed;
  }

  zoom(factor) {
    zoom(this.stage, factor);
    this.touched = true;
    this.stale = true;
  }

  // The camera goes along with a body; "" stands still again.
  follow(name) {
    if (!name) return this.home();
    Object.assign(this.stage.camera, { follows: name, target: [0, 0, 0], distance: this.stage.nearby(name) });
    this.touched = this.stale = true;
  }

  // The first view: all of the motion, whatever the size of the window.
  home() {
    Object.assign(this.stage.camera, this.stage.fitted(this.stages.map((stage) => stage.hull)));
    byId("follow").value = "";
    this.touched = false;
    this.stale = true;
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
    for (const stage of this.stages) stage.draw();
    this.clock.textContent = `t = ${this.t.toPrecision(4)} s`;
    const moments = this.stages.map((stage) => stage.moment());
    for (const plot of this.plots) plot.show(this.t, moments);
    this.names();
    if (this.chosen !== null) this.describe();
  }

  // Names beside their bodies; one that would cover another is moved below it.
  names() {
    const taken = [];
    for (const { label, stage, n } of this.labels) {
      label.hidden = !stage.shown.names;
      if (label.hidden) continue;
      let [x, y] = stage.pixel(n);
      const wide = 7 * stage.bodies[n].name.length + 14;
      while (taken.some((t) => t.stage === stage && Math.abs(t.x - x) < (t.wide + wide) / 2 && Math.abs(t.y - y) < 19)) y += 19;
      taken.push({ stage, x, y, wide });
      label.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
    }
  }

  choose(stage, k) {
    this.chosen = k === null ? null : { stage, k };
    byId("chosen").hidden = k === null;
    this.stale = true;
  }

  // The numbers of the chosen body, now.
  describe() {
    const { stage, k } = this.chosen;
    const body = stage.bodies[k];
    const { axes, at } = stage.pose(body);
    const centre = add(add(combine(axes, body.centre), at), stage.data.middle);
    const of = (kind) => {
      const found = stage.arrows.find((a) => a.kind === kind);
      const arrow = found && found.arrows.find((a) => a.name === body.name);
      return arrow ? stage.vector(arrow.vectors) : [0, 0, 0];
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
  const place = (stage, k) => {
    const { axes, at } = stage.pose(stage.bodies[k]);
    return { axes, origin: add(at, stage.data.middle), pixel: stage.pixel(k) };
  };
  // What is drawn, for whoever wants to know: time, camera, and bodies by name.
  window.polhode = Object.freeze({
    time: () => page.t,
    speed: () => page.speed,
    theme: () => page.theme.name,
    camera: () => ({ ...page.stage.camera }),
    bodies: (n = 0) =>
      Object.fromEntries(page.stages[n].bodies.map((body, k) => [body.name, place(page.stages[n], k)])),
    redraw: () => page.draw(),
  });
  if (window.location.hash !== "#still") page.run(true);
} catch (error) {
  byId("apology").textContent = `The motion cannot be drawn here: ${error.message}`;
  byId("apology").hidden = false;
}
