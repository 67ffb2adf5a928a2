"""Pictures over frequency: Bode's, Nyquist's and Campbell's diagrams."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.show.plots.answers import finish, panels_of
from polhode.show.plots.palette import FAINT, INK, colour
from polhode.show.plots.picture import Picture

if TYPE_CHECKING:
    from polhode.analyse.linear.campbell import Campbell
    from polhode.analyse.linear.feedback_margins import FeedbackMargins
    from polhode.analyse.linear.state_space import Response

WIDEST = 12.0  # of |L| in Nyquist's plane: peaks of resonance go out of the picture
STYLES = {1: "-", -1: "--", 0: "-"}  # of whirl


def response_picture(response: Response) -> Picture:
    """Gain and phase over frequency, a line for each output and input."""
    figure, (gain, phase) = panels_of(2, 2.4)
    for n, (o, k) in enumerate(_pairs(response)):
        value = response.of(o, k)
        style = {"color": colour(n), "linewidth": 1.6, "label": f"{o} by {k}"}
        gain.loglog(response.frequencies, np.abs(value), **style)
        turned = np.degrees(np.unwrap(np.angle(value)))
        phase.semilogx(response.frequencies, turned, **style)
    gain.set_ylabel("gain")
    phase.set_ylabel("phase  [deg]")
    phase.set_xlabel("angular frequency  [rad/s]")
    _quarters(phase)
    return finish(figure, gain, "frequency response")


def nyquist_picture(response: Response) -> Picture:
    """H(i W) for W > 0, solid, and W < 0, faint; the point -1 and the unit circle."""
    figure, (axes,) = panels_of(1, 5.2)
    turn = np.linspace(0, 2 * np.pi, 200)
    axes.plot(np.cos(turn), np.sin(turn), color=FAINT, linewidth=0.8, linestyle=":")
    axes.axhline(0.0, color=FAINT, linewidth=0.8)
    axes.axvline(0.0, color=FAINT, linewidth=0.8)
    for n, (o, k) in enumerate(_pairs(response)):
        H, style = response.of(o, k), {"color": colour(n), "linewidth": 1.6}
        axes.plot(H.real, H.imag, label=f"{o} by {k}", **style)
        axes.plot(H.real, -H.imag, alpha=0.35, **style)
        _arrow(axes, H, colour(n))
    axes.plot(-1, 0, "+", color=INK, ms=12, mew=2, label="−1")
    largest = max(1.2, float(np.max(np.abs(response.values), initial=0.0)))
    reach = 1.08 * min(largest, WIDEST)
    axes.set_xlim(-reach, reach)
    axes.set_ylim(-reach, reach)
    axes.set_aspect("equal")
    axes.set_xlabel("real part")
    axes.set_ylabel("imaginary part")
    return finish(figure, axes, "Nyquist's diagram")


def campbell_picture(found: Campbell) -> Picture:
    """Frequencies over speed, lines of order through zero, and critical speeds."""
    figure, (axes,) = panels_of(1, 4.4)
    for k, branch in enumerate(found.frequencies.T):
        turns = found.whirl[:, k]
        whirl = int(np.sign(np.sum(turns)))
        word = {1: ", forward", -1: ", backward", 0: ""}[whirl]
        style = {"color": colour(k), "linewidth": 1.8, "linestyle": STYLES[whirl]}
        axes.plot(found.speeds, branch, label=f"mode {k + 1}{word}", **style)
    top = 1.08 * float(np.max(found.frequencies))
    for order in found.orders:
        line = order * np.abs(found.speeds)
        axes.plot(found.speeds, line, color=FAINT, linewidth=1.0)
        end = min(float(found.speeds[-1]), 0.97 * top / order if order else np.inf)
        words = {"fontsize": 8, "color": FAINT, "ha": "right", "va": "bottom"}
        axes.annotate(f"{order:g}×  ", (end, order * end), **words)
    for critical in found.criticals:
        at = (abs(critical.speed), critical.frequency)
        axes.plot(*at, "o", color=INK, ms=6, mfc="none", mew=1.5)
        words = {"fontsize": 8, "xytext": (6, -11), "textcoords": "offset points"}
        axes.annotate(f"{abs(critical.speed):.4g}", at, color=INK, **words)
    axes.set_ylim(0.0, top)
    axes.set_xlim(float(found.speeds[0]), float(found.speeds[-1]))
    axes.set_xlabel(f"speed of {found.spin}  [rad/s]")
    axes.set_ylabel("frequency  [rad/s]")
    return finish(figure, axes, f"Campbell's diagram of {found.system.name}")


def margins_picture(found: FeedbackMargins) -> Picture:
    """Gain margins in decibels and phase margins in degrees, over frequency."""
    figure, (gain, phase) = panels_of(2, 1.9)
    rows = (found.gains[:, 0], 20 * np.log10(found.gains[:, 1]))
    gain.stem(*rows, basefmt=" ", linefmt=colour(0)) if len(found.gains) else None
    rows = (found.phases[:, 0], np.degrees(found.phases[:, 1]))
    phase.stem(*rows, basefmt=" ", linefmt=colour(1)) if len(found.phases) else None
    for axes in (gain, phase):
        axes.axhline(0.0, color=FAINT, linewidth=1.0)
    gain.set_ylabel("gain margin  [dB]")
    phase.set_ylabel("phase margin  [deg]")
    phase.set_xlabel("angular frequency  [rad/s]")
    word = "stable" if found.is_stable else "unstable"
    return finish(figure, gain, f"{found.output} back to {found.input}: {word}")


def _pairs(response: Response) -> list[tuple[str, str]]:
    return [(o, k) for o in response.outputs for k in response.inputs]


def _quarters(axes: Any) -> None:
    from matplotlib.ticker import MultipleLocator

    low, high = axes.get_ylim()
    if high - low > 60:
        axes.yaxis.set_major_locator(MultipleLocator(45 if high - low < 400 else 90))


def _arrow(axes: Any, H: np.ndarray, tint: str) -> None:
    """The way of growing frequency, where the curve is widest in sight."""
    inside = np.flatnonzero(np.abs(H) < WIDEST)
    if len(inside) < 3:
        return
    k = int(np.clip(inside[np.argmax(np.abs(H[inside]))], 1, len(H) - 2))
    style = {"arrowstyle": "-|>", "color": tint, "mutation_scale": 16}
    ends = [(H[k + s].real, H[k + s].imag) for s in (1, -1)]
    drawn = axes.annotate("", xy=ends[0], xytext=ends[1], arrowprops=style)
    drawn.arrow_patch.set_clip_on(True)
    drawn.arrow_patch.set_clip_box(axes.bbox)
