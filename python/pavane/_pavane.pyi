"""Types of the compiled module; everything is available from `pavane` itself."""

from fractions import Fraction
from os import PathLike
from typing import Any, Callable, Iterable, Optional, Union

_Path = Union[str, PathLike[str]]

__version__: str

class Unsolved(Exception):
    """No schedule was found within the limits or with the requested number of steps."""

class Network:
    """A network: routers, channels between them, and processors on routers."""

    def __init__(self, name: str) -> None: ...
    @staticmethod
    def from_networkx(graph: Any, name: Optional[str] = None) -> "Network": ...
    @property
    def name(self) -> str: ...
    @property
    def routers(self) -> int: ...
    @property
    def channels(self) -> list[tuple[int, int]]: ...
    @property
    def processors(self) -> list[Optional[int]]: ...
    @property
    def router_names(self) -> list[str]: ...
    @property
    def faults(self) -> list[str]: ...
    def without(self, *faults: str) -> "Network": ...
    def describe(self) -> dict[str, Any]: ...
    def to(self, format: str) -> str: ...
    def svg(self) -> str: ...
    def _repr_svg_(self) -> Optional[str]: ...

class Problem:
    """A collective communication on a network, under rules."""

    def __init__(
        self,
        network: Network,
        collective: str,
        *,
        root: Optional[str] = None,
        senders: Optional[str] = None,
        receivers: Optional[str] = None,
        chunks: int = 1,
        ports: Optional[int] = None,
        switching: str = "wormhole",
        routing: str = "minimal",
        duplex: str = "full",
        max_deliveries: int = 50_000_000,
    ) -> None: ...
    @property
    def network(self) -> Network: ...
    @property
    def collective(self) -> str: ...
    @property
    def messages(self) -> int: ...
    def bound(self) -> int: ...
    def bounds(self) -> list[dict[str, Any]]: ...
    def solve(
        self,
        *,
        steps: Optional[int] = None,
        engine: Optional[str] = None,
        settings: list[str] = [],
        seed: int = 1,
        time: Optional[float] = None,
        evaluations: Optional[int] = None,
        threads: Optional[int] = None,
        prove: bool = False,
        progress: Optional[Callable[[dict[str, Optional[int]]], Any]] = None,
    ) -> "Schedule": ...
    def faults(
        self,
        *,
        of: str = "links",
        seed: int = 1,
        time: Optional[float] = None,
        evaluations: Optional[int] = None,
        threads: Optional[int] = None,
    ) -> list[dict[str, Any]]: ...

class Schedule:
    """A schedule that the judge has accepted."""

    @staticmethod
    def load(path: _Path) -> "Schedule": ...
    def save(self, path: _Path) -> None: ...
    @property
    def steps(self) -> int: ...
    @property
    def chunks(self) -> int: ...
    @property
    def steps_per_message(self) -> Fraction: ...
    @property
    def bound(self) -> int: ...
    @property
    def optimal(self) -> bool: ...
    @property
    def reason(self) -> str: ...
    @property
    def engine(self) -> str: ...
    def records(self) -> list[dict[str, Any]]: ...
    def table(self) -> str: ...
    def export(self, format: str, *, bytes: int = 4096) -> list[tuple[str, bytes]]: ...
    def repair(
        self,
        *faults: str,
        keep_steps: bool = False,
        keep: Optional[float] = None,
        seed: int = 1,
        time: Optional[float] = None,
        threads: Optional[int] = None,
    ) -> "Schedule": ...
    def svg(self) -> str: ...
    def _repr_html_(self) -> str: ...

class Throughput:
    """The throughput limit of a collective, and a plan that the judge has accepted."""

    @property
    def limit(self) -> Fraction: ...
    @property
    def time(self) -> Fraction: ...
    @property
    def is_optimal(self) -> bool: ...
    @property
    def explanation(self) -> str: ...
    @property
    def algorithm_gbytes(self) -> Optional[float]: ...
    @property
    def bus_gbytes(self) -> Optional[float]: ...
    @property
    def microseconds(self) -> Optional[float]: ...
    @property
    def plan(self) -> dict[str, Any]: ...
    def save(self, path: _Path) -> None: ...

def families() -> list[dict[str, str]]: ...
def formats() -> list[dict[str, str]]: ...
def engines() -> list[str]: ...
def verify(path: _Path) -> list[dict[str, Any]]: ...
def check_plan(path: _Path) -> list[str]: ...
def throughput(
    network: Network,
    collective: str,
    *,
    root: Optional[str] = None,
    senders: Optional[str] = None,
    receivers: Optional[str] = None,
    bytes: Union[int, str, None] = None,
    sizes: Optional[Iterable[Iterable[int]]] = None,
    trees: Optional[int] = None,
    bandwidth: Union[float, str, None] = None,
    latency: Union[float, str, None] = None,
    time: Optional[float] = None,
) -> Throughput: ...
def traffic(
    network: Network,
    *,
    density: float = 0.95,
    mean: float = 10.0,
    sigma: float = 5.0,
    window: float = 0.0,
    seed: int = 1,
    switching: str = "cs",
    policy: str = "fifo",
    routing: str = "shortest",
    duplex: str = "half",
) -> dict[str, Any]: ...
