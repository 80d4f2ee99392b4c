"""Is there a shorter schedule? Cheap lower bounds and an exhaustive search for tiny problems.

The claim "S steps are needed" is refuted by a schedule of fewer steps. The search encodes the rules as clauses for a small solver (`independent/solver.py`).
A schedule that it finds must pass the rules of the checker before it counts as a refutation."""

from itertools import combinations

from independent.rules import ports_of, problems_of
from independent.schedule import Phase, Transfer
from independent.solver import OutOfBudget, Solver

MOST_PATHS = 60


def shorter_schedule(problem, steps, budget=20_000_000):
    """A schedule of fewer steps or None, and what is known: `optimal`, `refuted`, or why it is open."""
    least, reason = lower_bound(problem)
    if steps <= least:
        return None, f"optimal ({reason})"
    try:
        found = find_schedule(problem, steps - 1, budget)
    except OutOfBudget as error:
        return None, f"open, at least {least} ({reason}); {error}"
    if found is None:
        return None, f"optimal (no schedule of {steps - 1} steps)"
    return found, f"refuted: there is a schedule of {len(found)} steps"


def lower_bound(problem):
    """The largest of the bounds below, and its name."""
    if not problem.messages:
        return 0, "nothing to do"
    return max((bound(problem), bound.__name__) for bound in BOUNDS)


