"""The verification manual: problems of others, their printed answers, and ours.

A problem is a function of a module of `problems`, written as users write; its docstring
is the statement. `polhode verify` runs them, and the documentation has a page for each.
"""

from polhode.verification.problem import Answer, Problem, Result, Source, verified
from polhode.verification.register import PROBLEMS

__all__ = ["PROBLEMS", "Answer", "Problem", "Result", "Source", "verified"]
