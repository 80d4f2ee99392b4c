"""Pavane: collective-communication schedules with few steps, and proved lower bounds.

>>> import pavane
>>> problem = pavane.Problem(pavane.Network("octagon:8"), "aas")
>>> problem.bound()
4
>>> schedule = problem.solve()
>>> schedule
<Schedule aas on octagon:8: 4 steps, optimal>
"""

from ._fault_costs import FaultCosts
from ._pavane import (
    Front,
    Network,
    Problem,
    Schedule,
    Tdm,
    Throughput,
    Timed,
    Tuning,
    Unsolved,
    __version__,
    check_plan,
    compare,
    engines,
    families,
    formats,
    pareto,
    tdm,
    throughput,
    timed,
    traffic,
    tune,
    verify,
)

__all__ = [
    "FaultCosts",
    "Front",
    "Network",
    "Problem",
    "Schedule",
    "Tdm",
    "Throughput",
    "Timed",
    "Tuning",
    "Unsolved",
    "__version__",
    "check_plan",
    "compare",
    "engines",
    "families",
    "formats",
    "pareto",
    "tdm",
    "throughput",
    "timed",
    "traffic",
    "tune",
    "verify",
]
