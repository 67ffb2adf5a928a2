// The stage: what is where at a time, and how it is seen.

const AXES = ["#c8413b", "#3f8f4f", "#2d6cb5"].map(colour);

const MARGIN = 0.9; // of the picture: what a motion fills at first

const outward = (azimuth, rise) =>
  [Math.cos(rise) * Math.cos(azimuth), Math.cos(rise) * Math.sin(azimuth), Math.sin(rise)];

class Stage {
  constructor(canvas, data, theme) {
    this.data = data;
    this.theme = theme;
    this.painter = new Painter(canvas);
    this.canvas = canvas;
    this.times = numbers(data.times, Float64Array);
    this.shown = { trails: true, joints: true, frames: false, names: false, ellipsoid: data.rolls };
    this.size = data.size;
    this.shapes = Object.fromEntries(
      Object.entries({ pin: pinShape, cone: coneShape, ball: ballShape, cube: cubeShape, globe: globeShape })
        .map(([name, make]) => [name, this.painter.mesh(make())]));
    this.bodies = data.bodies.map((body) => this.prepared(body));
    this.arrows = data.arrows.map((kind) => ({
      ...kind,
      arrows: kind.arrows.map((a) => ({
        name: a.name,
        cone: a.cone,
        tails: numbers(a.tails, Float32Array),
        vectors: numbers(a.vectors, Float32Array),
      })),
    }));
    for (const kind of this.arrows) this.shown[kind.kind] = kind.shown;
    this.rollings = data.rollings.map((each) => this.rolling(each));
    this.strands = data.strands.map((each) => ({ ...each, points: numbers(each.points, Float32Array) }));
    this.globes = data.globes.map((each) => ({
      ...each, lines: each.lines.map((line) => this.painter.line(numbers(line, Float32Array))),
    }));
    this.hull = numbers(data.hull, Float32Array);
    this.camera = { azimuth: data.azimuth, rise: 0.28, distance: 2 * data.size, target: [0, 0, 0] };
    this.grid = data.floor === null ? null : this.ground();
    this.drift = data.drift === null ? null : numbers(data.drift, Float64Array);
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
    return { ...body, meshes, track, trail: this.painter.line(path) };
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

  // Half the picture's width and height for a distance of one.
  halves() {
    const aspect = this.canvas.clientWidth / Math.max(this.canvas.clientHeight, 1);
    const half = Math.tan(0.31);
    return [half * aspect, half];
  }

  // Where the camera sees all of some hulls (3 numbers a place), from its first side.
  fitted(hulls) {
    const { azimuth } = this.data;
    const rise = 0.28;
    const { right, up, back } = looking(outward(azimuth, rise), [0, 0, 0]);
    const seen = [[Infinity, -Infinity], [Infinity, -Infinity]];
    const each = (act) => {
      for (const hull of hulls) for (let k = 0; k < hull.length; k += 3) act(triple(hull, k / 3));
    };
    each((p) => [right, up].forEach((axis, j) => {
      const x = dot(axis, p);
      seen[j] = [Math.min(seen[j][0], x), Math.max(seen[j][1], x)];
    }));
    const [a, b] = seen.map(([low, high]) => (low + high) / 2);
    const target = add(scale(right, a), scale(up, b));
    const [wide, tall] = this.halves().map((x) => MARGIN * x);
    let distance = 0.1 * this.size;
    each((p) => {
      const q = sub(p, target);
      const needed = Math.max(Math.abs(dot(right, q)) / wide, Math.abs(dot(up, q)) / tall);
      distance = Math.max(distance, dot(back, q) + needed);
    });
    return { azimuth, rise, distance, target, follows: null };
  }

  // How far a camera stands that goes along with a body.
  nearby(name) {
    const body = this.bodies.find((each) => each.name === name);
    const size = (mesh) => mesh.positions.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
    return body ? 9 * Math.max(...body.meshes.map(size)) : this.camera.distance;
  }

  // What the camera looks at: its own place, or one that goes along with a body.
  target() {
    const body = this.bodies.find((each) => each.name === this.camera.follows);
    if (!body) return this.camera.target;
    const { axes, at } = this.pose(body);
    return add(this.camera.target, add(combine(axes, body.centre), at));
  }

  look() {
    const { azimuth, rise, distance } = this.camera;
    const target = this.target();
    const eye = add(target, scale(outward(azimuth, rise), distance));
    const view = looking(eye, target);
    const aspect = this.canvas.clientWidth / Math.max(this.canvas.clientHeight, 1);
    const lens = perspective(0.62, aspect, 0.02 * distance, 12 * distance + 8 * this.size);
    this.sight = { eye, ...view, all: product(lens, view.matrix) };
    return this.sight;
  }

  ground() {
    const lines = [];
    const step = (this.step = 10 ** Math.round(Math.log10(this.size / 6)));
    const reach = Math.ceil((1.3 * this.size) / step) * step;
    const z = this.data.floor;
    for (let x = -reach; x <= reach + step / 2; x += step) {
      lines.push([[x, -reach, z], [x, reach, z]], [[-reach, x, z], [reach, x, z]]);
    }
    return lines.map((ends) => this.painter.line(new Float32Array(ends.flat())));
  }

  // How far the ground has gone by under an observer who goes along, but for whole squares.
  shift() {
    if (!this.drift) return [0, 0, 0];
    const [x, y, z] = this.vector(this.drift);
    return [-(x % this.step), -(y % this.step), -z];
  }

  // ------------------------------------------------------------- drawing

  draw() {
    const { eye, all } = this.look();
    const painter = this.painter;
    painter.begin(all, eye);
    const shift = this.shift();
    const level = this.data.floor + shift[2];
    const above = this.grid && eye[2] > level;
    const { ink, grid, shade } = this.theme.inks;
    const ground = frame([[1, 0, 0], [0, 1, 0], [0, 0, 1]], shift);
    if (this.grid) for (const line of this.grid) painter.stroke(line, ground, ink, { width: 0.6, opacity: grid });
    const places = this.bodies.map((body) => {
      const { axes, at } = this.pose(body);
      return frame(axes, at);
    });
    if (above)
      this.bodies.forEach((body, k) =>
        body.meshes.forEach((mesh) => mesh.hole || painter.shade(mesh, places[k], level, shade)));
    this.planets();
    if (this.shown.joints) this.signs();
    this.bodies.forEach((body, k) => {
      for (const mesh of body.meshes) {
        const [red, green, blue, opacity] = mesh.tint ?? [...this.theme.tint(body.colour), 1];
        const tint = mesh.hole ? [0.17, 0.18, 0.21] : [red, green, blue];
        painter.paint(mesh, places[k], tint, opacity, mesh.hole ? 0 : 1);
      }
    });
    this.links();
    this.lines();
    if (this.shown.trails) this.trails();
    if (this.shown.frames) this.triads();
    for (const kind of this.arrows) if (this.shown[kind.kind]) this.vectors(kind);
    if (this.shown.ellipsoid) this.ellipsoids(places);
  }

  trails() {
    const [a, , s] = this.moment();
    const long = Math.ceil(this.times.length * 0.35);
    for (const body of this.bodies) {
      const tint = scale(this.theme.tint(body.colour), this.theme.name === "dark" ? 1 : 0.85);
      if (this.globes.length) this.painter.stroke(body.trail, STILL, tint, { width: 1, opacity: 0.45 });
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
    for (const sign of this.data.joints) {
      const r = sign.thick;
      const axes = sign.axes;
      const at = this.carried(sign.body, sign.at);
      if (sign.kind === "ball") this.block("ball", at, 1.7 * r);
      else if (sign.kind === "cube") this.block("cube", at, 1.1 * r);
      else axes.forEach((axis, k) => {
        const [from, to] = sign.reach[k].map((x) => this.carried(sign.body, add(sign.at, scale(axis, x))));
        this.pin(from, to, sign.kind === "rail" ? 0.45 * r : r, this.theme.inks.steel);
      });
    }
  }

  block(shape, at, radius) {
    const axes = [[radius, 0, 0], [0, radius, 0], [0, 0, radius]];
    this.painter.paint(this.shapes[shape], frame(axes, at), this.theme.inks.steel);
  }

  links() {
    const { steel, line } = this.theme.inks;
    for (const link of this.data.links) {
      const [p, q] = this.beside(link, ...link.bodies.map((body, k) => this.carried(body, link.points[k])));
      if (link.kind === "spring") this.painter.sketch(coil(p, q, this.data.coil), line, { width: 1.8 });
      else if (link.kind === "damper") this.dashpot(p, q);
      else {
        const thick = link.kind === "plane" ? 0.0015 * this.size : Math.min(0.004 * this.size, 0.3 * this.data.coil);
        this.pin(p, q, thick, steel);
      }
    }
  }

  // The ends of a link that stands beside others between the same points.
  beside(link, p, q) {
    if (!link.aside) return [p, q];
    const shift = scale(across(sub(q, p)), 2.7 * link.aside * this.data.coil);
    return [add(p, shift), add(q, shift)];
  }

  // A cup on one rod, a piston in it on the other.
  dashpot(p, q) {
    const { steel, line } = this.theme.inks;
    const at = (share) => mix(p, q, share);
    const r = 0.9 * this.data.coil;
    this.pin(at(0), at(0.36), 0.25 * r, steel);
    this.pin(at(0.5), at(1), 0.25 * r, steel);
    this.pin(at(0.49), at(0.53), 0.8 * r, line);
    const along = sub(at(0.66), at(0.36));
    const u = scale(across(along), r);
    const v = scale(cross(unit(along), unit(u)), r);
    this.painter.paint(this.shapes.pin, frame([u, v, along], at(0.36)), steel, 0.45);
  }

  // Ropes and belts.
  lines() {
    const [a, b, s] = this.moment();
    for (const each of this.strands) {
      const n = 3 * each.count;
      const [from, to] = [each.points.subarray(n * a, n * a + n), each.points.subarray(n * b, n * b + n)];
      this.painter.sketch(from.map((x, k) => x + (to[k] - x) * s), this.theme.inks.line, { width: 2.2 });
    }
  }

  planets() {
    const dark = this.theme.name === "dark" ? 1 : 0;
    for (const globe of this.globes) {
      const at = this.carried(globe.body, globe.centre);
      const r = globe.radius;
      const place = frame([[r, 0, 0], [0, r, 0], [0, 0, r]], at);
      this.painter.paint(this.shapes.globe, place, scale(colour(globe.tints[dark]), 0.86), 1, 0.1);
      const still = frame([[1, 0, 0], [0, 1, 0], [0, 0, 1]], at);
      for (const line of globe.lines) this.painter.stroke(line, still, this.theme.inks.ink, { width: 0.7, opacity: 0.2 });
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
    const tint = this.theme.tint(kind.colour);
    for (const arrow of kind.arrows) {
      const tail = this.vector(arrow.tails);
      const along = scale(this.vector(arrow.vectors), kind.scale);
      const long = norm(along);
      if (!(long > 0.004 * this.size)) continue;
      const head = Math.min(0.035 * this.size, 0.5 * long);
      if (kind.is_bent) this.bent(tail, along, head, tint);
      else {
        const neck = add(tail, scale(along, 1 - head / long));
        this.pin(tail, neck, 0.16 * head, tint);
        this.tip(neck, unit(along), head, tint);
      }
      if (arrow.cone) this.cone(tail, along, arrow.cone * long);
    }
  }

  // All forces that friction can hold: a cone about the push, its point at the contact.
  cone(at, along, radius) {
    const u = scale(across(along), radius);
    const v = scale(cross(unit(along), unit(u)), radius);
    const tint = this.theme.tint(this.data.friction);
    this.painter.paint(this.shapes.cone, frame([u, scale(v, -1), scale(along, -1)], add(at, along)), tint, 0.16, 0);
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
    const half = Math.tan(0.31);
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
