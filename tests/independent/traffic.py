"""Checks the log of `pavane traffic run` against the rules of the traffic simulator, without simulating.

All runs: the channels of a message lead from its source to its destination; a channel (half duplex: a link) carries one message at a time; a message starts no
earlier than it can and holds a channel as long as its switching demands; every message is delivered or reported as unfinished; makespan, waits and loads are
as printed. Runs with fixed paths and store-and-forward, virtual cut-through or circuit switching: no link is idle while a message waits for it, and no link
is granted while a message with a higher key waits (ties: earlier in the queue, then the sequence number)."""

import csv
from collections import defaultdict, namedtuple

TICKS = 1 << 20
Message = namedtuple("Message", "arrival source destination length")
Hold = namedtuple("Hold", "message hop channel start end")
Run = namedtuple("Run", "network mission switching policy edd half fixed minimal lanes")


def ticks(text):
    """A time in ticks. Every time of the simulator is a whole number of ticks."""
    value = float(text) * TICKS
    if value != int(value):
        raise ValueError(f"{text} is not a whole number of ticks")
    return int(value)


def read_log(path):
    """The holds of every message, in the order of the log."""
    holds = defaultdict(list)
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            message = int(row["message"])
            holds[message].append(Hold(message, len(holds[message]), int(row["channel"]), ticks(row["start"]), ticks(row["end"])))
    return holds


def replay(run, holds, printed):
    """A text for every rule that a run breaks."""
    unfinished = set(printed["deadlock"])
    wrong = list(chains(run, holds, unfinished)) + list(exclusion(run, holds)) + list(durations(run, holds))
    if wrong:
        return wrong
    if not unfinished:
        wrong += figures(run, holds, printed)
    if run.fixed and not unfinished and run.switching in ORDERS:
        wrong += ORDERS[run.switching](run, holds)
    return wrong


def chains(run, holds, unfinished):
    network = run.network
    for index, message in enumerate(run.mission):
        if index in unfinished:
            continue
        at, visited = network.homes[message.source], [network.homes[message.source]]
        for hold in holds.get(index, []):
            tail, at_next = network.channels[hold.channel]
            if tail != at:
                yield f"message {index} continues at router {tail}, but is at {at}"
            at = at_next
            visited.append(at)
        if at != network.homes[message.destination]:
            yield f"message {index} ends at router {at}, not at its destination, and is not reported as unfinished"
        closer = [network.distances(r).get(at, 0) > network.distances(s).get(at, 0) for r, s in zip(visited, visited[1:])]
        if any(not step and visited[i + 1] in visited[: i + 1] for i, step in enumerate(closer)):
            yield f"message {index} makes a detour to a router that it has visited"
        if run.minimal and not all(closer):
            yield f"message {index} makes a detour"
    if not set(holds) <= set(range(len(run.mission))):
        yield "the log names messages that the mission does not have"


def place(run, channel):
    """The resource that a channel occupies: itself, or its link under half duplex."""
    return min(channel, run.network.partner.get(channel, channel)) if run.half else channel


def by_place(run, holds):
    places = defaultdict(list)
    for chain in holds.values():
        for hold in chain:
            places[place(run, hold.channel)].append(hold)
    return {where: sorted(users, key=lambda hold: (hold.start, hold.end)) for where, users in places.items()}


def exclusion(run, holds):
    if run.lanes > 1:
        return  # Several messages may then hold a link and share it.
    for where, users in by_place(run, holds).items():
        for one, other in zip(users, users[1:]):
            if other.start < one.end:
                yield f"channel {where} carries messages {one.message} and {other.message} at time {other.start / TICKS}"


def durations(run, holds):
    for index, chain in holds.items():
        message = run.mission[index]
        length = message.length
        if chain[0].start < message.arrival:
            yield f"message {index} starts before it arrives"
        for hold, following in zip(chain, [*chain[1:], None]):
            if run.switching in ("store-and-forward", "vct") and hold.end - hold.start != length:
                yield f"message {index} holds channel {hold.channel} for {(hold.end - hold.start) / TICKS}"
            if run.switching == "store-and-forward" and following and following.start < hold.end:
                yield f"message {index} continues before it has arrived completely"
            if run.switching == "vct" and following and hold.start != following.start < hold.end:
                yield f"message {index} continues neither at once nor after it has arrived completely"
            if run.switching == "wormhole" and following and (following.start < hold.start or following.end != hold.end and run.lanes == 1):
                yield f"message {index} does not hold its channels one after the other until its end"
        if run.switching == "cs" and {(hold.start, hold.end) for hold in chain} != {(chain[0].start, chain[0].start + length)}:
            yield f"message {index} does not hold all its circuit for its length"
        if run.switching == "wormhole" and run.lanes == 1 and chain[-1].end - chain[-1].start != length:
            yield f"message {index} ends {(chain[-1].end - chain[-1].start) / TICKS} after its header"


