"""Types of the compiled module; everything is available from `pavane` itself."""

from fractions import Fraction
from os import PathLike
from typing import Any, Callable, Iterable, Iterator, Literal, Mapping, Optional, Sequence, Union, final, overload

from ._fault_costs import FaultCosts
from ._records import Comparison, Sweep, TrafficComparison

_Path = Union[str, PathLike[str]]
# A file: its path, or its content.
_File = Union[str, PathLike[str], bytes, bytearray, memoryview]
# A processor by number, name or coordinates.
_Processor = Union[int, str, tuple[Union[int, str], ...]]
_Members = Union[_Processor, Iterable[_Processor]]
_Quantity = Union[float, str, Fraction]
# A text such as "0-1" or "5", the number of a router, a pair for a link, or several of these.
_Fault = Union[str, int, tuple[Any, Any], Iterable[Any]]
# A `Network`, or what `Network()` takes: a name, a file, a NetworkX graph, a matrix or a list of edges.
_Network = Union["Network", _File, Any]
# A name, a message file, a permutation (a list of numbers), or messages: pairs of a sender and its receivers.
_Collective = Union[_File, Iterable[int], Iterable[Sequence[Any]]]
_Words = Union[str, Sequence[str]]
_Theme = Literal["auto", "light", "dark"]
_Part = Literal["panels", "channels"]
_AtlasModel = Literal["steps", "throughput", "time", "tdm"]
# Not `list[...]` in a class that has a method `list`.
_Records = list[dict[str, Any]]
# A step, or several.
_Steps = Union[int, range]

__all__ = [
    "Atlas",
    "Front",
    "Network",
    "Problem",
    "Schedule",
    "Tdm",
    "Throughput",
    "Timed",
    "Tuning",
    "__version__",
    "check_plan",
    "compare",
    "compare_traffic",
    "deadlock",
    "engines",
    "families",
    "formats",
    "pareto",
    "repair",
    "sweep",
    "tdm",
    "throughput",
    "timed",
    "traffic",
    "tune",
    "verify",
]

__version__: str

@final
class Atlas:
    """The best-known schedules with their bounds and published figures, in a folder."""

    def __new__(cls, folder: _Path = ...) -> "Atlas": ...
    def list(
        self,
        *,
        family: Optional[str] = None,
        model: Optional[_AtlasModel] = None,
        open: bool = False,
        records: bool = False,
    ) -> _Records: ...
    def show(self, entry: str) -> dict[str, Any]: ...
    def schedule(self, entry: str) -> Union["Schedule", "Throughput", "Timed", "Tdm"]: ...
    def verify(self, *entries: str) -> dict[str, Any]: ...
    def search(
        self,
        network: _Network,
        collective: Optional[_Collective] = None,
        *,
        model: Optional[_AtlasModel] = None,
        root: Optional[_Members] = None,
        senders: Optional[_Members] = None,
        receivers: Optional[_Members] = None,
        chunks: int = 1,
        ports: Union[int, str, None] = None,
        switching: str = "wormhole",
        routing: str = "minimal",
        duplex: str = "full",
        max_deliveries: int = ...,
        bytes: Union[float, str, None] = None,
        bandwidth: Optional[_Quantity] = None,
        latency: Optional[_Quantity] = None,
        wrap: bool = True,
        depth: Optional[int] = None,
        phits: Optional[int] = None,
    ) -> dict[str, Any]: ...
    def add(
        self,
        file: _Path,
        *,
        family: str,
        network: Optional[str] = None,
        seed: int = 1,
        seconds: float = 0.0,
        options: str = "",
        published: Union[float, str, Fraction, None] = None,
        source: Optional[str] = None,
        note: str = "",
        other_problem: bool = False,
    ) -> dict[str, Any]: ...
    def __len__(self) -> int: ...

