"""Integration methods, one a file: `ph.methods.DormandPrince(rtol=1e-9)`."""

from typing import Any

from polhode.integrate.methods.registry import METHODS, WRAPPERS, known_method

__all__ = [*METHODS, *WRAPPERS]


def __getattr__(name: str) -> Any:
    found = known_method(name)
    if found is None:
        from difflib import get_close_matches

        close = get_close_matches(name, __all__, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise AttributeError(f"ph.methods has no method {name!r}{hint}")
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