def figures(run, holds, printed):
    """Makespan, waits and loads, as printed."""
    wrong, ends = [], []
    for index, message in enumerate(run.mission):
        chain = holds.get(index, [])
        if not chain:
            continue  # Source and destination share a router. The rules do not say how long that takes.
        ends.append(chain[-1].end)
        free = message.length * (len(chain) if run.switching == "store-and-forward" else 1)
        if run.lanes == 1 and ticks(printed["waits"][index]) != chain[-1].end - message.arrival - free:
            wrong.append(f"message {index} is printed to wait {printed['waits'][index]}, but waits {(chain[-1].end - message.arrival - free) / TICKS}")
    makespan = max(ends, default=0) - min(message.arrival for message in run.mission)
    if all(holds.get(index) for index in range(len(run.mission))) and ticks(printed["makespan"]) != makespan:
        wrong.append(f"the makespan is printed as {printed['makespan']}, but is {makespan / TICKS}")
    # Under wormhole switching a message also holds channels while it waits; a load is the time in which it moves.
    carried = lambda hold: run.mission[hold.message].length if run.switching == "wormhole" else hold.end - hold.start
    loads = sorted(sum(map(carried, users)) for users in by_place(run, holds).values())
    if loads != [load for load in sorted(ticks(entry["load"]) for entry in printed["links"]) if load]:
        wrong.append("the loads of the links are not those of the log")
    for name, bound in (printed["bounds"] or {}).items():
        if run.fixed and ticks(bound) > ticks(printed["makespan"]):
            wrong.append(f"the bound {name} {bound} is above the makespan")
    return wrong


def key(run, message, hops_left):
    """The key of a waiting message, higher first, in ticks: lengths and times are in ticks already, a channel still to go counts as a unit."""
    length = run.mission[message].length
    value = {
        "fifo": 0,
        "lf": length, "smallest-first": -length,
        "ff": hops_left * TICKS, "nf": -hops_left * TICKS,
        "lbf": length * hops_left, "sbf": -length * hops_left,
    }[run.policy]
    return value - run.mission[message].arrival if run.edd else value


def rank(run, hold, ready, hops):
    """The order in which waiting messages are served, smallest first."""
    return -key(run, hold.message, hops - hold.hop), ready, hold.message


def waiting(run, holds):
    """Every hold with the time at which its message joined the queue for it, None if it cut through without queueing, and the hops of its message."""
    for index, chain in holds.items():
        ready = run.mission[index].arrival
        for hold in chain:
            passes = run.switching == "vct" and hold.hop > 0 and hold.start == chain[hold.hop - 1].start
            yield hold, None if passes else ready, len(chain)
            ready = hold.end


def queue_order(run, holds):
    """Store-and-forward and virtual cut-through: a free link serves the best message of the queues at both ends."""
    wrong, queues = [], defaultdict(list)
    for hold, ready, hops in waiting(run, holds):
        queues[place(run, hold.channel)].append((hold, ready, hops))
    for where, entries in queues.items():
        entries.sort(key=lambda entry: entry[0].start)
        for hold, ready, hops in entries:
            others = [entry for entry in entries if entry[1] is not None and entry[1] <= hold.start < entry[0].start]
            for other, since, other_hops in others:
                if ready is None:
                    wrong.append(f"message {hold.message} cuts through channel {where} while message {other.message} waits for it")
                elif rank(run, other, since, other_hops) < rank(run, hold, ready, hops):
                    wrong.append(f"channel {where} goes to message {hold.message} at {hold.start / TICKS}, but message {other.message} has a higher key")
            if ready is not None and is_idle(entries, ready, hold.start):
                wrong.append(f"message {hold.message} waits for channel {where} from {ready / TICKS} though it is idle")
    if run.switching == "vct":
        wrong += missed_passes(run, holds, queues)
    return wrong


def is_idle(entries, since, until):
    """Whether a link is idle at some time between the two times."""
    for hold, _, _ in entries:
        if hold.start <= since < hold.end:
            since = hold.end
    return since < until


def missed_passes(run, holds, queues):
    """Messages that were buffered although their next link was free and no message waited for it."""
    for chain in holds.values():
        for hold, following in zip(chain, chain[1:]):
            if following.start == hold.start:
                continue
            entries, now = queues[place(run, following.channel)], hold.start
            is_taken = any(other.start <= now < other.end for other, _, _ in entries)
            is_wanted = any(ready is not None and ready <= now < other.start for other, ready, _ in entries)
            if not is_taken and not is_wanted:
                yield f"message {hold.message} is buffered before channel {following.channel} at {now / TICKS} though it is free"


def circuit_order(run, holds):
    """Circuit switching: after every batch of events, waiting messages are tried in the order of their keys."""
    wrong, uses = [], by_place(run, holds)
    instants = sorted({time for chain in holds.values() for time in (chain[0].start, chain[0].end, run.mission[chain[0].message].arrival)})
    for index, chain in holds.items():
        arrival = run.mission[index].arrival
        mine = rank(run, chain[0], arrival, len(chain))
        places = {place(run, hold.channel) for hold in chain}
        for now in instants:
            if not arrival <= now < chain[0].start:
                continue
            held = [use for where in places for use in uses[where] if use.start <= now < use.end]
            before = [use for use in held if use.start < now or rank_of_circuit(run, holds, use.message) < mine]
            if not before:
                wrong.append(f"message {index} could have had its circuit at {now / TICKS}, but starts at {chain[0].start / TICKS}")
                break
    return wrong


def rank_of_circuit(run, holds, message):
    return rank(run, holds[message][0], run.mission[message].arrival, len(holds[message]))


ORDERS = {"store-and-forward": queue_order, "vct": queue_order, "cs": circuit_order}