@final
class Network:
    """A network: routers, channels between them, and processors on routers."""

    def __new__(
        cls,
        source: _Network,
        *,
        name: Optional[str] = None,
        bandwidth: Optional[_Quantity] = None,
        latency: Optional[_Quantity] = None,
    ) -> "Network": ...
    @staticmethod
    def load(file: _File) -> "Network": ...
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
    @staticmethod
    def from_matrix(matrix: Any, *, name: str = "matrix") -> "Network": ...
    def to_networkx(self) -> Any: ...
    def with_timing(
        self, *, bandwidth: Optional[_Quantity] = None, latency: Optional[_Quantity] = None
    ) -> "Network": ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Any]: ...
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
    def without(self, *faults: _Fault, file: Optional[_File] = None) -> "Network": ...
    def describe(self) -> dict[str, Any]: ...
    def to(self, format: str) -> str: ...
    def svg(self, *, theme: _Theme = "auto") -> str: ...
    def png(self, *, theme: _Theme = "auto") -> bytes: ...
    def draw(self, path: _Path, *, theme: _Theme = "auto") -> None: ...
    def _repr_svg_(self) -> Optional[str]: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]: ...

@final
class Problem:
    """A collective communication on a network, under rules."""

    def __new__(
        cls,
        network: _Network,
        collective: _Collective,
        *,
        root: Optional[_Members] = None,
        senders: Optional[_Members] = None,
        receivers: Optional[_Members] = None,
        chunks: Union[int, str, None] = None,
        ports: Union[int, str, None] = None,
        switching: str = "wormhole",
        routing: str = "minimal",
        duplex: str = "full",
        max_deliveries: int = ...,
        max_chunks: int = 8,
    ) -> "Problem": ...
    @property
    def network(self) -> Network: ...
    @property
    def collective(self) -> str: ...
    @property
    def messages(self) -> int: ...
    def engines(self) -> list[str]: ...
    def bound(self, *, time: Optional[Union[float, str]] = None) -> int: ...
    def bounds(self, *, time: Optional[Union[float, str]] = None) -> list[dict[str, Any]]: ...
    def solve(
        self,
        *,
        steps: Optional[int] = None,
        engine: Optional[str] = None,
        preset: Optional[str] = None,
        settings: Union[Mapping[str, Any], Sequence[str], None] = None,
        seed: int = 1,
        time: Optional[Union[float, str]] = None,
        evaluations: Optional[int] = None,
        threads: Optional[int] = None,
        prove: bool = False,
        progress: Optional[Callable[[dict[str, Optional[int]]], Any]] = None,
        atlas: Optional[_Path] = None,
        resume: Optional[_Path] = None,
    ) -> "Schedule": ...
    def faults(
        self,
        *,
        of: Optional[_Words] = None,
        count: int = 1,
        sample: Optional[int] = None,
        throughput: bool = False,
        bandwidth: Optional[_Quantity] = None,
        latency: Optional[_Quantity] = None,
        seed: int = 1,
        time: Optional[Union[float, str]] = None,
        evaluations: Optional[int] = None,
        threads: Optional[int] = None,
        resume: Optional[_Path] = None,
        save: Optional[_Path] = None,
    ) -> FaultCosts: ...
    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]: ...

@final
class Schedule:
    """A schedule that the judge has accepted."""

    @staticmethod
    def load(file: _File, *, max_deliveries: int = ...) -> "Schedule": ...
    @staticmethod
    def import_(
        file: _File,
        *,
        network: Optional[_Network] = None,
        switching: Optional[str] = None,
        ports: Union[int, str, None] = None,
        routing: str = "any",
        duplex: str = "full",
    ) -> "Schedule": ...
    def save(self, path: _Path) -> None: ...
    @property
    def network(self) -> Network: ...
    @property
    def collective(self) -> str: ...
    @property
    def steps(self) -> int: ...
    @property
    def chunks(self) -> int: ...
    @property
    def steps_per_message(self) -> Fraction: ...
    @property
    def throughput_limit(self) -> Optional[Fraction]: ...
    @property
    def limit_share(self) -> Optional[float]: ...
    def cost(self, *, ts: float = 0.0, tr: float = 0.0, t1: float = 0.0, size: float = 1.0) -> float: ...
    @property
    def bound(self) -> int: ...
    @property
    def is_optimal(self) -> bool: ...
    @property
    def start(self) -> Optional[int]: ...
    @property
    def status(self) -> str: ...
    @property
    def reason(self) -> str: ...
    @property
    def engine(self) -> str: ...
    def records(self) -> list[dict[str, Any]]: ...
    def to_pandas(self) -> Any: ...
    def to_networkx(self) -> Any: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[list[dict[str, Any]]]: ...
    @overload
    def __getitem__(self, step: int, /) -> list[dict[str, Any]]: ...
    @overload
    def __getitem__(self, step: slice, /) -> list[list[dict[str, Any]]]: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]: ...
    def table(self) -> str: ...
    def export(self, format: str, *, bytes: int = 4096) -> list[tuple[str, bytes]]: ...
    def repair(
        self,
        *faults: _Fault,
        keep_steps: bool = False,
        keep: Optional[float] = None,
        seed: int = 1,
        time: Optional[Union[float, str]] = None,
        evaluations: Optional[int] = None,
        threads: Optional[int] = None,
    ) -> "Schedule": ...
    def svg(
        self,
        *,
        animate: bool = False,
        theme: _Theme = "auto",
        steps: Optional[_Steps] = None,
        only: Optional[_Part] = None,
    ) -> str: ...
    def png(
        self, *, theme: _Theme = "auto", steps: Optional[_Steps] = None, only: Optional[_Part] = None
    ) -> bytes: ...
    def draw(
        self,
        path: _Path,
        *,
        animate: bool = False,
        theme: _Theme = "auto",
        steps: Optional[_Steps] = None,
        only: Optional[_Part] = None,
    ) -> None: ...
    def _repr_html_(self) -> str: ...