def over(amount, capacity):
    """Amount divided by capacity, rounded up; 0 (no bound) if there is no capacity."""
    return -(-amount // capacity) if capacity > 0 else 0


def receive(problem):
    wanted = [sum(p in message.destinations for message in problem.messages) for p in range(len(problem.network.homes))]
    return max(over(wanted[p], ports_of(problem, p)[1]) for p in problem.network.processors)


def send(problem):
    given = [sum(p == message.origin for message in problem.messages) for p in range(len(problem.network.homes))]
    return max(over(given[p], ports_of(problem, p)[0]) for p in problem.network.processors)


def distance(problem):
    """The least number of channel uses of all messages, over the channels that can work at the same time."""
    network, uses = problem.network, 0
    for message in problem.messages:
        lengths = [network.between(message.origin, d) or 0 for d in message.destinations]
        entered = {network.homes[d] for d in message.destinations} - {network.homes[message.origin]}
        uses += max(max(lengths), len(entered))
    return over(uses, capacity(problem, range(len(network.channels))))


def capacity(problem, channels):
    """How many of some channels can work in one step."""
    if not problem.model.half:
        return len(channels)
    return len({min(channel, problem.network.partner.get(channel, channel)) for channel in channels})


def eccentricity(problem):
    """Store-and-forward needs one step per channel to the farthest destination."""
    lengths = [problem.network.between(m.origin, d) or 1 for m in problem.messages for d in m.destinations]
    return max(lengths) if problem.model.sf else 1


def growth(problem):
    """Every holder of a message informs at most as many others as the largest number of ports."""
    ports = max(ports_of(problem, p)[0] for p in problem.network.processors)
    steps, holders = 0, 1
    while ports and holders < 1 + max(len(message.destinations) for message in problem.messages):
        steps, holders = steps + 1, holders * (1 + ports)
    return steps


def cut(problem):
    """The messages that must leave a set of routers, over the channels that leave it. All sets are tried if there are at most 8 routers."""
    network, best = problem.network, 0
    used = sorted({router for ends in network.channels for router in ends})
    if len(used) > 8:
        return 0
    crossings = [(network.homes[m.origin], {network.homes[d] for d in m.destinations}) for m in problem.messages]
    for size in range(1, len(used)):
        for inside in map(set, combinations(used, size)):
            leave = sum(origin in inside and not goals <= inside for origin, goals in crossings)
            enter = sum(origin not in inside and bool(goals & inside) for origin, goals in crossings)
            out = [c for c, (tail, head) in enumerate(network.channels) if tail in inside and head not in inside]
            back = [c for c, (tail, head) in enumerate(network.channels) if tail not in inside and head in inside]
            best = max(best, over(leave, len(out)))
            if problem.model.half:
                best = max(best, over(leave + enter, capacity(problem, out + back)))
    return best


BOUNDS = [receive, send, distance, eccentricity, growth, cut]


def find_schedule(problem, steps, budget):
    """A schedule of at most this many steps; None if none exists; raises OutOfBudget if the search does not finish."""
    if steps < 0 or steps == 0 and problem.messages:
        return None
    paths = PathTable(problem)
    moves = [move for index, message in enumerate(problem.messages) for move in candidates(problem, index, message, paths)]
    if len(moves) * steps > max(2000, budget // 100):
        raise OutOfBudget("the problem is too large for the budget")
    solver, used = formula(problem, moves, steps)
    model = solver.solve(budget)
    if model is None:
        if paths.is_cut_off:
            raise OutOfBudget("there are too many paths to try all")
        return None
    chosen = [[move for move in moves if model[used[move, step]]] for step in range(steps)]
    schedule = without_useless(problem, chosen)
    if problems_of(Phase(problem, schedule, None, None)):
        raise OutOfBudget("the schedule that was found visits a router twice")
    return schedule


class PathTable:
    """Simple paths between routers that the routing allows, shortest first."""

    def __init__(self, problem):
        self.network, self.routing, self.known, self.is_cut_off = problem.network, problem.model.routing, {}, False
        self.most = 1 if problem.model.sf else problem.network.routers

    def between(self, start, end):
        if (start, end) not in self.known:
            shortest = self.network.distances(start).get(end)
            longest = -1 if shortest is None else self.most if self.routing is None else min(self.most, shortest + self.routing)
            found = []
            self.extend(start, end, longest, [], {start}, found)
            self.known[start, end] = sorted(found, key=len)
        return self.known[start, end]

    def extend(self, router, end, left, path, visited, found):
        if len(found) >= MOST_PATHS:
            self.is_cut_off = True
        elif router == end:
            found.append(tuple(path))
        elif self.network.distances(router).get(end, left + 1) <= left:
            for channel in self.network.outgoing[router]:
                head = self.network.channels[channel][1]
                if head not in visited:
                    self.extend(head, end, left - 1, path + [channel], visited | {head}, found)


def candidates(problem, index, message, paths):
    """The transfers that a schedule may contain. A message for one destination goes straight (wormhole) or by hops on allowed paths."""
    network, model = problem.network, problem.model
    straight = len(message.destinations) == 1
    for sender in network.processors:
        for receiver in network.processors:
            if receiver in (sender, message.origin):
                continue
            if straight and not model.sf and (sender != message.origin or receiver not in message.destinations):
                continue
            if straight and model.sf and not is_hop_on_path(problem, message, sender, receiver):
                continue
            for path in paths.between(network.homes[sender], network.homes[receiver]):
                yield Transfer(index, sender, receiver, path)


def is_hop_on_path(problem, message, sender, receiver):
    destination, = message.destinations
    lengths = [problem.network.between(*pair) for pair in ((message.origin, sender), (sender, receiver), (receiver, destination))]
    if None in lengths or lengths[1] > 1 or sender == destination:
        return False
    routing = problem.model.routing
    return routing is None or sum(lengths) <= problem.network.between(message.origin, destination) + routing


def formula(problem, moves, steps):
    """Clauses that are satisfiable if a schedule of this many steps exists. Copies of a message for one destination are allowed here; all but one
    chain are dropped from the result."""
    solver = Solver()
    used = {(move, step): solver.variable() for step in range(steps) for move in moves}
    holds = {}
    for index, message in enumerate(problem.messages):
        for processor in problem.network.processors:
            for step in range(steps + 1):
                holds[index, processor, step] = solver.variable()
            solver.add([holds[index, processor, 0] if processor == message.origin else -holds[index, processor, 0]])
        for destination in message.destinations:
            solver.add([holds[index, destination, steps]])
    arrivals, resources = {}, {}
    for (move, step), variable in used.items():
        solver.add([-variable, holds[move.message, move.sender, step]])
        arrivals.setdefault((move.message, move.receiver, step + 1), []).append(variable)
        for name, room in demands(problem, move):
            resources.setdefault((name, step), (room, []))[1].append(variable)
    for (index, processor, step), variable in holds.items():
        if step > 0:
            solver.add([-variable, holds[index, processor, step - 1], *arrivals.get((index, processor, step), [])])
    for room, variables in resources.values():
        solver.at_most(room, variables)
    return solver, used


def demands(problem, move):
    """The resources that a transfer uses in its step (channels or links, and ports), each with its capacity."""
    for channel in move.path:
        partner = problem.network.partner.get(channel, channel)
        yield ("channel", min(channel, partner) if problem.model.half else channel), 1
    yield ("send", move.sender), ports_of(problem, move.sender)[0]
    yield ("receive", move.receiver), ports_of(problem, move.receiver)[1]


def without_useless(problem, chosen):
    """Keeps the first reception of every processor that wants the message or passes it on, and drops the rest."""
    first = {}
    for step, moves in enumerate(chosen):
        for move in moves:
            first.setdefault((move.message, move.receiver), (step, move))
    needed, open_ = set(), [(i, d) for i, message in enumerate(problem.messages) for d in message.destinations]
    while open_:
        index, processor = open_.pop()
        if (index, processor) in needed or processor == problem.messages[index].origin:
            continue
        needed.add((index, processor))
        open_.append((index, first[index, processor][1].sender))
    schedule = [[] for _ in chosen]
    for key in sorted(needed):
        step, move = first[key]
        schedule[step].append(move)
    return schedule
