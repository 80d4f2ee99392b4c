"""Types of the compiled module; everything is available from `pavane` itself."""

from fractions import Fraction
from os import PathLike
from typing import Any, Callable, Iterable, Optional, Sequence, Union

from ._fault_costs import FaultCosts

_Path = Union[str, PathLike[str]]
_Members = Union[str, int, Sequence[int]]
_Quantity = Union[float, str, Fraction]

__version__: str

class Unsolved(Exception):
    """No schedule was found within the limits or with the requested number of steps."""

class Network:
    """A network: routers, channels between them, and processors on routers."""

    def __init__(
        self, name: _Path, *, bandwidth: Optional[_Quantity] = None, latency: Optional[_Quantity] = None
    ) -> None: ...
    @staticmethod
    def load(path: _Path) -> "Network": ...
    @staticmethod
    def from_networkx(graph: Any, name: Optional[str] = None) -> "Network": ...
    @staticmethod
    def from_edges(
        edges: Iterable[Sequence[Any]],
        *,
        directed: bool = False,
        switches: Optional[Iterable[Any]] = None,
        multicast: Optional[Iterable[Any]] = None,
        name: str = "edges",
    ) -> "Network": ...
    def to_networkx(self) -> Any: ...
    def with_timing(
        self, *, bandwidth: Optional[_Quantity] = None, latency: Optional[_Quantity] = None
    ) -> "Network": ...
    @property
    def bandwidths(self) -> list[Fraction]: ...
    @property
    def latencies(self) -> list[Fraction]: ...
    @property
    def multicast(self) -> list[int]: ...
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
        root: Optional[_Members] = None,
        senders: Optional[_Members] = None,
        receivers: Optional[_Members] = None,
        chunks: Union[int, str, None] = None,
        ports: Optional[int] = None,
        switching: str = "wormhole",
        routing: str = "minimal",
        duplex: str = "full",
        max_deliveries: int = 50_000_000,
        max_chunks: int = 8,
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
        count: int = 1,
        sample: Optional[int] = None,
        throughput: bool = False,
        seed: int = 1,
        time: Optional[float] = None,
        evaluations: Optional[int] = None,
        threads: Optional[int] = None,
    ) -> FaultCosts: ...

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
    def throughput_limit(self) -> Fraction | None: ...
    @property
    def limit_share(self) -> float | None: ...
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

class Tdm:
    """A periodic schedule of a network on chip that the judge has accepted."""

    @staticmethod
    def load(path: _Path) -> "Tdm": ...
    def save(self, path: _Path) -> None: ...
    @property
    def period(self) -> int: ...
    @property
    def bound(self) -> Optional[int]: ...
    @property
    def is_optimal(self) -> bool: ...
    @property
    def explanation(self) -> str: ...
    @property
    def schedule(self) -> dict[str, Any]: ...
    def words(self) -> list[dict[str, Any]]: ...
    def guarantees(self) -> list[dict[str, int]]: ...
    def verify(self) -> dict[str, Any]: ...
    def export(self, format: str) -> list[tuple[str, bytes]]: ...
    def repair(
        self,
        *faults: str,
        seed: int = 1,
        time: Optional[float] = None,
        threads: Optional[int] = None,
    ) -> "Tdm": ...
    def svg(self) -> str: ...
    def _repr_html_(self) -> str: ...

class Throughput:
    """The throughput limit of a collective, and a plan that the judge has accepted."""

    @staticmethod
    def load(path: _Path, *, bytes: Union[int, str, None] = None) -> "Throughput": ...
    @property
    def limit(self) -> Optional[Fraction]: ...
    @property
    def time(self) -> Fraction: ...
    @property
    def is_optimal(self) -> bool: ...
    @property
    def explanation(self) -> str: ...
    @property
    def status(self) -> str: ...
    @property
    def algorithm_gbytes(self) -> Optional[float]: ...
    @property
    def bus_gbytes(self) -> Optional[float]: ...
    @property
    def microseconds(self) -> Optional[float]: ...
    @property
    def plan(self) -> dict[str, Any]: ...
    @property
    def kept(self) -> Optional[float]: ...
    def save(self, path: _Path) -> None: ...
    def verify(self) -> dict[str, Any]: ...
    def svg(self, *, message: Union[int, tuple[int, int], None] = None, phase: Optional[int] = None) -> str: ...
    def _repr_svg_(self) -> Optional[str]: ...
    def repair(self, *faults: str, keep: float = 0.0, time: Optional[float] = None) -> "Throughput": ...