@final
class Tdm:
    """A periodic schedule of a network on chip that the judge has accepted."""

    @staticmethod
    def load(file: _File, *, max_deliveries: int = ...) -> "Tdm": ...
    def save(self, path: _Path) -> None: ...
    @property
    def network(self) -> Network: ...
    @property
    def period(self) -> int: ...
    @property
    def bound(self) -> Optional[int]: ...
    @property
    def is_optimal(self) -> bool: ...
    @property
    def status(self) -> str: ...
    @property
    def explanation(self) -> str: ...
    @property
    def schedule(self) -> dict[str, Any]: ...
    def words(self) -> list[dict[str, Any]]: ...
    def to_pandas(self) -> Any: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[dict[str, Any]]: ...
    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]: ...
    def guarantees(self) -> list[dict[str, int]]: ...
    def verify(self) -> dict[str, Any]: ...
    def export(self, format: str) -> list[tuple[str, bytes]]: ...
    def repair(
        self,
        *faults: _Fault,
        keep_steps: bool = False,
        keep: float = 0.0,
        seed: int = 1,
        time: Optional[Union[float, str]] = None,
        evaluations: Optional[int] = None,
        threads: Optional[int] = None,
    ) -> "Tdm": ...
    def svg(self, *, theme: _Theme = "auto") -> str: ...
    def png(self, *, theme: _Theme = "auto") -> bytes: ...
    def draw(self, path: _Path, *, theme: _Theme = "auto") -> None: ...
    def _repr_html_(self) -> str: ...

@final
class Throughput:
    """The throughput limit of a collective, and a plan that the judge has accepted."""

    @staticmethod
    def load(file: _File, *, bytes: Union[float, str, None] = None, max_deliveries: int = ...) -> "Throughput": ...
    @property
    def network(self) -> Network: ...
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
    def svg(
        self,
        *,
        message: Union[int, tuple[int, int], None] = None,
        phase: Optional[int] = None,
        theme: _Theme = "auto",
    ) -> str: ...
    def png(
        self,
        *,
        message: Union[int, tuple[int, int], None] = None,
        phase: Optional[int] = None,
        theme: _Theme = "auto",
    ) -> bytes: ...
    def draw(
        self,
        path: _Path,
        *,
        message: Union[int, tuple[int, int], None] = None,
        phase: Optional[int] = None,
        theme: _Theme = "auto",
    ) -> None: ...
    def records(self) -> list[dict[str, Any]]: ...
    def to_pandas(self) -> Any: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[dict[str, Any]]: ...
    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]: ...
    def _repr_svg_(self) -> Optional[str]: ...
    def repair(self, *faults: _Fault, keep: float = 0.0, time: Optional[Union[float, str]] = None) -> "Throughput": ...

