"""Systems as environments of Gymnasium: `ph.gym.VectorEnv(task, 4096)`."""

from polhode.public.lazy import lazy_names

# Public name -> the module that defines it; loaded on first use.
HOMES = {
    "Task": "polhode.control.task",
    "Env": "polhode.control.gym_environment",
    "VectorEnv": "polhode.control.gym_environment",
}

__all__ = [*HOMES]
__getattr__, __dir__ = lazy_names(__name__, HOMES)
