"""The phases of an all-reduce that overlap: the broadcast starts before the reduce ends, as the field `whole` of the file says."""

from collections import Counter

from independent.network import Malformed, is_number
from independent.rules import ports_of


def start_of(document, phases):
    """The number of steps before the broadcast starts, or None if it starts after the reduce, or if there is only one phase."""
    whole = document.get("whole")
    if whole is None or whole == {}:
        return None
    if not isinstance(whole, dict) or len(phases) != 2:
        raise Malformed("whole is not an object, or there are no phases")
    start = whole.get("start")
    if start is not None and not (is_number(start) and start <= len(phases[0].steps)):
        raise Malformed("the broadcast starts after the end of the reduce")
    if start is not None and document.get("rounds"):
        raise Malformed("the phases of a k-synchronous schedule overlap")
    bound = whole.get("bound")
    if bound is not None:
        certificate = bound.get("certificate") if isinstance(bound, dict) else None
        if not is_number((bound or {}).get("steps")) or not isinstance(certificate, dict):
            raise Malformed("the bound of the whole has no steps or no certificate")
        if certificate.get("kind") not in ("entries", "receives", "phase", "queue"):
            raise Malformed("the certificate of the whole has no known kind")
        if bound["steps"] > steps_of(phases, start):
            raise Malformed("the bound of the whole is above its steps")
    return start


def steps_of(phases, start):
    """The number of steps of all phases together."""
    lengths = [len(phase.steps) for phase in phases]
    return sum(lengths) if start is None else max(lengths[0], start + lengths[1])


def sums_of(problem):
    """For each message, its origin and how many messages before it have the same."""
    seen, sums = Counter(), []
    for message in problem.messages:
        sums.append((message.origin, seen[message.origin]))
        seen[message.origin] += 1
    return sums


def problems_of_whole(phases, start):
    """What is wrong where the phases overlap."""
    reduce, broadcast = phases
    problem, network = broadcast.problem, broadcast.problem.network
    # A reduce is read backward in time, so its last step comes first and its ends are exchanged.
    before = [[(t.message, t.receiver, t.sender, t.path) for t in step] for step in reduce.steps[::-1]]
    after = [[(t.message, t.sender, t.receiver, t.path) for t in step] for step in broadcast.steps]
    wrong = []
    for step in range(start, min(len(before), start + len(after))):
        uses, sends, receives = Counter(), Counter(), Counter()
        for _, sender, receiver, path in before[step] + after[step - start]:
            uses.update(min(c, network.partner.get(c, c)) if problem.model.half else c for c in path)
            sends[sender] += 1
            receives[receiver] += 1
        wrong += [f"V1: step {step}: channel {channel} is used by both phases" for channel, count in uses.items() if count > 1]
        for processor in network.processors:
            ports = ports_of(problem, processor)
            if sends[processor] > ports[0] or receives[processor] > ports[1]:
                wrong.append(f"V2: step {step}: processor {processor} has too few ports for both phases")
    sums, complete = sums_of(reduce.problem), {}
    for step, transfers in enumerate(before):
        for message, _, receiver, _ in transfers:
            if receiver == sums[message][0]:
                complete[sums[message]] = step
    sums = sums_of(broadcast.problem)
    for step, transfers in enumerate(after, start):
        for message, sender, _, _ in transfers:
            if sender == sums[message][0] and complete.get(sums[message], -1) >= step:
                wrong.append(f"V3: step {step}: processor {sender} sends a sum that is not complete")
    return wrong
