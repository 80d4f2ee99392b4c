"""Reads pickled objects. Schedules, plans and tables are judged again."""

from typing import Any

from . import _pavane


def restore(kind: str, *state: Any) -> Any:
    """The object of a class of this package from what its `__reduce__` gave."""
    return getattr(_pavane, kind)._restore(*state)
