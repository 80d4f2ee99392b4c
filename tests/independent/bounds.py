"""Lower bounds for the independent checker: derives the bound of a schedule file again from the simple kinds of certificates. Each function returns a number of
steps (or a time) that no schedule can undercut. Kinds that are not here (refutations by a solver, queues, relays and others) are left to the judge of the program."""

from fractions import Fraction
from math import ceil

from independent.network import Malformed
from independent.plan import Part, cheapest_paths, proved_limit
from independent.rules import ports_of
from independent.timed import fraction, values


def proved_steps(phase):
    """The number of steps that the certificate of a phase proves; None if its kind is not checked here."""
    certificate = (phase.bound or {}).get("certificate")
    if certificate is None:
        return None
    derive = KINDS.get(certificate["kind"])
    return None if derive is None else derive(phase.problem, certificate)


def growth(problem, certificate):
    """A processor that has the message passes it on to at most as many others per step as it has ports."""
    message = problem.messages[certificate["message"]]
    network = problem.network
    others = sorted((ports_of(problem, p)[0] for p in network.processors if p != message.origin), reverse=True)
    hops = network.distances(network.homes[message.origin])
    holders, steps = 0, 0
    while holders < len(message.destinations):
        steps += 1
        more = ports_of(problem, message.origin)[0] + sum(others[:holders])
        if problem.model.sf:
            near = sum(hops.get(network.homes[p], steps + 1) <= steps for p in network.processors) - 1
            more = min(more, near - holders)
        if more <= 0 and steps > len(network.processors):
            raise Malformed("the message cannot spread")
        holders = min(holders + max(more, 0), len(others))
    return steps


def receive(problem, certificate):
    processor = certificate["processor"]
    return ceil(Fraction(sum(processor in message.destinations for message in problem.messages), ports_of(problem, processor)[1]))


def send(problem, certificate):
    processor = certificate["processor"]
    return ceil(Fraction(sum(message.origin == processor for message in problem.messages), ports_of(problem, processor)[0]))


def cut(problem, certificate):
    """Messages that must cross a cut, over the channels that do."""
    inside, homes = set(certificate["routers"]), problem.network.homes
    outward = inward = 0
    for message in problem.messages:
        starts_inside = homes[message.origin] in inside
        if any((homes[to] in inside) != starts_inside for to in message.destinations):
            outward += starts_inside
            inward += not starts_inside
    leaving = sum(tail in inside and head not in inside for tail, head in problem.network.channels)
    entering = sum(tail not in inside and head in inside for tail, head in problem.network.channels)
    found = [ceil(Fraction(count, channels)) for count, channels in ((outward, leaving), (inward, entering)) if channels]
    if problem.model.half:
        crossing = {min(c, problem.network.partner.get(c, c)) for c, (tail, head) in enumerate(problem.network.channels) if (tail in inside) != (head in inside)}
        found.append(ceil(Fraction(outward + inward, len(crossing))))
    return max(found)


def capacity(problem):
    """How many channels, or links under half duplex, a step has."""
    network = problem.network
    return len({min(c, network.partner.get(c, c)) for c in range(len(network.channels))}) if problem.model.half else len(network.channels)


def distance(problem, _):
    """The channels that all messages need: as many as the furthest destination is away, and one into every router that wants the message."""
    uses, homes = 0, problem.network.homes
    for message in problem.messages:
        hops = problem.network.distances(homes[message.origin])
        wanted = {homes[to] for to in message.destinations} - {homes[message.origin]}
        uses += max([len(wanted)] + [hops[router] for router in wanted])
    return ceil(Fraction(uses, capacity(problem)))


def port_distance(problem, _):
    """Store-and-forward: the transfers that all messages need, over the ports."""
    if not problem.model.sf:
        raise Malformed("the argument is for store-and-forward only")
    transfers, homes = 0, problem.network.homes
    for message in problem.messages:
        hops = problem.network.distances(homes[message.origin])
        transfers += max([len(message.destinations)] + [hops[homes[to]] for to in message.destinations])
    ports = [ports_of(problem, processor) for processor in problem.network.processors]
    return ceil(Fraction(transfers, min(sum(out for out, _ in ports), sum(into for _, into in ports))))


def congestion(problem, certificate):
    """With a price for every channel, every message pays at least its cheapest way, and a step collects at most the sum of all prices."""
    network, prices = problem.network, certificate["prices"]
    if len(prices) != len(network.channels):
        raise Malformed("not one price per channel")
    paid = sum(least_price(problem, message, prices) for message in problem.messages)
    if problem.model.half:
        links = {}
        for channel, price in enumerate(prices):
            link = min(channel, network.partner.get(channel, channel))
            links[link] = max(price, links.get(link, 0))
        return ceil(Fraction(paid, sum(links.values())))
    return ceil(Fraction(paid, sum(prices)))


def least_price(problem, message, prices):
    network = problem.network
    start = network.homes[message.origin]
    wanted = {network.homes[to] for to in message.destinations} - {start}
    if len(message.destinations) == 1 and problem.model.routing == 0:
        cheapest = along_shortest_paths(network, start, prices)
    else:
        cheapest = cheapest_paths(network, start, prices)
    entering = sum(min(prices[channel] for channel in network.incoming[router]) for router in wanted)
    return max([entering] + [cheapest[router] for router in wanted])


