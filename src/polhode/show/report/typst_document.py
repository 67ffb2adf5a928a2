"""A report as a document of typst, and as PDF."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from polhode.errors import ShowError
from polhode.output_file import write_file
from polhode.show.report.blocks import Block, Chapter, Figure, Formula, Grid, Words
from polhode.show.report.typst_math import typst_math

DPI = 220  # of drawings
WHOLE = 24  # rows: a table of more is broken over pages
MOODS = {"good": 'rgb("#2f7d55")', "bad": 'rgb("#b3372f")', "note": "luma(90)"}
PREAMBLE = """#set document(title: {title}, author: "Polhode", date: none)
#set page(
  paper: "a4", margin: (x: 22mm, top: 24mm, bottom: 22mm),
  header: context if counter(page).get().first() > 1 [
    #set text(8.5pt, fill: luma(120))
    #grid(columns: (1fr, auto), {title}, [Polhode])
    #v(-7pt) #line(length: 100%, stroke: 0.4pt + luma(200))
  ],
  footer: context [
    #set align(center)
    #set text(8.5pt, fill: luma(120))
    #counter(page).display("1 / 1", both: true)
  ],
)
#set text(font: "Libertinus Serif", size: 10.5pt, fill: rgb("#20242c"), lang: "en")
#set par(justify: true, leading: 0.62em)
#show heading.where(level: 1): it => block(above: 20pt, below: 10pt, sticky: true)[
  #set text(14pt, weight: "semibold", fill: rgb("#2f6f9f"))
  #it.body
]
#show math.equation: set text(10.5pt)
#set figure(gap: 7pt)
#show figure.caption: set text(9pt, fill: luma(90))
#let fitted(body) = layout(size => {{
  let width = measure(body).width
  if width > size.width {{
    scale(x: size.width / width * 100%, y: size.width / width * 100%,
      origin: left, reflow: true, body)
  }} else {{ body }}
}})
#let sheet(whole, columns, sides, ..cells) = block(
  above: 9pt, below: 11pt, breakable: not whole, fitted(table(
  columns: columns, stroke: none, inset: (x: 6pt, y: 3.6pt),
  align: (column, row) => sides.at(column) + horizon,
  fill: (_, row) => if calc.odd(row) {{ rgb("#f5f7f9") }},
  ..cells,
)))
"""


def typst_text(title: str, summary: str, chapters: Sequence[Chapter]) -> str:
    """The source of a report; its pictures are files named by `picture_name`."""
    head = PREAMBLE.format(title=_string(title))
    lines = [
        head,
        f'#text(24pt, weight: "bold", fill: rgb("#20242c"), {_string(title)})',
        f"#v(-6pt)\n#text(10.5pt, fill: luma(90), {_string(summary)})",
        '#v(2pt)\n#line(length: 100%, stroke: 1.2pt + rgb("#2f6f9f"))',
    ]
    for k, chapter in enumerate(chapters):
        lines.append(f"= #{_string(chapter.title)}" if k else "")
        pairs = enumerate(chapter.blocks)
        lines += [_block(each, picture_name(k, n, each)) for n, each in pairs]
    return "\n\n".join(lines) + "\n"


def picture_name(chapter: int, place: int, block: Block) -> str:
    """The file of a picture, beside the source."""
    kind = ".png" if isinstance(block, Figure) and block.is_drawing else ".svg"
    return f"figure-{chapter + 1}-{place + 1}{kind}"


def write_pictures(folder: Path, chapters: Sequence[Chapter]) -> list[Path]:
    """The pictures of all chapters, in a folder."""
    paths = []
    for k, chapter in enumerate(chapters):
        for n, each in enumerate(chapter.blocks):
            if isinstance(each, Figure):
                path = folder / picture_name(k, n, each)
                write_file(path, each.picture.content(path.suffix, DPI))
                paths.append(path)
    return paths


def report_pdf(title: str, summary: str, chapters: Sequence[Chapter]) -> bytes:
    """The report as PDF; the same report has the same bytes."""
    return _compile(typst_text(title, summary, chapters), chapters, "pdf")


def require_typst() -> Any:
    """The package that sets PDF, or where to get it."""
    try:
        import typst
    except ImportError as reason:
        raise ShowError(
            "a report cannot be written as PDF here.",
            "Its pages are set by typst, which is not installed.",
            "Run: pip install 'polhode[pdf]'; or end the name in .html or .md.",
        ) from reason
    return typst


def _compile(text: str, chapters: Sequence[Chapter], kind: str) -> Any:
    typst = require_typst()
    with tempfile.TemporaryDirectory(prefix="polhode-report-") as name:
        folder = Path(name)
        write_pictures(folder, chapters)
        source = folder / "report.typ"
        write_file(source, text)
        # Fonts of the package alone: the same pages on every machine.
        given = {"root": str(folder), "ignore_system_fonts": True, "timestamp": 0}
        return typst.compile(str(source), format=kind, **given)


def _block(block: Block, name: str) -> str:
    if isinstance(block, Words):
        tint = MOODS.get(block.mood)
        body = f"#{_string(block.text)}"
        return f"#text(9.5pt, fill: {tint})[{body}]" if tint else body
    if isinstance(block, Formula):
        return f"#fitted($ {typst_math(block.latex)} $)"
    if isinstance(block, Figure):
        width = "100%" if block.is_drawing else "88%"
        caption = f"caption: [#{_string(block.caption)}]"
        return f"#figure(image({_string(name)}, width: {width}), {caption})"
    return _grid(block)


def _grid(grid: Grid) -> str:
    count = max([len(grid.heads), *(len(line) for line in grid.lines)], default=1)
    bold = [f'text(weight: "semibold", {_string(str(word))})' for word in grid.heads]
    head = [f"table.header({', '.join(bold)})", "table.hline(stroke: 0.7pt)"]
    cells = [_string(str(cell)) for line in grid.lines for cell in line]
    last = "auto" if grid.heads else "1fr"
    columns = ", ".join(["auto"] * (count - 1) + [last])
    sides = ", ".join("right" if each else "left" for each in grid.numeric)
    whole = "true" if len(grid.lines) <= WHOLE else "false"
    parts = [
        whole,
        f"({columns},)",
        f"({sides},)",
        *(head if grid.heads else []),
        *cells,
    ]
    return f"#sheet({', '.join(parts)})"


def _string(text: str) -> str:
    """Text that stays text, whatever signs it has."""
    safe = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{safe}"'
