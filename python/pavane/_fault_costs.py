"""The result of `Problem.faults`."""

from importlib import import_module
from typing import Any, Dict, Iterable, List, Optional

# A notebook does not show larger pictures, in bytes.
_LARGEST_PICTURE = 1 << 20


class FaultCosts(List[Dict[str, Any]]):
    """One record for every fault, with a heat map: a list of dictionaries."""

    def __init__(self, records: Iterable[Dict[str, Any]], no_fault: Dict[str, Any], svg: str) -> None:
        super().__init__(records)
        #: The record of the network without further faults.
        self.no_fault = no_fault
        self._svg = svg

    def svg(self) -> str:
        """The network as an SVG drawing, with every part coloured by what its loss costs."""
        return self._svg

    def to_pandas(self) -> Any:
        """The records as a `pandas.DataFrame`."""
        pandas = import_module("pandas")
        return pandas.DataFrame(list(self))

    def __reduce__(self) -> Any:
        return FaultCosts, (list(self), self.no_fault, self._svg)

    def _repr_svg_(self) -> Optional[str]:
        return self._svg if len(self._svg) <= _LARGEST_PICTURE else None
