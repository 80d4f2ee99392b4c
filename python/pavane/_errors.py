"""The exceptions of Pavane."""

from typing import Any, Optional


class PavaneError(Exception):
    """The base of all errors of Pavane."""


class InputError(PavaneError, ValueError):
    """A bad argument or file; the text names the value and what to try."""


class Unsolved(PavaneError):
    """No schedule was found within the limits or with the requested number of steps. `status` is "not found"."""

    status = "not found"


class Impossible(Unsolved):
    """It is proved that there is no such schedule; the text says why. `status` is "impossible"."""

    status = "impossible"


class InternalError(PavaneError, RuntimeError):
    """A bug in Pavane, such as a result that the judge rejects."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended a search; `best` is the best result so far, or None."""

    def __init__(self, best: Optional[Any] = None) -> None:
        found = "nothing was found yet" if best is None else f"best so far: {best!r}"
        super().__init__(f"the search was interrupted; {found}")
        self.best = best

    def __reduce__(self) -> Any:
        return type(self), (self.best,)


for _error in (PavaneError, InputError, Unsolved, Impossible, InternalError, Interrupted):
    _error.__module__ = "pavane"
