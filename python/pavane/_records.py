"""Lists of records with tables of pandas."""

from importlib import import_module
from typing import Any, Dict, Iterable, List


class Comparison(List[Dict[str, Any]]):
    """The result of `compare`: a dictionary for every size."""

    def to_pandas(self) -> Any:
        """A `pandas.DataFrame` with a row for every size and schedule."""
        pandas = import_module("pandas")
        rows = [{"bytes": size["bytes"], **entry} for size in self for entry in size["algorithms"]]
        return pandas.DataFrame([{key: value for key, value in row.items() if key != "claims"} for row in rows])


class Sweep(List[Dict[str, Any]]):
    """The result of `sweep`: a record for every curve and value."""

    def __init__(self, records: Iterable[Dict[str, Any]], saturation: Iterable[Dict[str, Any]] = ()) -> None:
        super().__init__(records)
        #: Where each curve saturates; empty unless the sweep is over "rate".
        self.saturation = list(saturation)

    def to_pandas(self) -> Any:
        """The records as a `pandas.DataFrame`."""
        pandas = import_module("pandas")
        return pandas.DataFrame(list(self))


class TrafficComparison(List[Dict[str, Any]]):
    """The result of `compare_traffic`: a record for every switching method, routing and policy."""

    def to_pandas(self) -> Any:
        """The records as a `pandas.DataFrame`."""
        pandas = import_module("pandas")
        return pandas.DataFrame(list(self))
