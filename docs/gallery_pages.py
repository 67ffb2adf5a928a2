"""A page for each model of the gallery: picture, surprise, sketch, equations, code."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path

import polhode as ph
from polhode.models import GALLERY, inputs, line, start, surprise
from polhode.show.page.equation_lines import equation_text
from polhode.show.page.mathml import with_words

# Seconds worth seeing; others are seen for 3 s.
SPANS = {
    "belt_oscillator": 12.0,
    "incline": 0.6,
    "ladder": 0.9,
    "rimless_wheel": 5.0,
    "cradle": 1.4,
    "bicycle": 2.0,
    "car": 1.0,
    "single_track": 0.8,
    "chain_pendulum": 1.2,
    "chaplygin_sleigh": 4.0,
    "deep_space_triangle": 400.0,
    "dumbbell_satellite": 6000.0,
    "ellipsoid_in_fluid": 20.0,
    "gyroscope": 2.0,
    "heavy_top": 1.0,
    "humanoid": 2.0,
    "leader_follower": 3000.0,
    "offset_craft": 30.0,
    "quadruped": 0.7,
    "rattleback": 5.0,
    "rolling_disc": 3.0,
    "satellite": 6000.0,
    "sleeping_top": 5.0,
    "tennis_racket": 8.0,
    "tethered_pair": 40.0,
    "tunnel": 6.0,
    "two_body": 6.0,
}


# Curves beside the picture: quantities by name, or a body as an observer sees it.
CURVES = {
    "deep_space_triangle": ("A.position", "B.position", "C.position"),
    "leader_follower": ("follower", ph.space.LocalFrame("leader")),
    "offset_craft": ("craft.position", "craft.angular_velocity"),
}


def write_gallery(folder: Path, wanted: list[str] | None = None) -> None:
    """Write index.md, a page and a picture a model."""
    folder.mkdir(parents=True, exist_ok=True)
    names = wanted or list(GALLERY)
    for name in names:
        print(f"gallery: {name}", file=sys.stderr, flush=True)
        (folder / f"{name}.md").write_text(page(name, folder), encoding="utf-8")
    listed = "\n".join(names)
    cards = "\n\n".join(
        f"[![]({name}.png){GALLERY[name]().name}]({name}.md)" for name in names
    )
    text = (
        "# Gallery\n\nEach model is one short file of `polhode.models`, written with"
        " public names only: its page has a picture, its equations and a fact that"
        " surprises. `polhode report NAME` makes a page that moves.\n\n"
        f"````{{container}} gallery\n{cards}\n````\n\n"
        f"```{{toctree}}\n:hidden:\n\n{listed}\n```\n"
    )
    (folder / "index.md").write_text(text, encoding="utf-8")


def page(name: str, folder: Path) -> str:
    """The page of one model; its picture is written beside it."""
    state = start(name)
    driven = inputs(state.system, name)
    until = SPANS.get(name, 3.0)
    motion = ph.simulate(state.system, state, until=until, inputs=driven)
    motion.picture().save(folder / f"{name}.png", dpi=110)
    curves = drawn_curves(name, motion, folder)
    head, sketch, fact = told(name)
    laws = f"inputs = ph.models.inputs(state.system, {name!r})\n" if driven else ""
    by = ", inputs=inputs" if driven else ""
    parts = [
        f"# {state.system.name}",
        head,
        f"![{name}, drawn at five times]({name}.png)",
        curves,
        f"**{fact}**" if fact else "",
        f"````text\n{sketch}\n````" if sketch else "",
        equations(state.system),
        "## In code",
        f"```python\nimport polhode as ph\n\nstate = ph.models.start({name!r})\n"
        f"{laws}motion = ph.simulate(state.system, state, until={motion.t[-1]:g}{by})\n"
        "motion.picture()\n```",
        f"```{{admonition}} The model\n{line(name)}\n```",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def drawn_curves(name: str, motion: ph.results.Trajectory, folder: Path) -> str:
    """The curves of a model, written beside its page; "" where it has none."""
    if name not in CURVES:
        return ""
    place, (first, *rest) = folder / f"{name}_curves.png", CURVES[name]
    if rest and not isinstance(rest[0], str):
        seen_curves(motion[first].seen_from(rest[0]), place)
        return f"![{first} as {rest[0]!r} sees it, over time]({place.name})"
    motion.plot(first, *rest).save(place, dpi=110)
    return f"![{', '.join(CURVES[name])} over time]({place.name})"


def seen_curves(seen: ph.results.SeenMotion, place: Path) -> None:
    """Write the position and the velocity that an observer sees, over time."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 3.2), layout="constrained")
    panels = figure.subplots(1, 2)
    for panel, word, unit in zip(
        panels, ("position", "velocity"), ("m", "m/s"), strict=True
    ):
        for axis, values in zip("xyz", getattr(seen, word).T, strict=True):
            panel.plot(seen.motion.t, values, label=axis)
        panel.set_xlabel("t (s)")
        panel.set_ylabel(f"{word} ({unit})")
        panel.legend(frameon=False)
    figure.savefig(place, dpi=110)


def told(name: str) -> tuple[str, str, str]:
    """Of the docstring of a model's file: first line, sketch; and the surprise."""
    module = inspect.getmodule(GALLERY[name])
    text = inspect.getdoc(module) or ""
    head, _, rest = text.partition("\n\n")
    sketch, _, _ = rest.partition("Surprise: ")
    words = surprise(name)
    return head, sketch.strip("\n"), words[:1].upper() + words[1:]


def equations(system: ph.System) -> str:
    """The closed form where it is short; else energies and the laws of the bodies."""
    formulas, words = equation_text(system)
    lines = "\n\n".join(f"$$\n{with_words(each)}\n$$" for each in formulas)
    return f"## Equations\n\n{lines}\n\n{words}"
