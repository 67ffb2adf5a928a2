// Fingers, mouse and keys: what moves the camera, and what moves the time.

const NEAREST = 0.05, FARTHEST = 20; // of the scene: where the camera may stand

// Dragging turns; with shift, the right button or two fingers it shifts; the wheel,
// or two fingers that part, come nearer.
function handling(stage, page) {
  const canvas = stage.canvas;
  const held = new Map();
  let moved = 0;
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    held.set(event.pointerId, [event.clientX, event.clientY, event.shiftKey || event.button === 2]);
    if (held.size === 1) moved = 0;
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = held.get(event.pointerId);
    if (!before) return;
    const [dx, dy] = [event.clientX - before[0], event.clientY - before[1]];
    moved += Math.abs(dx) + Math.abs(dy);
    const apart = spread(held);
    [before[0], before[1]] = [event.clientX, event.clientY];
    if (held.size > 1) {
      zoom(stage, apart / (spread(held) || 1));
      shift(stage, dx / held.size, dy / held.size);
    } else if (before[2]) shift(stage, dx, dy);
    else turn(stage, dx, dy);
    page.touched = page.stale = true;
  });
  const released = (event) => {
    const box = canvas.getBoundingClientRect();
    if (event.type === "pointerup" && held.size === 1 && moved < 4)
      page.choose(stage, stage.pick(event.clientX - box.left, event.clientY - box.top));
    held.delete(event.pointerId);
  };
  canvas.addEventListener("pointerup", released);
  canvas.addEventListener("pointercancel", released);
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(stage, Math.exp(Math.sign(event.deltaY) * 0.12));
    page.touched = page.stale = true;
  }, { passive: false });
}

// How far two fingers are apart; 0 of one.
function spread(held) {
  const [a, b] = [...held.values()];
  return b ? Math.hypot(a[0] - b[0], a[1] - b[1]) : 0;
}

function turn(stage, dx, dy) {
  const camera = stage.camera;
  camera.azimuth -= dx * 0.008;
  camera.rise = Math.min(1.5, Math.max(-1.5, camera.rise + dy * 0.008));
}

function shift(stage, dx, dy) {
  const camera = stage.camera;
  const step = (camera.distance / stage.canvas.clientHeight) * 0.64;
  const { right, up } = stage.sight;
  camera.target = add(camera.target, add(scale(right, -dx * step), scale(up, dy * step)));
}

function zoom(stage, factor) {
  const far = stage.camera.distance * factor;
  stage.camera.distance = Math.min(FARTHEST * stage.size, Math.max(NEAREST * stage.size, far));
}

const KEYS = [
  ["space", "play, pause"], ["← →", "a step back, on"], ["↑ ↓", "faster, slower"],
  ["home, end", "first time, last time"], ["+ −", "nearer, farther"],
  ["0", "first view"], ["d", "light, dark"], ["?", "these keys"],
];

// What a key does; true if it did something.
function pressed(key, page) {
  const step = (page.ends[1] - page.ends[0]) / 100;
  const acts = {
    " ": () => page.run(!page.running),
    ArrowRight: () => page.seek(page.t + step),
    ArrowLeft: () => page.seek(page.t - step),
    ArrowUp: () => page.pace(1),
    ArrowDown: () => page.pace(-1),
    Home: () => page.seek(page.ends[0]),
    End: () => page.seek(page.ends[1]),
    "+": () => page.zoom(1 / 1.15),
    "=": () => page.zoom(1 / 1.15),
    "-": () => page.zoom(1.15),
    0: () => page.home(),
    d: () => page.theme.turn(),
    "?": () => (byId("keys").hidden = !byId("keys").hidden),
    Escape: () => (byId("keys").hidden = true),
  };
  if (!acts[key]) return false;
  acts[key]();
  return true;
}

function keyboard(page) {
  const list = byId("keys");
  for (const [key, words] of KEYS) {
    const [dt, dd] = ["dt", "dd"].map((name) => document.createElement(name));
    [dt.textContent, dd.textContent] = [key, words];
    list.append(dt, dd);
  }
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    // A box, a list or the slider in focus has keys of its own.
    const { tagName, type } = event.target;
    const own = { SELECT: /Arrow|Home|End| /, BUTTON: / /, INPUT: type === "range" ? /Arrow|Home|End/ : / / }[tagName];
    if (own && own.test(event.key)) return;
    if (pressed(event.key, page)) event.preventDefault();
  });
}
