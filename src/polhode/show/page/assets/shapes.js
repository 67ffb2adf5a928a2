// Triangles: normals of given surfaces, and the few shapes that signs are made of.

const CREASE = Math.cos((38 * Math.PI) / 180); // sharper edges stay sharp

// One corner a triangle's corner, with the normal of the faces that meet there gently.
function shaded(corners, triangles) {
  const count = triangles.length / 3;
  const faces = [];
  const meeting = new Map();
  const size = corners.reduce((most, x) => Math.max(most, Math.abs(x)), 1e-30);
  const place = (i) => triple(corners, i).map((x) => Math.round((x / size) * 1e5)).join(" ");
  const places = Array.from({ length: corners.length / 3 }, (_, i) => place(i));
  for (let k = 0; k < count; k++) {
    const [a, b, c] = [0, 1, 2].map((j) => triple(corners, triangles[3 * k + j]));
    faces.push(cross(sub(b, a), sub(c, a)));
    for (let j = 0; j < 3; j++) {
      const key = places[triangles[3 * k + j]];
      if (!meeting.has(key)) meeting.set(key, []);
      meeting.get(key).push(k);
    }
  }
  const units = faces.map(unit);
  const positions = new Float32Array(9 * count);
  const normals = new Float32Array(9 * count);
  for (let k = 0; k < count; k++)
    for (let j = 0; j < 3; j++) {
      const i = triangles[3 * k + j];
      let sum = [0, 0, 0];
      for (const other of meeting.get(places[i]))
        if (dot(units[other], units[k]) > CREASE) sum = add(sum, faces[other]);
      positions.set(triple(corners, i), 9 * k + 3 * j);
      normals.set(unit(sum), 9 * k + 3 * j);
    }
  return { positions, normals };
}

// A profile of [radius, height] turned round Z.
function turned(profile, around = 28) {
  const corners = [];
  const triangles = [];
  for (const [r, h] of profile)
    for (let k = 0; k < around; k++) {
      const turn = (2 * Math.PI * k) / around;
      corners.push(r * Math.cos(turn), r * Math.sin(turn), h);
    }
  for (let m = 0; m + 1 < profile.length; m++)
    for (let k = 0; k < around; k++) {
      const [a, b] = [m * around + k, m * around + ((k + 1) % around)];
      const [c, d] = [a + around, b + around];
      if (profile[m][0] > 0) triangles.push(a, b, c);
      if (profile[m + 1][0] > 0) triangles.push(b, d, c);
    }
  return shaded(corners, triangles);
}

const pinShape = () => turned([[0, 0], [0.94, 0], [1, 0.03], [1, 0.97], [0.94, 1], [0, 1]]);
const coneShape = () => turned([[0, 0], [1, 0], [0, 1]]);
const ballShape = (steps = 14, around = 28) => {
  const rise = Array.from({ length: steps + 1 }, (_, k) => Math.PI * (k / steps - 0.5));
  return turned(rise.map((x, k) => [k % steps ? Math.cos(x) : 0, Math.sin(x)]), around);
};
const globeShape = () => ballShape(48, 96);

function cubeShape() {
  const corners = [];
  for (const x of [-1, 1]) for (const y of [-1, 1]) for (const z of [-1, 1]) corners.push(x, y, z);
  const quads = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]];
  return shaded(corners, quads.flatMap(([a, b, c, d]) => [a, b, c, a, c, d]));
}

// A coil from p to q, as points of a line.
function coil(p, q, radius, turns = 8) {
  const along = sub(q, p);
  const half = Math.min(0.4, (turns * 1.5 * radius) / (norm(along) || 1) / 2); // a long one has straight ends
  const u = across(along);
  const v = cross(unit(along), u);
  const steps = 16 * turns;
  const points = [...p];
  for (let k = 0; k <= steps; k++) {
    const s = 0.5 - half + (2 * half * k) / steps;
    const turn = (2 * Math.PI * turns * k) / steps;
    const fade = radius * Math.min(1, Math.min(k, steps - k) / 8);
    const out = add(scale(u, fade * Math.cos(turn)), scale(v, fade * Math.sin(turn)));
    points.push(...add(add(p, scale(along, s)), out));
  }
  points.push(...q);
  return new Float32Array(points);
}

// Points of three quarters of a turn about a vector; its length is the radius.
function arc(at, vector, steps = 24) {
  const u = scale(across(vector), norm(vector));
  const v = cross(unit(vector), u);
  return Array.from({ length: steps + 1 }, (_, k) => {
    const turn = (1.5 * Math.PI * k) / steps;
    return add(at, add(scale(u, Math.cos(turn)), scale(v, Math.sin(turn))));
  });
}