@final
class Timed:
    """A schedule in nanoseconds that the judge has accepted."""

    @staticmethod
    def load(file: _File, *, max_deliveries: int = ...) -> "Timed": ...
    @staticmethod
    def import_(file: _File, *, network: _Network, bytes: Union[float, str]) -> "Timed": ...
    @property
    def network(self) -> Network: ...
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
    def records(self) -> list[dict[str, Any]]: ...
    def to_pandas(self) -> Any: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[dict[str, Any]]: ...
    @overload
    def __getitem__(self, send: int, /) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, send: slice, /) -> list[dict[str, Any]]: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]: ...
    def svg(self, *, animate: bool = False, theme: _Theme = "auto") -> str: ...
    def png(self, *, theme: _Theme = "auto") -> bytes: ...
    def draw(self, path: _Path, *, animate: bool = False, theme: _Theme = "auto") -> None: ...
    def _repr_html_(self) -> str: ...
    def save(self, path: _Path) -> None: ...
    def verify(self) -> dict[str, Any]: ...
    def export(self, format: str, *, bytes: Optional[int] = None) -> list[tuple[str, bytes]]: ...
    def repair(
        self,
        *faults: _Fault,
        keep: Optional[float] = None,
        seed: int = 1,
        time: Optional[Union[float, str]] = None,
        evaluations: Optional[int] = None,
        threads: Optional[int] = None,
    ) -> "Timed": ...

@final
class Front:
    """The fewest rounds for every number of chunks and steps."""

    @property
    def points(self) -> list[dict[str, Any]]: ...
    @property
    def limit(self) -> Optional[Fraction]: ...
    @property
    def is_complete(self) -> bool: ...
    def schedule(self, chunks_per_message: int, steps: int) -> Schedule: ...
    def to_pandas(self) -> Any: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[dict[str, Any]]: ...
    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]: ...

@final
class Tuning:
    """The best schedule for every size."""

    @property
    def sizes(self) -> list[dict[str, Any]]: ...
    @property
    def ranges(self) -> list[dict[str, Any]]: ...
    @property
    def is_complete(self) -> bool: ...
    def schedule(self, bytes: Union[float, str]) -> Schedule: ...
    def to_pandas(self) -> Any: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[dict[str, Any]]: ...
    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]: ...

