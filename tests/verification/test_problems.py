"""Every problem of the manual reaches the digits that it states."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from polhode.verification import PROBLEMS, Answer, Problem, Result, Source, verified
from polhode.verification.problem import FORMULA, PRINTED
from polhode.verification.register import sources

# A fraction of a second each, from every chapter; the others are in the long suite.
QUICK = (
    *("double_pendulum", "centre_of_oscillation", "spin_about_principal_axes"),
    *("moments_of_inertia", "suslov_problem", "elements_to_state", "euler_line"),
    *("equations_of_the_sleigh", "linear_molecule", "zieglers_column"),
    *("atwood_machine", "two_link_manipulator", "two_hanging_rods", "epicyclic_train"),
    *("bar_with_a_cut_string", "bennett_linkage", "roll_and_yaw_libration"),
    *("block_that_tips", "ball_with_spin_bounces", "rod_strikes_the_floor"),
    *("cube_trips_over_a_ledge", "rod_strikes_a_peg", "watts_curve"),
)
EVERY = [
    pytest.param(name, marks=() if name in QUICK else pytest.mark.long)
    for name in PROBLEMS
]


@pytest.mark.parametrize("name", EVERY)
def test_a_problem_reaches_its_digits(name):
    """Printed answers and ours agree as far as the problem says."""
    result = verified(PROBLEMS[name])
    told = [(a.what, a.expected, a.found, a.digits) for a in result.answers]
    assert result.is_reached, result.failure or told


@pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)
def test_a_problem_is_stated(problem):
    """It has a title, a statement, a source with a place, code and a basis."""
    assert problem.title
    assert len(problem.statement.split()) > 12
    assert problem.basis in (PRINTED, FORMULA)
    assert problem.place
    assert problem.digits >= 2
    assert f"def {problem.name}() -> Sequence[Answer]:" in problem.code
    assert problem.statement.splitlines()[0] not in problem.code


def test_there_are_many_sources():
    """Publications are counted once, and each has its year."""
    found = sources()
    assert len(found) == len(set(found)) >= 25
    assert len(PROBLEMS) >= 60
    assert all(1600 < source.year < 2030 for source in found)


def test_the_readme_counts_them():
    """Its number of problems and of publications is that of the manual."""
    readme = Path(__file__).parents[2] / "README.md"
    counted = f"{len(PROBLEMS)} problems of others from {len(sources())} sources"
    assert counted in readme.read_text(encoding="utf-8")


def test_digits_are_those_of_the_worst_number():
    """-log10 of the largest miss over the largest expected number."""
    answer = Answer("x", np.array([100.0, 1.0]), np.array([100.0, 1.01]))
    assert answer.digits == 4.0
    assert answer.worst_pair == (1.0, 1.01)
    assert Answer("x", 2.0, 2.0).digits == 16.0
    assert Answer("x", 0.0, 1e-3).digits == 3.0
    assert Answer("x", 0.0, 1e-3, size=100.0).digits == 5.0
    with pytest.raises(ValueError, match="shape"):
        print(Answer("x", np.zeros(2), np.zeros(3)).digits)


@pytest.mark.parametrize("found", [np.nan, np.inf, [1.0, np.nan]])
def test_what_is_no_number_agrees_in_no_digit(found):
    """NaN never passes for an answer."""
    assert Answer("x", np.ones(np.shape(found)), np.array(found)).digits == 0.0


def test_one_answer_too_far_off_fails_the_problem():
    """The least of all digits counts, and it must reach what is stated."""
    answers = (Answer("a", 1.0, 1.0), Answer("b", 1.0, 1.0 + 1e-5))
    for stated, is_reached in ((4.9, True), (5.1, False)):
        source = Source("A", "B", 1900)
        problem = Problem("p", source, "1", stated, PRINTED, lambda: answers)
        result = Result(problem, answers, 0.1)
        assert result.digits == 5.0
        assert result.is_reached is is_reached


def test_code_of_a_page_has_what_its_model_needs():
    """Helpers and constants of the chapter come before it; it runs as it stands."""
    code = PROBLEMS["elements_to_state"].code
    assert "about_a_fixed_centre" not in code
    code = PROBLEMS["squeezer_at_the_start"].code
    order = [code.index(word) for word in ("MASSES =", "def meeting(", "def squeezer(")]
    assert order == sorted(order)
    assert code.index("def squeezer_at_the_start()") > order[-1]
    assert "squeezer_after_30_ms" not in code


def test_a_problem_that_is_refused_fails_and_others_go_on():
    """Its message is kept; it has no digits."""
    import polhode as ph

    def refused():
        return [Answer("mass", 1.0, ph.Particle("bob", -1.0))]

    problem = Problem("p", Source("A", "B", 1900), "1", 3, PRINTED, refused)
    result = verified(problem)
    assert not result.is_reached
    assert result.digits == 0.0
    assert "'bob' cannot have mass -1 kg" in result.failure
