// The stage: what is where at a time, and how it is seen.

const INK = [0.16, 0.18, 0.22];
const STEEL = [0.60, 0.63, 0.68];
const AXES = ["#c8413b", "#3f8f4f", "#2d6cb5"].map(colour);

class Stage {
  constructor(canvas, data) {
    this.data = data;
    this.painter = new Painter(canvas);
    this.canvas = canvas;
    this.times = numbers(data.times, Float64Array);
    this.shown = { trails: true, joints: true, frames: false, names: false, ellipsoid: data.rolls };
    this.size = data.size;
    this.shapes = Object.fromEntries(
      Object.entries({ pin: pinShape, cone: coneShape, ball: ballShape, cube: cubeShape })
        .map(([name, make]) => [name, this.painter.mesh(make())]));
    this.bodies = data.bodies.map((body) => this.prepared(body));
    this.arrows = data.arrows.map((kind) => ({
      ...kind,
      tint: colour(kind.colour),
      arrows: kind.arrows.map((a) => ({
        name: a.name,
        tails: numbers(a.tails, Float32Array),
        vectors: numbers(a.vectors, Float32Array),
      })),
    }));
    for (const kind of this.arrows) this.shown[kind.kind] = kind.shown;
    this.rollings = data.rollings.map((each) => this.rolling(each));
    this.camera = { azimuth: data.azimuth, rise: 0.28, distance: 2.05 * data.reach, target: [0, 0, -0.05 * data.reach] };
    this.home = { ...this.camera };
    this.grid = data.floor === null ? null : this.ground();
    this.t = this.times[0];
  }

  prepared(body) {
    const meshes = body.surfaces.map((surface) => {
      const corners = numbers(surface.corners, Float32Array);
      const triangles = numbers(surface.triangles, Uint32Array);
      return { ...this.painter.mesh(shaded(corners, triangles)), hole: surface.hole, tint: surface.colour };
    });
    const track = numbers(body.track, Float32Array);
    const path = new Float32Array(this.times.length * 3);
    for (let k = 0; k < this.times.length; k++) path.set(this.centreAt(track, body, k), 3 * k);
    return { ...body, meshes, track, tint: colour(body.colour), trail: this.painter.line(path) };
  }

  centreAt(track, body, k) {
    const axes = columns(track.subarray(7 * k, 7 * k + 4));
    return add(combine(axes, body.centre), Array.from(track.subarray(7 * k + 4, 7 * k + 7)));
  }

  rolling(each) {
    const corners = numbers(each.corners, Float32Array);
    const triangles = numbers(each.triangles, Uint32Array);
    return {
      ...each,
      mesh: this.painter.mesh(shaded(corners, triangles)),
      polhode: this.painter.line(numbers(each.polhode, Float32Array)),
      herpolhode: this.painter.line(numbers(each.herpolhode, Float32Array)),
    };
  }

  // ------------------------------------------------------------- in time