def families() -> list[dict[str, str]]: ...
def formats() -> list[dict[str, str]]: ...
def engines() -> list[dict[str, Any]]: ...
def verify(
    file: _File,
    *,
    network: Optional[_Network] = None,
    bytes: Union[float, str, None] = None,
    max_deliveries: int = ...,
    max_work: Optional[int] = None,
) -> list[dict[str, Any]]: ...
def check_plan(
    file: _File, *, collective: Optional[str] = None, root: Optional[int] = None, slots: Optional[int] = None
) -> list[str]: ...
def compare(
    network: _Network,
    collective: _Collective,
    *,
    bytes: Union[float, str, Iterable[Union[float, str]]],
    factor: int = 16,
    files: Sequence[_File] = ...,
    root: Optional[_Members] = None,
    senders: Optional[_Members] = None,
    receivers: Optional[_Members] = None,
    bandwidth: Optional[_Quantity] = None,
    latency: Optional[_Quantity] = None,
    duplex: str = "full",
    max_deliveries: int = ...,
    seed: int = 1,
    time: Optional[Union[float, str]] = None,
    evaluations: Optional[int] = None,
    threads: Optional[int] = None,
) -> Comparison: ...
def compare_traffic(
    network: _Network,
    *,
    missions: int = 1000,
    density: float = 0.95,
    hot_spots: Optional[int] = None,
    permutation: Optional[Union[bool, str]] = None,
    mean: float = 10.0,
    sigma: float = 5.0,
    window: float = 0.0,
    seed: int = 1,
    switching: Optional[_Words] = None,
    routing: Optional[_Words] = None,
    policy: Optional[_Words] = None,
    duplex: str = "half",
    lanes: int = 1,
    buffer: Optional[int] = None,
    edd: bool = False,
    optimal: int = 0,
    threads: Optional[int] = None,
) -> TrafficComparison: ...
def deadlock(
    network: _Network,
    *,
    routing: Optional[_Path] = None,
    reroute: Union[str, Sequence[str], None] = None,
    duplex: str = "full",
) -> dict[str, Any]: ...
def pareto(
    network: _Network,
    collective: _Collective,
    *,
    root: Optional[_Members] = None,
    senders: Optional[_Members] = None,
    receivers: Optional[_Members] = None,
    max_chunks: int = 4,
    max_steps: Optional[int] = None,
    round: Optional[_Quantity] = None,
    max_deliveries: int = ...,
    seed: int = 1,
    time: Optional[Union[float, str]] = None,
    evaluations: int = 4_000_000_000,
    threads: Optional[int] = None,
) -> Front: ...
def repair(
    folder: _Path, *faults: _Fault, collective: Optional[str] = None, max_deliveries: int = ...
) -> Schedule: ...
def sweep(
    network: _Network,
    *,
    over: str = "density",
    values: Optional[Sequence[float]] = None,
    density: Optional[float] = None,
    hot_spots: Optional[int] = None,
    permutation: Optional[Union[bool, str]] = None,
    mean: Optional[float] = None,
    sigma: Optional[float] = None,
    window: Optional[float] = None,
    seed: int = 1,
    missions: Optional[int] = None,
    switching: Optional[_Words] = None,
    routing: Optional[_Words] = None,
    policy: Optional[_Words] = None,
    duplex: Optional[str] = None,
    lanes: Optional[int] = None,
    buffer: Optional[int] = None,
    edd: bool = False,
    duration: Optional[float] = None,
    warm_up: Optional[float] = None,
    drain: Optional[float] = None,
    flits: Optional[int] = None,
    optimal: int = 0,
    threads: Optional[int] = None,
) -> Sweep: ...
def tdm(
    network: _Network,
    *,
    traffic: Union[_File, Iterable[Sequence[int]], None] = None,
    depth: Optional[int] = None,
    phits: Optional[int] = None,
    wrap: bool = True,
    routing: str = "minimal",
    slots: Optional[int] = None,
    prove: bool = False,
    seed: int = 1,
    time: Optional[Union[float, str]] = None,
    evaluations: Optional[int] = None,
    threads: Optional[int] = None,
    atlas: Optional[_Path] = None,
) -> Tdm: ...
def throughput(
    network: _Network,
    collective: _Collective,
    *,
    root: Optional[_Members] = None,
    senders: Optional[_Members] = None,
    receivers: Optional[_Members] = None,
    bytes: Union[float, str, None] = None,
    sizes: Union[Iterable[Iterable[int]], _File, None] = None,
    trees: Optional[int] = None,
    bandwidth: Optional[_Quantity] = None,
    latency: Optional[_Quantity] = None,
    max_deliveries: int = ...,
    time: Optional[Union[float, str]] = None,
    atlas: Optional[_Path] = None,
) -> Throughput: ...
def timed(
    network: _Network,
    collective: _Collective,
    *,
    bytes: Union[float, str, None] = None,
    sizes: Union[Iterable[Iterable[int]], _File, None] = None,
    chunks: Union[int, Literal["auto"], None] = None,
    root: Optional[_Members] = None,
    senders: Optional[_Members] = None,
    receivers: Optional[_Members] = None,
    bandwidth: Optional[_Quantity] = None,
    latency: Optional[_Quantity] = None,
    duplex: str = "full",
    max_deliveries: int = ...,
    seed: int = 1,
    time: Optional[Union[float, str]] = None,
    evaluations: Optional[int] = None,
    threads: Optional[int] = None,
) -> Timed: ...
def traffic(
    network: Union[_Network, Schedule],
    *,
    density: Optional[float] = None,
    hot_spots: Optional[int] = None,
    permutation: Optional[Union[bool, str]] = None,
    mean: Optional[float] = None,
    sigma: Optional[float] = None,
    window: Optional[float] = None,
    seed: int = 1,
    mission: Optional[_File] = None,
    collective: Optional[str] = None,
    length: Optional[float] = None,
    switching: str = "store-and-forward",
    policy: str = "lbf",
    routing: Optional[str] = None,
    duplex: Optional[str] = None,
    lanes: int = 1,
    buffer: Optional[int] = None,
    edd: bool = False,
    optimal: bool = False,
    log: bool = False,
    gantt: Optional[_Path] = None,
    save: Optional[_Path] = None,
) -> dict[str, Any]: ...
def tune(
    network: _Network,
    collective: _Collective,
    *,
    bytes: Union[str, Sequence[Union[float, str]]],
    factor: int = 2,
    root: Optional[_Members] = None,
    senders: Optional[_Members] = None,
    receivers: Optional[_Members] = None,
    bandwidth: Optional[_Quantity] = None,
    latency: Optional[_Quantity] = None,
    duplex: str = "full",
    max_deliveries: int = ...,
    seed: int = 1,
    time: Optional[Union[float, str]] = None,
    evaluations: Optional[int] = None,
    threads: Optional[int] = None,
) -> Tuning: ...
