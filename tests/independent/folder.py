"""Judges the folders of `pavane faults --save`: a schedule for every fault of a network, with an index.

An entry is right if its file, renumbered, is a valid schedule for exactly the network with the faults of the entry and for the collective without the lost
processors."""

from collections import namedtuple
from itertools import combinations
from math import comb

from independent.network import Malformed, is_number
from independent.rules import problems_of
from independent.schedule import read_document, read_schedule

MOST_SETS = 10_000
Entry = namedtuple("Entry", "faults wrong phases steps")  # phases: None if the entry names no schedule
Judged = namedtuple("Judged", "collective entries wrong")


def judge_folder(folder, network=None):
    """The entries of every collective and the mistakes of the index. The network is that of the schedule without faults unless it is given."""
    index = read_document(folder / "index.json")
    if not isinstance(index, dict) or index.get("format") != "pavane/contingency/1" or not isinstance(index.get("collectives"), list):
        raise Malformed("not an index")
    return [judge_collective(folder, index, part, network) for part in index["collectives"]]


def judge_collective(folder, index, part, network):
    if not isinstance(part, dict) or not isinstance(part.get("faults"), list):
        raise Malformed("not a collective of an index")
    wrong, document = [], read_named(folder, part.get("no_fault"))
    base, phases = read_schedule(document)
    if any(problems_of(phase) for phase in phases):
        wrong.append("the schedule without faults is not valid")
    half_duplex = phases[0].problem.model.half
    if network is not None and network.identity(half_duplex) != base.identity(half_duplex):
        wrong.append("the schedule without faults is for another network")
    base = network or base
    wanted, model = [messages_of(phase) for phase in phases], phases[0].problem.model
    entries = [judge_entry(folder, entry, base, wanted, model, bool(part.get("root_moves"))) for entry in part["faults"]]
    wrong += [f"without {entry.faults}: {text}" for entry in entries for text in entry.wrong]
    if not index.get("is_sample") and not names_every_fault(index, base, entries):
        wrong.append("the index does not name every fault")
    return Judged(part.get("collective"), entries, wrong)


def read_named(folder, name):
    if not isinstance(name, str) or not (folder / name).is_file():
        raise Malformed(f"no file {name!r}")
    return read_document(folder / name)


def messages_of(phase):
    """(origin, destinations) of every message, sorted."""
    return sorted((message.origin, tuple(sorted(message.destinations))) for message in phase.problem.messages)


def left_of(wanted, broken, root_moves):
    """The messages of a phase without the lost processors. If the root may move and is lost, the first remaining processor replaces it."""
    living = set(broken.processors)
    origins = {origin for origin, _ in wanted}
    if root_moves and len(origins) == 1 and not origins & living:
        root, is_private = min(living, default=None), all(len(others) == 1 for _, others in wanted) and len(wanted) > 1
        others = sorted(living - {root})
        return [(root, (other,)) for other in others] if is_private else [(root, tuple(others))] if others else []
    left = [(origin, tuple(d for d in others if d in living)) for origin, others in wanted if origin in living]
    return sorted((origin, others) for origin, others in left if others)


def judge_entry(folder, entry, base, wanted, model, root_moves):
    if not isinstance(entry, dict) or not isinstance(entry.get("faults"), list):
        raise Malformed("not an entry of an index")
    faults, wrong, phases = entry["faults"], [], None
    try:
        broken = base.without(faults)
        if entry.get("schedule") is None:
            left = [left_of(messages, broken, root_moves) for messages in wanted]
            if any(left) and all_reach(broken, left, model):
                wrong.append("no schedule, although all destinations can be reached")
        else:
            document = read_named(folder, entry["schedule"])
            network, phases = read_schedule(document)
            wrong += check_file(entry, network, phases, broken, wanted, root_moves)
    except Malformed as error:
        wrong.append(str(error))
    steps = sum(len(phase.steps) for phase in phases or [])
    return Entry(faults, wrong, phases, steps)


def all_reach(broken, left, model):
    """Whether all messages can be delivered in either direction. Under all-port, a processor on a router without channels has no ports."""
    for origin, other in [(origin, other) for messages in left for origin, others in messages for other in others]:
        home = broken.homes[origin]
        if broken.between(origin, other) is None or broken.between(other, origin) is None:
            return False
        if model.ports is None and not (broken.outgoing[home] and broken.incoming[home]):
            return False
    return True


def check_file(entry, network, phases, broken, wanted, root_moves):
    renumbering = entry.get("renumbering") or {"routers": list(range(network.routers)), "processors": list(range(len(network.homes)))}
    routers, processors = (renumbering.get(field) if isinstance(renumbering, dict) else None for field in ("routers", "processors"))
    for group in (routers, processors):
        if not isinstance(group, list) or not all(is_number(number) for number in group):
            raise Malformed("the renumbering is not two lists of numbers")
    half_duplex = phases[0].problem.model.half
    if network.renumbered(routers, processors).identity(half_duplex) != broken.identity(half_duplex):
        return ["the schedule is for another network"]
    found = [sorted((processors[o], tuple(sorted(processors[d] for d in others))) for o, others in messages_of(phase)) for phase in phases]
    if found != [left_of(messages, broken, root_moves) for messages in wanted]:
        return ["the schedule is for another collective"]
    return [text for phase in phases for text in problems_of(phase)]


def names_every_fault(index, base, entries):
    """Whether every set of `count` parts has an entry. Parallel parts have the same name, so the remaining networks are compared."""
    parts, of = [], index.get("of")
    if not isinstance(of, list) or not is_number(index.get("count")):
        raise Malformed("the index does not say what breaks")
    for kind in of:
        if kind == "routers":
            parts += [({router}, set()) for router in range(base.routers) if router in base.homes or base.outgoing[router] or base.incoming[router]]
        elif kind == "channels":
            parts += [(set(), {channel}) for channel in range(len(base.channels))]
        else:
            linked = {base.channels[channel] for channel in base.partner}
            parts += [(set(), {one, other}) for one, other in base.links]
            # A channel beside a link cannot be named: a fault between the two routers breaks the link first.
            parts += [(set(), {one}) for one, ends in enumerate(base.channels) if one not in base.partner and ends not in linked]
    if index["count"] > len(parts):
        return not entries
    if comb(len(parts), index["count"]) > MOST_SETS:
        raise Malformed("the index is about too many sets of faults for this checker")
    every = {rest(base.without_parts(*(set().union(*(part[place] for part in chosen)) for place in (0, 1)))) for chosen in combinations(parts, index["count"])}
    try:
        return every == {rest(base.without(entry.faults)) for entry in entries}
    except Malformed:
        return False


def rest(network):
    return tuple(network.homes), tuple(sorted(network.channels))