def along_shortest_paths(network, start, prices):
    """The price of the cheapest of the shortest paths from a router to every other one."""
    hops, cheapest = network.distances(start), {start: 0}
    for router in sorted(hops, key=hops.get):
        for channel in network.outgoing[router]:
            head = network.channels[channel][1]
            if hops[head] == hops[router] + 1:
                cheapest[head] = min(cheapest.get(head, float("inf")), cheapest[router] + prices[channel])
    return cheapest


KINDS = {
    "growth": growth,
    "receive": receive,
    "send": send,
    "cut": cut,
    "distance": distance,
    "port-distance": port_distance,
    "congestion": congestion,
}


def proved_time(document, network):
    """The time in nanoseconds that the certificate of a timed schedule proves; None if its kind is not checked here."""
    certificate = (document.get("bound") or {}).get("certificate")
    bandwidths = values(document["network"].get("bandwidth_gbytes"), len(network.channels), 1)
    latencies = values(document["network"].get("latency_ns"), len(network.channels), 0)
    phases = document.get("phases") or [{**document["collective"], "chunks": document["chunks"]}]
    parts = [Part({**phase, "chunks": None}, network, []) for phase in phases]
    sizes = [message_sizes(phase["chunks"]) for phase in phases]
    if certificate is None or certificate["kind"] == "prices":
        return None
    if certificate["kind"] == "roots":
        return time_of_roots(parts, network, latencies)
    if certificate["kind"] == "throughput":
        amounts = {size for of in sizes for size in of.values()}
        if len(amounts) > 1 or len(parts) > 1:
            return None
        return proved_limit(certificate["limit"], parts, network, bandwidths) * amounts.pop()
    if len(parts) > 1:
        # Any processors may sum the parts of an all-reduce: left to the judge.
        return None
    return time_of_cut(certificate, parts[0], sizes[0], bandwidths, latencies)


def time_of_roots(parts, network, latencies):
    """Every byte of an all-reduce is summed at a participant, which the farthest one must reach, and which must then reach the farthest one."""
    if len(parts) < 2:
        raise Malformed("only an all-reduce has roots")
    homes = sorted({network.homes[to] for message in parts[-1].messages for to in (message.origin, *message.destinations)})
    ways = {home: cheapest_paths(network, home, latencies) for home in homes}
    return min(max(ways[other][root] for other in homes) + max(ways[root][other] for other in homes) for root in homes)


def message_sizes(chunks):
    sizes = {}
    for chunk in chunks:
        label = tuple(chunk["message"])
        sizes[label] = sizes.get(label, 0) + chunk["bytes"]
    return sizes


def time_of_cut(certificate, part, sizes, bandwidths, latencies):
    """What a receiver wants from a set of routers must leave it: over channels that are of use only after the data can have reached them and while it can still arrive
    in time. The same holds for the part of it that starts at some distance from the border or farther. A reduce or gather is read backwards in time."""
    inside, receiver, network = set(certificate["routers"]), certificate["receiver"], part.network
    home = network.homes[receiver]
    if part.is_backward:
        inside = set(range(len(network.outgoing))) - inside
    if home in inside:
        raise Malformed("the receiver is in the set")
    left = cheapest_paths(network.reversed(), home, latencies)
    border = [c for c, (tail, head) in enumerate(network.channels) if tail in inside and head not in inside and head in left]
    within = [latency if network.channels[c][1] in inside else float("inf") for c, latency in enumerate(latencies)]
    wanted = {}
    for message in part.messages:
        if receiver in message.destinations and network.homes[message.origin] in inside:
            origin = network.homes[message.origin]
            wanted[origin] = wanted.get(origin, 0) + sizes[message.key]
    sources = []
    for origin, amount in wanted.items():
        reached = cheapest_paths(network, origin, within)
        opening = {c: reached[network.channels[c][0]] for c in border if reached.get(network.channels[c][0], float("inf")) != float("inf")}
        sources.append((min(opening.values()), amount, opening))
    best = Fraction(0)
    for nearest in {source[0] for source in sources}:
        far = [source for source in sources if source[0] >= nearest]
        opens = {}
        for _, _, opening in far:
            for channel, time in opening.items():
                opens[channel] = min(time, opens.get(channel, time))
        delays = [(fraction(time) + latencies[c] + left[network.channels[c][1]], bandwidths[c]) for c, time in opens.items()]
        best = max(best, earliest_end(delays, sum(amount for _, amount, _ in far)))
    return best


def earliest_end(delays, total):
    """The earliest T with sum of bandwidth * (T - delay) >= total over the channels whose delay is below T."""
    delays = sorted(delays)
    weight, offset = Fraction(0), Fraction(0)
    for position, (delay, bandwidth) in enumerate(delays):
        weight += bandwidth
        offset += bandwidth * delay
        end = (total + offset) / weight
        if position + 1 == len(delays) or end <= delays[position + 1][0]:
            return end
    raise Malformed("nothing can leave the set")
