"""TDM schedules (`pavane/tdm/1`) for the independent checker: the slots of every word modulo the period, and the bounds that certificates prove. Written from the
rules of the file format; it shares no code with the program."""

from collections import Counter
from fractions import Fraction
from math import ceil

from independent.network import Malformed, is_number, read_network
from independent.plan import cheapest_paths


def judge_slots(document):
    """The period of a schedule, the bound that its certificate proves (None if that is left to a proof), and a list of violations."""
    network = read_network(document.get("network"))
    period, depth, phits = document.get("period"), document.get("depth", 1), document.get("phits", 1)
    if not all(is_number(value) and value > 0 for value in (period, depth, phits)):
        raise Malformed("period, depth or phits is not a positive number")
    wraps, longer = document.get("wrap", True), read_routing(document.get("routing", "minimal"))
    demand = read_demand(document.get("demand"), network)
    wrong, words, busy = [], Counter(), Counter()
    starts = {}
    for word in document["words"]:
        (sender, receiver), start, path = word["message"], word["start"], word["path"]
        if (sender, receiver) not in demand or not is_number(start, period):
            raise Malformed(f"{word!r} is not a word of the demand")
        if not all(is_number(channel, len(network.channels)) for channel in path):
            raise Malformed("a word uses a channel that does not exist")
        words[sender, receiver] += 1
        wrong += route_problems(network, sender, receiver, path, longer)
        uses = [("inject", sender)] + list(path) + [("eject", receiver)]
        for stage, resource in enumerate(uses):
            for phit in range(phits):
                busy[resource, (start + depth * stage + phit) % period] += 1
        travel = depth * (len(path) + 1) + phits
        if not wraps and start + travel > period:
            wrong.append(f"wrap: the word {sender} -> {receiver} does not arrive before the period ends")
        starts.setdefault((sender, receiver), []).append((start, travel))
    wrong += [f"slots: {resource} is used {count} times in slot {slot}" for (resource, slot), count in busy.items() if count > 1]
    for message, (weight, latency) in demand.items():
        if words[message] != weight:
            wrong.append(f"weights: {message} has {words[message]} words, not {weight}")
        elif latency is not None and worst(starts[message], period) > latency:
            wrong.append(f"latency: {message} may wait longer than {latency} slots")
    bound = document.get("bound")
    proved = None
    if bound is not None:
        proved = proved_period(bound["certificate"], network, demand, depth, phits, wraps, longer)
        if proved is not None and proved < bound["period"]:
            wrong.append(f"bound: the certificate proves {proved} slots, not {bound['period']}")
        if bound["period"] > period and not wrong:
            wrong.append(f"bound: {bound['period']} slots are claimed to be needed, but {period} are enough")
    return period, proved, wrong


def read_routing(routing):
    if isinstance(routing, dict) and is_number(routing.get("detour")):
        return routing["detour"]
    if routing not in ("minimal", "any"):
        raise Malformed(f"routing {routing!r}")
    return 0 if routing == "minimal" else None


def read_demand(demand, network):
    """The weight and the latency limit of every message."""
    if demand == "all-to-all":
        return {(a, b): (1, None) for a in network.processors for b in network.processors if a != b}
    if not isinstance(demand, list):
        raise Malformed("demand is neither all-to-all nor a list")
    found = {}
    for sender, receiver, weight, *latency in demand:
        if (sender, receiver) in found or sender == receiver or not is_number(weight) or weight < 1:
            raise Malformed("a message is listed twice, has no words or goes to its sender")
        found[sender, receiver] = (weight, latency[0] if latency else None)
    return found


def route_problems(network, sender, receiver, path, longer):
    visited = [network.homes[sender]]
    for channel in path:
        tail, head = network.channels[channel]
        if tail != visited[-1]:
            yield f"route: channel {channel} does not continue the route {sender} -> {receiver}"
        visited.append(head)
    if visited[-1] != network.homes[receiver] or len(set(visited)) < len(visited):
        yield f"route: {sender} -> {receiver} ends elsewhere or visits a router twice"
    if longer is not None and len(path) > network.between(sender, receiver) + longer:
        yield f"route: {sender} -> {receiver} is too long"


