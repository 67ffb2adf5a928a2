"""The tree of an imported robot: one root, one parent a link, and no cycle."""

from __future__ import annotations

from collections.abc import Sequence

from polhode.errors import ModelError


def require_tree(who: str, links: Sequence[str], joints: Sequence[tuple]) -> str:
    """The root of a tree of (parent, child); two parents and cycles are refused.

    >>> require_tree("arm", ["a", "b"], [("a", "b")])
    'a'
    """
    parents: dict[str, str] = {}
    for parent, child in joints:
        if child in parents:
            raise ModelError(
                f"{who!r} is no tree: link {child!r} has two parents,"
                f" {parents[child]!r} and {parent!r}.",
                "A file of this kind places each link by one joint.",
                "Take one joint out, and close the loop in Python: a joint that closes"
                " a loop becomes a constraint there.",
            )
        parents[child] = parent
    sound: set[str] = set()  # links whose way upwards was gone already
    for link in links:
        _require_no_cycle(who, link, parents, sound)
    roots = [link for link in links if link not in parents]
    if len(roots) > 1:
        raise ModelError(
            f"{who!r} has {len(roots)} roots: {', '.join(map(repr, roots))}.",
            "Only one link is held by the world; the others would fly off.",
            "Join them by a joint, or load them as robots of their own.",
        )
    return roots[0]


def _require_no_cycle(
    who: str, link: str, parents: dict[str, str], sound: set[str]
) -> None:
    path, gone = [link], {link}
    while path[-1] in parents and path[-1] not in sound:
        above = parents[path[-1]]
        if above in gone:
            cycle = [above, *reversed(path[path.index(above) :])]
            raise ModelError(
                f"{who!r} is no tree: {' -> '.join(map(repr, cycle))} is a cycle"
                " with no path to the world.",
                "Each of these links is placed by the one before it, and none by the"
                " world.",
                "Take one joint of the cycle out, and join one link to the root.",
            )
        path.append(above)
        gone.add(above)
    sound |= gone