  // The frame before a time, and the share of the way to the next.
  moment() {
    const n = this.times.length;
    const forward = this.times[n - 1] >= this.times[0] ? 1 : -1;
    let [low, high] = [0, n - 1];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (forward * this.times[middle] <= forward * this.t) low = middle;
      else high = middle;
    }
    const gap = this.times[high] - this.times[low];
    return [low, high, gap ? Math.min(1, Math.max(0, (this.t - this.times[low]) / gap)) : 0];
  }

  pose(body) {
    if (body === null) return { axes: [[1, 0, 0], [0, 1, 0], [0, 0, 1]], at: scale(this.data.middle, -1) };
    const [a, b, s] = this.moment();
    const part = (k, from, to) => Array.from(body.track.subarray(7 * k + from, 7 * k + to));
    const axes = columns(between(part(a, 0, 4), part(b, 0, 4), s));
    return { axes, at: mix(part(a, 4, 7), part(b, 4, 7), s) };
  }

  carried(number, point) {
    const { axes, at } = this.pose(number < 0 ? null : this.bodies[number]);
    return add(combine(axes, point), at);
  }

  vector(array) {
    const [a, b, s] = this.moment();
    return mix(triple(array, a), triple(array, b), s);
  }

  // -------------------------------------------------------------- camera

  look() {
    const { azimuth, rise, distance, target } = this.camera;
    const out = [Math.cos(rise) * Math.cos(azimuth), Math.cos(rise) * Math.sin(azimuth), Math.sin(rise)];
    const eye = add(target, scale(out, distance));
    const view = looking(eye, target);
    const aspect = this.canvas.clientWidth / Math.max(this.canvas.clientHeight, 1);
    const wide = aspect < 1 ? 0.62 / aspect : 0.62;
    const lens = perspective(Math.min(wide, 1.4), aspect, 0.02 * distance, 12 * distance + 8 * this.size);
    this.sight = { eye, ...view, all: product(lens, view.matrix) };
    return this.sight;
  }

  ground() {
    const lines = [];
    const step = 10 ** Math.round(Math.log10(this.size / 6));
    const reach = Math.ceil((1.3 * this.size) / step) * step;
    const z = this.data.floor;
    for (let x = -reach; x <= reach + step / 2; x += step) {
      lines.push([[x, -reach, z], [x, reach, z]], [[-reach, x, z], [reach, x, z]]);
    }
    return lines.map((ends) => this.painter.line(new Float32Array(ends.flat())));
  }

  // ------------------------------------------------------------- drawing

  draw() {
    const { eye, all } = this.look();
    const painter = this.painter;
    painter.begin(all, eye);
    const above = this.grid && eye[2] > this.data.floor;
    if (this.grid) for (const line of this.grid) painter.stroke(line, STILL, INK, { width: 0.6, opacity: 0.13 });
    const places = this.bodies.map((body) => {
      const { axes, at } = this.pose(body);
      return frame(axes, at);
    });
    if (above)
      this.bodies.forEach((body, k) =>
        body.meshes.forEach((mesh) => mesh.hole || painter.shade(mesh, places[k], this.data.floor, 0.16)));
    if (this.shown.joints) this.signs();
    this.bodies.forEach((body, k) => {
      for (const mesh of body.meshes) {
        const [red, green, blue, opacity] = mesh.tint ?? [...body.tint, 1];
        const tint = mesh.hole ? [0.17, 0.18, 0.21] : [red, green, blue];
        painter.paint(mesh, places[k], tint, opacity, mesh.hole ? 0 : 1);
      }
    });
    this.links();
    if (this.shown.trails) this.trails();
    if (this.shown.frames) this.triads();
    for (const kind of this.arrows) if (this.shown[kind.kind]) this.vectors(kind);
    if (this.shown.ellipsoid) this.ellipsoids(places);
  }

  trails() {
    const [a, , s] = this.moment();
    const long = Math.ceil(this.times.length * 0.35);
    for (const body of this.bodies) {
      const tint = scale(body.tint, 0.85);
      const options = { width: 1.5, opacity: 0.9, first: Math.max(0, a - long), last: a, fades: true };
      this.painter.stroke(body.trail, STILL, tint, options);
      const { axes, at } = this.pose(body);
      const tip = [...this.centreAt(body.track, body, a), ...add(combine(axes, body.centre), at)];
      if (s > 0) this.painter.sketch(new Float32Array(tip), tint, { width: 1.5, opacity: 0.9 });
    }
  }

  pin(a, b, radius, tint) {
    const along = sub(b, a);
    const u = scale(across(along), radius);
    const v = scale(cross(unit(along), unit(u)), radius);
    this.painter.paint(this.shapes.pin, frame([u, v, along], a), tint);
  }

  signs() {
    const r = 0.011 * this.size;
    for (const sign of this.data.joints) {
      const axes = sign.axes;
      const at = this.carried(sign.body, sign.at);
      if (sign.kind === "ball") this.block("ball", at, 1.7 * r);
      else if (sign.kind === "cube") this.block("cube", at, 1.1 * r);
      else axes.forEach((axis, k) => {
        const [from, to] = sign.reach[k].map((x) => this.carried(sign.body, add(sign.at, scale(axis, x))));
        this.pin(from, to, sign.kind === "rail" ? 0.45 * r : r, STEEL);
      });
    }
  }

  block(shape, at, radius) {
    const axes = [[radius, 0, 0], [0, radius, 0], [0, 0, radius]];
    this.painter.paint(this.shapes[shape], frame(axes, at), STEEL);
  }

  links() {
    for (const link of this.data.links) {
      const [p, q] = link.bodies.map((body, k) => this.carried(body, link.points[k]));
      if (link.kind === "spring")
        this.painter.sketch(coil(p, q, 0.018 * this.size), [0.35, 0.38, 0.44], { width: 1.6 });
      else {
        const thick = { rod: 0.004, plane: 0.0015 }[link.kind] || 0.007;
        this.pin(p, q, thick * this.size, STEEL);
      }
    }
  }

  triads() {
    const long = 0.09 * this.size;
    for (const body of [null, ...this.bodies]) {
      const { axes, at } = this.pose(body);
      axes.forEach((axis, k) => this.pin(at, add(at, scale(axis, long)), 0.0035 * this.size, AXES[k]));
    }
  }

  vectors(kind) {
    for (const arrow of kind.arrows) {
      const tail = this.vector(arrow.tails);
      const along = scale(this.vector(arrow.vectors), kind.scale);
      const long = norm(along);
      if (!(long > 0.004 * this.size)) continue;
      const head = Math.min(0.035 * this.size, 0.5 * long);
      if (kind.is_bent) this.bent(tail, along, head, kind.tint);
      else {
        const neck = add(tail, scale(along, 1 - head / long));
        this.pin(tail, neck, 0.16 * head, kind.tint);
        this.tip(neck, unit(along), head, kind.tint);
      }
    }
  }

  tip(at, along, head, tint) {
    const u = scale(across(along), 0.4 * head);
    const v = scale(cross(along, unit(u)), 0.4 * head);
    this.painter.paint(this.shapes.cone, frame([u, v, scale(along, head)], at), tint);
  }

  // A couple turns its body as the right hand's fingers go when the thumb is along it.
  bent(at, along, head, tint) {
    const points = arc(at, along);
    for (let k = 0; k + 1 < points.length; k++) this.pin(points[k], points[k + 1], 0.13 * head, tint);
    const [before, last] = points.slice(-2);
    this.tip(last, unit(sub(last, before)), head, tint);
  }

  ellipsoids(places) {
    for (const each of this.rollings) {
      const body = this.bodies[each.body];
      const { axes, at } = this.pose(body);
      const centre = add(combine(axes, body.centre), at);
      const turned = frame(axes, centre);
      const still = frame([[1, 0, 0], [0, 1, 0], [0, 0, 1]], centre);
      const [a] = this.moment();
      if (each.plane) this.plane(centre, each.plane);
      this.painter.stroke(each.herpolhode, still, colour("#2f6f9f"), { width: 1.8, last: Math.max(a, 1) });
      this.painter.stroke(each.polhode, turned, colour("#d1495b"), { width: 2.4 });
      this.painter.paint(each.mesh, turned, [0.88, 0.82, 0.70], 0.24, 0.5);
      const { gl } = this.painter;
      gl.disable(gl.DEPTH_TEST); // what is behind the body shines through, faintly
      this.painter.stroke(each.polhode, turned, colour("#d1495b"), { width: 1.4, opacity: 0.3 });
      this.painter.stroke(each.herpolhode, still, colour("#2f6f9f"), { width: 1.2, opacity: 0.3, last: Math.max(a, 1) });
      gl.enable(gl.DEPTH_TEST);
    }
  }

  // A pane of the invariable plane, along which the ellipsoid rolls.
  plane(centre, { normal, distance, half }) {
    const u = scale(across(normal), half);
    const v = scale(cross(normal, unit(u)), half);
    const at = add(centre, scale(normal, distance));
    this.painter.paint(this.shapes.pin, frame([u, v, scale(normal, 0.002 * half)], at), [0.72, 0.78, 0.86], 0.35, 0);
  }

  // ------------------------------------------------------------- picking

  // The body whose surface the ray through a pixel meets first.
  pick(x, y) {
    const { eye, right, up, back } = this.sight;
    const tall = this.canvas.clientHeight, wide = this.canvas.clientWidth;
    const aspect = wide / tall;
    const half = Math.tan(Math.min(aspect < 1 ? 0.62 / aspect : 0.62, 1.4) / 2);
    const [u, v] = [(2 * x) / wide - 1, 1 - (2 * y) / tall];
    const ray = unit(add(add(scale(right, u * half * aspect), scale(up, v * half)), scale(back, -1)));
    let [found, nearest] = [null, Infinity];
    this.bodies.forEach((body, k) => {
      const { axes, at } = this.pose(body);
      const from = axes.map((axis) => dot(axis, sub(eye, at)));
      const along = axes.map((axis) => dot(axis, ray));
      for (const mesh of body.meshes) {
        const far = met(mesh.positions, from, along);
        if (far < nearest) [found, nearest] = [k, far];
      }
    });
    return found;
  }

  // Where a body's mass centre is on the page, in pixels of the canvas.
  pixel(k) {
    const { axes, at } = this.pose(this.bodies[k]);
    const [x, y] = projected(this.sight.all, add(combine(axes, this.bodies[k].centre), at));
    return [((x + 1) / 2) * this.canvas.clientWidth, ((1 - y) / 2) * this.canvas.clientHeight];
  }
}

// How far a ray goes until it meets a triangle; Infinity if it meets none.
function met(positions, from, along) {
  let nearest = Infinity;
  for (let k = 0; k < positions.length; k += 9) {
    const a = [positions[k], positions[k + 1], positions[k + 2]];
    const ab = [positions[k + 3] - a[0], positions[k + 4] - a[1], positions[k + 5] - a[2]];
    const ac = [positions[k + 6] - a[0], positions[k + 7] - a[1], positions[k + 8] - a[2]];
    const p = cross(along, ac);
    const volume = dot(ab, p);
    if (Math.abs(volume) < 1e-30) continue;
    const s = sub(from, a);
    const u = dot(s, p) / volume;
    const q = cross(s, ab);
    const v = dot(along, q) / volume;
    const far = dot(ac, q) / volume;
    if (u >= 0 && v >= 0 && u + v <= 1 && far > 0 && far < nearest) nearest = far;
  }
  return nearest;
}
