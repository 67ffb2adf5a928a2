// The painter: lit triangles, lines of a width in pixels, shadows on the ground.

const SOLID_VERTEX = `#version 300 es
uniform mat4 camera, place;
in vec3 position, normal;
out vec3 at, facing;
void main() {
  vec4 world = place * vec4(position, 1.0);
  at = world.xyz;
  facing = mat3(place) * normal;
  gl_Position = camera * world;
}`;

const SOLID_FRAGMENT = `#version 300 es
precision highp float;
uniform vec3 eye, light, tint;
uniform float opacity, gloss;
in vec3 at, facing;
out vec4 result;
void main() {
  vec3 n = normalize(facing), v = normalize(eye - at);
  if (dot(n, v) < 0.0) n = -n;
  float key = max(dot(n, light), 0.0);
  float fill = max(dot(n, normalize(vec3(-light.xy, 0.35))), 0.0);
  float sky = 0.5 + 0.5 * n.z;
  vec3 ambient = mix(vec3(0.62, 0.60, 0.60), vec3(0.74, 0.76, 0.80), sky);
  vec3 lit = tint * (ambient + 0.46 * key * vec3(1.0, 0.97, 0.92) + 0.10 * fill);
  float shine = pow(max(dot(n, normalize(light + v)), 0.0), 48.0);
  float rim = pow(1.0 - max(dot(n, v), 0.0), 4.0);
  lit += gloss * (0.32 * shine + 0.10 * rim);
  result = vec4(lit * opacity, opacity);
}`;

const FLAT_FRAGMENT = `#version 300 es
precision highp float;
uniform vec3 tint;
uniform float opacity;
in vec3 at, facing;
out vec4 result;
void main() { result = vec4(tint * opacity, opacity); }`;

// One segment a drawn instance: four corners, half a width to each side of it.
const LINE_VERTEX = `#version 300 es
uniform mat4 camera, place;
uniform vec2 pixels;
uniform float width, first, count;
uniform bool fades;
in vec3 from, to;
out float strength;
void main() {
  float end = float(gl_VertexID / 2), side = float(gl_VertexID % 2) * 2.0 - 1.0;
  vec4 a = camera * place * vec4(from, 1.0), b = camera * place * vec4(to, 1.0);
  vec4 here = end < 0.5 ? a : b;
  vec2 along = (b.xy / b.w - a.xy / a.w) * pixels;
  vec2 square = length(along) > 1e-6 ? normalize(vec2(-along.y, along.x)) : vec2(0.0);
  here.xy += square * side * width / pixels * here.w;
  float share = (float(gl_InstanceID) + end) / max(count, 1.0);
  strength = fades ? share * share : 1.0;
  gl_Position = here;
}`;

const LINE_FRAGMENT = `#version 300 es
precision highp float;
uniform vec3 tint;
uniform float opacity;
in float strength;
out vec4 result;
void main() { result = vec4(tint, 1.0) * opacity * strength; }`;

function program(gl, vertex, fragment) {
  const made = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS))
      throw new Error(gl.getShaderInfoLog(shader));
    gl.attachShader(made, shader);
  }
  ["position", "normal", "from", "to"].forEach((name, k) => gl.bindAttribLocation(made, k, name));
  gl.linkProgram(made);
  if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(made));
  const names = new Map();
  const uniform = (name) => {
    if (!names.has(name)) names.set(name, gl.getUniformLocation(made, name));
    return names.get(name);
  };
  return { made, uniform };
}

class Painter {
  constructor(canvas) {
    const gl = canvas.getContext("webgl2", { antialias: true, stencil: true });
    if (!gl) throw new Error("This browser has no WebGL 2.");
    this.gl = gl;
    this.canvas = canvas;
    this.solid = program(gl, SOLID_VERTEX, SOLID_FRAGMENT);
    this.flat = program(gl, SOLID_VERTEX, FLAT_FRAGMENT);
    this.lines = program(gl, LINE_VERTEX, LINE_FRAGMENT);
    this.light = unit([0.45, -0.55, 1.15]);
    this.loose = gl.createBuffer();
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  mesh({ positions, normals }) {
    const gl = this.gl;
    const object = gl.createVertexArray();
    gl.bindVertexArray(object);
    [positions, normals].forEach((array, k) => {
      gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
      gl.bufferData(gl.ARRAY_BUFFER, array, gl.STATIC_DRAW);
      gl.enableVertexAttribArray(k);
      gl.vertexAttribPointer(k, 3, gl.FLOAT, false, 0, 0);
    });
    gl.bindVertexArray(null);
    return { object, count: positions.length / 3, positions };
  }

  line(points) {
    const gl = this.gl;
    const buffer = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, points, gl.STATIC_DRAW);
    return { buffer, count: points.length / 3 };
  }

