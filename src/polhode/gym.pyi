# Written by tests/support/stubs.py from the table of public names.
from polhode.control.gym_environment import Env as Env
from polhode.control.gym_environment import VectorEnv as VectorEnv
from polhode.control.task import Task as Task

HOMES: dict[str, str]