class Timed:
    """A schedule in nanoseconds that the judge has accepted."""

    @staticmethod
    def load(path: _Path) -> "Timed": ...
    @property
    def time(self) -> Fraction: ...
    @property
    def microseconds(self) -> float: ...
    @property
    def bound(self) -> Optional[Fraction]: ...
    @property
    def is_optimal(self) -> bool: ...
    @property
    def explanation(self) -> str: ...
    @property
    def algorithm_gbytes(self) -> Optional[float]: ...
    @property
    def bus_gbytes(self) -> Optional[float]: ...
    @property
    def chunks(self) -> int: ...
    @property
    def sends(self) -> int: ...
    @property
    def schedule(self) -> dict[str, Any]: ...
    @property
    def kept(self) -> Optional[float]: ...
    def save(self, path: _Path) -> None: ...
    def verify(self) -> dict[str, Any]: ...
    def export(self, format: str) -> list[tuple[str, bytes]]: ...
    def repair(
        self,
        *faults: str,
        keep: Optional[float] = None,
        seed: int = 1,
        time: Optional[float] = None,
        evaluations: Optional[int] = None,
    ) -> "Timed": ...

class Front:
    """The fewest rounds for every number of chunks and steps."""

    @property
    def points(self) -> list[dict[str, Any]]: ...
    @property
    def limit(self) -> Optional[Fraction]: ...
    @property
    def is_complete(self) -> bool: ...
    def schedule(self, chunks_per_message: int, steps: int) -> Schedule: ...
    def __len__(self) -> int: ...

class Tuning:
    """The best schedule for every size."""

    @property
    def sizes(self) -> list[dict[str, Any]]: ...
    @property
    def ranges(self) -> list[dict[str, Any]]: ...
    @property
    def is_complete(self) -> bool: ...
    def schedule(self, bytes: Union[int, str]) -> Schedule: ...

def families() -> list[dict[str, str]]: ...
def formats() -> list[dict[str, str]]: ...
def engines() -> list[str]: ...
def verify(path: _Path) -> list[dict[str, Any]]: ...
def check_plan(path: _Path) -> list[str]: ...
def compare(
    network: Network,
    collective: str,
    *,
    bytes: Union[int, str, Iterable[Union[int, str]]],
    files: Sequence[_Path] = ...,
    root: Optional[_Members] = None,
    senders: Optional[_Members] = None,
    receivers: Optional[_Members] = None,
    bandwidth: Optional[_Quantity] = None,
    latency: Optional[_Quantity] = None,
    seed: int = 1,
    time: Optional[float] = None,
    evaluations: Optional[int] = None,
    threads: Optional[int] = None,
) -> list[dict[str, Any]]: ...
def pareto(
    network: Network,
    collective: str,
    *,
    root: Optional[_Members] = None,
    senders: Optional[_Members] = None,
    receivers: Optional[_Members] = None,
    max_chunks: int = 4,
    max_steps: Optional[int] = None,
    round: Optional[_Quantity] = None,
    seed: int = 1,
    time: Optional[float] = None,
    evaluations: int = 4_000_000_000,
    threads: Optional[int] = None,
) -> Front: ...
def tdm(
    network: Network,
    *,
    traffic: Union[_Path, Iterable[Sequence[int]], None] = None,
    depth: Optional[int] = None,
    phits: Optional[int] = None,
    wrap: bool = True,
    routing: str = "minimal",
    slots: Optional[int] = None,
    seed: int = 1,
    time: Optional[float] = None,
    evaluations: Optional[int] = None,
    threads: Optional[int] = None,
) -> Tdm: ...
def throughput(
    network: Network,
    collective: str,
    *,
    root: Optional[_Members] = None,
    senders: Optional[_Members] = None,
    receivers: Optional[_Members] = None,
    bytes: Union[int, str, None] = None,
    sizes: Union[Iterable[Iterable[int]], _Path, None] = None,
    trees: Optional[int] = None,
    bandwidth: Optional[_Quantity] = None,
    latency: Optional[_Quantity] = None,
    time: Optional[float] = None,
) -> Throughput: ...
def timed(
    network: Network,
    collective: str,
    *,
    bytes: Union[int, str, None] = None,
    sizes: Union[Iterable[Iterable[int]], _Path, None] = None,
    chunks: Optional[int] = None,
    root: Optional[_Members] = None,
    senders: Optional[_Members] = None,
    receivers: Optional[_Members] = None,
    bandwidth: Optional[_Quantity] = None,
    latency: Optional[_Quantity] = None,
    duplex: str = "full",
    seed: int = 1,
    time: Optional[float] = None,
    evaluations: Optional[int] = None,
    threads: Optional[int] = None,
) -> Timed: ...
def traffic(
    network: Network,
    *,
    density: float = 0.95,
    mean: float = 10.0,
    sigma: float = 5.0,
    window: float = 0.0,
    seed: int = 1,
    switching: str = "store-and-forward",
    policy: str = "lbf",
    routing: Optional[str] = None,
    duplex: str = "half",
    lanes: int = 1,
    buffer: Optional[int] = None,
) -> dict[str, Any]: ...
def tune(
    network: Network,
    collective: str,
    *,
    bytes: tuple[Union[int, str], Union[int, str]],
    factor: int = 2,
    root: Optional[_Members] = None,
    senders: Optional[_Members] = None,
    receivers: Optional[_Members] = None,
    bandwidth: Optional[_Quantity] = None,
    latency: Optional[_Quantity] = None,
    seed: int = 1,
    time: Optional[float] = None,
    evaluations: Optional[int] = None,
    threads: Optional[int] = None,
) -> Tuning: ...
