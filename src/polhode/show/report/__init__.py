"""Reports of a motion for paper: PDF by typst, Markdown, and the same parts in HTML."""
