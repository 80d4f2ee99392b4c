"""Pavane: collective-communication schedules with few steps, and proved lower bounds.

>>> import pavane
>>> problem = pavane.Problem(pavane.Network("octagon:8"), "aas")
>>> problem.bound()
4
>>> schedule = problem.solve()
>>> schedule
<Schedule all-to-all on octagon:8: 4 steps, optimal>
"""

from ._errors import Impossible, InputError, InternalError, Interrupted, PavaneError, Unsolved
from ._fault_costs import FaultCosts
from ._pavane import (
    Atlas,
    Front,
    Network,
    Problem,
    Schedule,
    Tdm,
    Throughput,
    Timed,
    Tuning,
    __version__,
    check_plan,
    compare,
    compare_traffic,
    deadlock,
    engines,
    families,
    formats,
    pareto,
    repair,
    sweep,
    tdm,
    throughput,
    timed,
    traffic,
    tune,
    verify,
)
from ._records import Comparison, Sweep, TrafficComparison

__all__ = [
    "Atlas",
    "Comparison",
    "FaultCosts",
    "Front",
    "Impossible",
    "InputError",
    "InternalError",
    "Interrupted",
    "Network",
    "PavaneError",
    "Problem",
    "Schedule",
    "Sweep",
    "Tdm",
    "Throughput",
    "Timed",
    "TrafficComparison",
    "Tuning",
    "Unsolved",
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
