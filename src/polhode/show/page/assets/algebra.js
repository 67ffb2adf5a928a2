// Columns of 3, quaternions (w, x, y, z) and 4x4 matrices stored column by column.

const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const scale = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const norm = (a) => Math.hypot(a[0], a[1], a[2]);
const unit = (a) => scale(a, 1 / (norm(a) || 1));
const mix = (a, b, s) => a.map((x, k) => x + (b[k] - x) * s);
const cross = (a, b) => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

// A vector square to a, of length one.
function across(a) {
  const least = Math.abs(a[0]) < 0.6 * norm(a) ? [1, 0, 0] : [0, 1, 0];
  return unit(cross(a, least));
}

// The quaternion between two, on the shorter way; straight, then of length one again.
function between(p, q, s) {
  const sign = p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3] < 0 ? -1 : 1;
  const r = p.map((x, k) => x + (sign * q[k] - x) * s);
  const size = Math.hypot(...r) || 1;
  return r.map((x) => x / size);
}

// The columns of the rotation of a unit quaternion.
function columns([w, x, y, z]) {
  return [
    [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)],
    [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)],
    [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)],
  ];
}

const combine = (axes, v) =>
  [0, 1, 2].map((k) => axes[0][k] * v[0] + axes[1][k] * v[1] + axes[2][k] * v[2]);

// A 4x4 matrix that takes the unit axes to three columns, and the origin to a place.
function frame(axes, at) {
  const [a, b, c] = axes;
  return new Float32Array([...a, 0, ...b, 0, ...c, 0, ...at, 1]);
}

const STILL = frame([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [0, 0, 0]);

function product(A, B) {
  const C = new Float32Array(16);
  for (let j = 0; j < 4; j++)
    for (let i = 0; i < 4; i++)
      for (let k = 0; k < 4; k++) C[4 * j + i] += A[4 * k + i] * B[4 * j + k];
  return C;
}

function perspective(angle, aspect, near, far) {
  const f = 1 / Math.tan(angle / 2);
  const P = new Float32Array(16);
  P[0] = f / aspect;
  P[5] = f;
  P[10] = (far + near) / (near - far);
  P[11] = -1;
  P[14] = (2 * far * near) / (near - far);
  return P;
}

function looking(eye, target) {
  const back = unit(sub(eye, target));
  const right = unit(cross([0, 0, 1], back));
  const up = cross(back, right);
  const rows = [right, up, back];
  const V = new Float32Array(16);
  rows.forEach((row, i) => {
    for (let k = 0; k < 3; k++) V[4 * k + i] = row[k];
    V[12 + i] = -dot(row, eye);
  });
  V[15] = 1;
  return { matrix: V, right, up, back };
}

// Where a point of the world is on the screen: [x, y] from -1 to 1, and its depth.
function projected(M, p) {
  const h = [0, 1, 2, 3].map((i) => M[i] * p[0] + M[4 + i] * p[1] + M[8 + i] * p[2] + M[12 + i]);
  return [h[0] / h[3], h[1] / h[3], h[3]];
}

// Numbers that were written as base64 of little-endian bytes.
function numbers(text, Kind) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return new Kind(bytes.buffer);
}

const triple = (array, k) => [array[3 * k], array[3 * k + 1], array[3 * k + 2]];

const colour = (hex) => [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16) / 255);
