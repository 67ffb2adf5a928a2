// Curves against time, drawn as SVG; the pointer moves the time of the whole page.

const SVG = "http://www.w3.org/2000/svg";
const BOX = { width: 470, height: 240, left: 62, right: 14, top: 12, bottom: 38 };

function element(name, attributes, parent) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (parent) parent.appendChild(made);
  return made;
}

// Round numbers within a range, about `count` of them.
function ticks(low, high, count) {
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((s) => s * power >= rough) || 10);
  const found = [];
  for (let k = Math.ceil(low / step); k * step <= high + 1e-9 * step; k++) found.push(k * step);
  return found;
}

// As few digits as tell the ticks apart.
function written(value) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  const text = size >= 1e5 || size < 1e-3 ? value.toExponential(3) : value.toPrecision(6);
  return text.replace(/(\.\d*?)0+(e|$)/, "$1$2").replace(/\.(e|$)/, "$1");
}

class Plot {
  constructor(parent, data, times, page) {
    this.times = page.times;
    this.theme = page.theme;
    this.series = data.series.map((s) => ({ ...s, times: times[s.stage], values: numbers(s.values, Float32Array) }));
    this.root = element("svg", {
      viewBox: `0 0 ${BOX.width} ${BOX.height}`, class: "plot", role: "img",
      "aria-label": data.title,
    });
    parent.appendChild(this.root);
    this.range();
    this.scaffold(data);
    for (const series of this.series) this.curve(series);
    this.cursor = element("line", { class: "cursor", y1: BOX.top, y2: BOX.height - BOX.bottom }, this.root);
    this.dots = this.series.map((s) => element("circle", { r: 3.6, class: "dot" }, this.root));
    this.legend(parent);
    this.theme.follow(() => this.paint());
    const at = (event) => {
      const box = this.root.getBoundingClientRect();
      const x = ((event.clientX - box.left) / box.width) * BOX.width;
      const share = (x - BOX.left) / (BOX.width - BOX.left - BOX.right);
      const span = this.times[this.times.length - 1] - this.times[0];
      page.seek(this.times[0] + Math.min(1, Math.max(0, share)) * span);
    };
    this.root.addEventListener("pointerdown", (event) => {
      this.root.setPointerCapture(event.pointerId);
      at(event);
    });
    this.root.addEventListener("pointermove", (event) => event.buttons && at(event));
  }

  range() {
    let [low, high] = [Infinity, -Infinity];
    for (const { values } of this.series)
      for (const v of values) if (Number.isFinite(v)) [low, high] = [Math.min(low, v), Math.max(high, v)];
    if (!(high >= low)) [low, high] = [-1, 1];
    const room = 0.06 * (high - low) || 0.5 * Math.abs(high) || 1;
    [this.low, this.high] = [low - room, high + room];
  }

  x(t) {
    const [a, b] = [this.times[0], this.times[this.times.length - 1]];
    return BOX.left + ((t - a) / (b - a || 1)) * (BOX.width - BOX.left - BOX.right);
  }

  y(v) {
    const share = (v - this.low) / (this.high - this.low);
    return BOX.height - BOX.bottom - share * (BOX.height - BOX.top - BOX.bottom);
  }

  scaffold({ marks = [] }) {
    const bottom = BOX.height - BOX.bottom;
    // Impacts: short strokes on the axis of time.
    for (const t of marks) {
      const x = this.x(t);
      element("line", { x1: x, x2: x, y1: bottom - 7, y2: bottom, class: "impact" }, this.root);
    }
    for (const v of ticks(this.low, this.high, 5)) {
      const y = this.y(v);
      element("line", { x1: BOX.left, x2: BOX.width - BOX.right, y1: y, y2: y, class: v === 0 ? "zero" : "rule" }, this.root);
      element("text", { x: BOX.left - 8, y: y + 3.5, class: "tick end" }, this.root).textContent = written(v);
    }
    const ends = [this.times[0], this.times[this.times.length - 1]].sort((a, b) => a - b);
    for (const t of ticks(ends[0], ends[1], 8)) {
      const x = this.x(t);
      element("line", { x1: x, x2: x, y1: bottom, y2: bottom + 4, class: "rule" }, this.root);
      element("text", { x, y: bottom + 17, class: "tick middle" }, this.root).textContent = written(t);
    }
    const last = { x: BOX.width - BOX.right, y: BOX.height - 4, class: "tick end" };
    element("text", last, this.root).textContent = "time [s]";
  }

  curve(series) {
    const { values, times } = series;
    let path = "";
    let down = false;
    values.forEach((v, k) => {
      if (Number.isFinite(v)) path += `${down ? "L" : "M"}${this.x(times[k]).toFixed(2)} ${this.y(v).toFixed(2)}`;
      down = Number.isFinite(v);
    });
    const dashes = series.stage ? { "stroke-dasharray": "6 4" } : {};
    series.path = element("path", { d: path, class: "curve", ...dashes }, this.root);
  }

  // Lines, dots and marks in the colours of the theme.
  paint() {
    this.series.forEach((series, k) => {
      const tint = this.theme.hex(series.colour);
      series.path.setAttribute("stroke", tint);
      this.dots[k].setAttribute("fill", tint);
      const dashes = `repeating-linear-gradient(90deg, ${tint} 0 4px, transparent 4px 6px)`;
      this.marks[k].style.background = series.stage ? dashes : tint;
    });
  }

  legend(parent) {
    const list = document.createElement("div");
    list.className = "legend";
    this.marks = [];
    this.readings = this.series.map((s) => {
      const item = document.createElement("span");
      const mark = document.createElement("i");
      this.marks.push(mark);
      const value = document.createElement("b");
      item.append(mark, s.name, value);
      list.appendChild(item);
      return value;
    });
    parent.appendChild(list);
  }

  show(t, moments) {
    const x = this.x(t);
    this.cursor.setAttribute("x1", x);
    this.cursor.setAttribute("x2", x);
    this.series.forEach(({ values, unit: u, stage }, k) => {
      const [a, b, s] = moments[stage];
      const v = values[a] + (values[b] - values[a]) * s;
      this.dots[k].setAttribute("cx", x);
      this.dots[k].setAttribute("cy", Number.isFinite(v) ? this.y(v) : -10);
      this.readings[k].textContent = ` ${Number.isFinite(v) ? v.toPrecision(4) : "–"} ${u}`;
    });
  }
}