def worst(starts, period):
    """The worst latency of a message: the gap before a start, and the way."""
    starts = sorted(starts)
    before = [starts[-1][0] - period] + [start for start, _ in starts]
    return max(start - earlier + travel for (start, travel), earlier in zip(starts, before))


def proved_period(certificate, network, demand, depth, phits, wraps, longer):
    """The least period that a certificate leaves possible; None for refutations by a solver."""
    kind = certificate.get("kind")
    hops = {message: network.between(*message) for message in demand}
    weights = {message: weight for message, (weight, _) in demand.items()}
    edge = 0 if wraps else 2 * depth  # No channel is used in the first and the last slots of a period.
    if kind == "ports":
        end = 0 if certificate["direction"] == "send" else 1
        least = certificate["hops"]
        if wraps:
            return phits * sum(weight for message, weight in weights.items() if message[end] == certificate["processor"])
        counted = sum(weight for message, weight in weights.items() if message[end] == certificate["processor"] and hops[message] >= least)
        return phits * counted + depth * (least + 1) if counted else 0
    if kind == "capacity":
        return ceil(Fraction(phits * sum(weights[m] * hops[m] for m in weights), len(network.channels))) + edge
    if kind == "cut":
        inside = set(certificate["routers"])
        leaving = sum(tail in inside and head not in inside for tail, head in network.channels)
        words = sum(weight for (a, b), weight in weights.items() if network.homes[a] in inside and network.homes[b] not in inside)
        return ceil(Fraction(phits * words, leaving)) + edge
    if kind == "prices":
        return ceil(phits * cheapest_total(network, weights, certificate["prices"], longer) / sum(certificate["prices"])) + edge
    if kind == "residue":
        ports = Counter()
        for (sender, receiver), weight in weights.items():
            ports["inject", sender] += weight
            ports["eject", receiver] += weight
        if len(set(ports.values())) != 1 or phits != 1 or not wraps or longer != 0:
            raise Malformed("the residue argument does not apply")
        period = max(ports.values())
        offsets = sum(weights[m] * depth * (hops[m] + 1) for m in weights)
        return period + 1 if offsets % period else period
    if kind == "offsets":
        if wraps:
            raise Malformed("offsets count only if words may not wrap")
        counted = [message for message in weights if hops[message] >= certificate["hops"]]
        sent, received = Counter(), Counter()
        for sender, receiver in counted:
            sent[sender] += weights[sender, receiver]
            received[receiver] += weights[sender, receiver]
        # The least sum of injection slots, and by how much the largest sum of ejection slots falls short of the period.
        early = sum(words * (words - 1) // 2 for words in sent.values())
        late = sum(words * (words + 1) // 2 for words in received.values())
        offsets = sum(weights[message] * depth * (hops[message] + 1) for message in counted)
        return ceil(Fraction(offsets + phits * (early + late), sum(weights[message] for message in counted)))
    if kind == "exact":
        return None
    raise Malformed(f"certificate {kind!r}")


def cheapest_total(network, weights, prices, longer):
    """The prices that all words pay at least, on the routes that they may take."""
    if len(prices) != len(network.channels):
        raise Malformed("not one price per channel")
    total = Fraction(0)
    for sender in {sender for sender, _ in weights}:
        start = network.homes[sender]
        if longer == 0:
            # Only channels that lead one hop further from the sender.
            distance = network.distances(start)
            cheapest = {start: 0}
            for router in sorted(distance, key=distance.get):
                for channel in network.outgoing[router]:
                    head = network.channels[channel][1]
                    if distance[head] == distance[router] + 1:
                        cheapest[head] = min(cheapest.get(head, float("inf")), cheapest[router] + prices[channel])
        else:
            # Longer routes can only be cheaper if all are allowed, so this is a lower bound.
            cheapest = cheapest_paths(network, start, prices)
        total += sum(weight * cheapest[network.homes[receiver]] for (a, receiver), weight in weights.items() if a == sender)
    return total
