"""How sphinx builds the pages: nothing is fetched, mathematics is MathML."""

from __future__ import annotations

import html
from typing import Any

from polhode.show.page.mathml import as_written

project = "Polhode"
copyright = "the Polhode authors"  # sphinx reads this name
extensions = ["myst_parser"]
myst_enable_extensions = ["dollarmath", "amsmath", "deflist", "colon_fence"]
myst_heading_anchors = 3
html_theme = "furo"
html_title = "Polhode"
html_show_sphinx = False
html_math_renderer = "mathml"
html_static_path = ["static"]
html_css_files = ["polhode.css"]
exclude_patterns = ["build.py"]
pygments_style = "friendly"
suppress_warnings = ["misc.highlighting_failure"]


def inline(writer: Any, node: Any) -> None:
    """A formula in a line."""
    writer.body.append(as_written(node.astext(), "inline"))
    raise _skip()


def block(writer: Any, node: Any) -> None:
    """A formula on lines of its own."""
    label = html.escape(node.get("label") or "")
    style = "margin:0.2em 0;padding:0.3em 0;overflow-x:auto;overflow-y:hidden"
    inside = as_written(node.astext(), "block")
    writer.body.append(f'<div id="{label}" style="{style}">{inside}</div>')
    raise _skip()


def _skip() -> Exception:
    from docutils.nodes import SkipNode

    return SkipNode()


def setup(app: Any) -> None:
    """Teach sphinx to write formulas without a script."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