  begin(view, eye) {
    const gl = this.gl;
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    const [w, h] = [this.canvas.clientWidth, this.canvas.clientHeight].map((x) =>
      Math.max(1, Math.round(x * ratio)));
    if (this.canvas.width !== w || this.canvas.height !== h) {
      this.canvas.width = w;
      this.canvas.height = h;
    }
    this.ratio = ratio;
    this.view = view;
    this.eye = eye;
    gl.viewport(0, 0, w, h);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
  }

  use(which, tint, opacity) {
    const gl = this.gl;
    gl.useProgram(which.made);
    gl.uniformMatrix4fv(which.uniform("camera"), false, this.view);
    gl.uniform3fv(which.uniform("tint"), tint);
    gl.uniform1f(which.uniform("opacity"), opacity);
  }

  paint(mesh, place, tint, opacity = 1, gloss = 1) {
    const gl = this.gl;
    if (opacity < 1) gl.enable(gl.CULL_FACE); // what is behind glass is seen once
    this.use(this.solid, tint, opacity);
    gl.uniform3fv(this.solid.uniform("eye"), this.eye);
    gl.uniform3fv(this.solid.uniform("light"), this.light);
    gl.uniform1f(this.solid.uniform("gloss"), gloss);
    gl.uniformMatrix4fv(this.solid.uniform("place"), false, place);
    gl.depthMask(opacity === 1);
    gl.bindVertexArray(mesh.object);
    gl.drawArrays(gl.TRIANGLES, 0, mesh.count);
    gl.depthMask(true);
    gl.disable(gl.CULL_FACE);
  }

  // The mesh pressed flat on the ground along the light; each pixel darkens once.
  shade(mesh, place, floor, opacity) {
    const gl = this.gl;
    const [x, y, z] = this.light;
    const press = new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, -x / z, -y / z, 0, 0,
      (x / z) * floor, (y / z) * floor, floor, 1]);
    this.use(this.flat, [0.10, 0.12, 0.18], opacity);
    gl.uniformMatrix4fv(this.flat.uniform("place"), false, product(press, place));
    gl.enable(gl.STENCIL_TEST);
    gl.stencilFunc(gl.EQUAL, 0, 255);
    gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR);
    gl.depthMask(false);
    gl.bindVertexArray(mesh.object);
    gl.drawArrays(gl.TRIANGLES, 0, mesh.count);
    gl.depthMask(true);
    gl.disable(gl.STENCIL_TEST);
  }

  // Segments first .. last of a line; `fades` towards its beginning.
  stroke(line, place, tint, { width = 2, opacity = 1, first = 0, last = line.count - 1, fades = false } = {}) {
    const gl = this.gl;
    if (last <= first) return;
    this.use(this.lines, tint, opacity);
    gl.uniformMatrix4fv(this.lines.uniform("place"), false, place);
    gl.uniform2f(this.lines.uniform("pixels"), this.canvas.width, this.canvas.height);
    gl.uniform1f(this.lines.uniform("width"), width * this.ratio);
    gl.uniform1f(this.lines.uniform("count"), last - first);
    gl.uniform1i(this.lines.uniform("fades"), fades ? 1 : 0);
    gl.bindVertexArray(null);
    gl.bindBuffer(gl.ARRAY_BUFFER, line.buffer);
    [2, 3].forEach((k) => {
      gl.enableVertexAttribArray(k);
      gl.vertexAttribPointer(k, 3, gl.FLOAT, false, 12, 12 * (first + k - 2));
      gl.vertexAttribDivisor(k, 1);
    });
    gl.depthMask(false);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, last - first);
    gl.depthMask(true);
    [2, 3].forEach((k) => {
      gl.vertexAttribDivisor(k, 0);
      gl.disableVertexAttribArray(k);
    });
  }

  // A line that is drawn once.
  sketch(points, tint, options) {
    const gl = this.gl;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.loose);
    gl.bufferData(gl.ARRAY_BUFFER, points, gl.DYNAMIC_DRAW);
    this.stroke({ buffer: this.loose, count: points.length / 3 }, STILL, tint, options);
  }
}
