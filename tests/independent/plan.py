"""Throughput plans (`pavane/throughput/1`) for the independent checker: weighted trees and paths, their time per byte, and the limits that certificates prove.
Written from the rules of the file format; it shares no code with the program. All arithmetic is exact."""

import heapq
from collections import Counter, defaultdict
from fractions import Fraction

from independent.network import Malformed, is_number, read_network
from independent.schedule import read_collective
from independent.timed import fraction, values


class Part:
    """A phase: its messages, routes and the network in the direction in which messages spread. A reduce or gather is read backwards."""

    def __init__(self, data, network, key):
        kind, self.messages = read_collective(data, network)
        self.is_backward = kind in ("gather", "reduce")
        self.has_paths = kind in ("scatter", "gather")
        self.network = network.reversed() if self.is_backward else network
        number = {message.key: index for index, message in enumerate(self.messages)}
        self.routes = []
        for entry in key if isinstance(key, list) else []:
            label = tuple(entry.get("message", ()))
            if label not in number or not is_number(entry.get("weight"), 2**64):
                raise Malformed(f"{entry!r} is not a route")
            if not all(is_number(channel, len(network.channels)) for channel in entry["channels"]):
                raise Malformed("a route has a channel that does not exist")
            channels = entry["channels"][::-1] if self.is_backward else entry["channels"]
            self.routes.append((number[label], entry["weight"], channels))

    def homes(self, message):
        """The router where a message starts and those where it is wanted."""
        homes = self.network.homes
        root = homes[message.origin]
        return root, {homes[to] for to in message.destinations} - {root}


def judge_plan(document):
    """The time per byte of a plan in nanoseconds and the proved limit (or None); a list of violations."""
    network = read_network(document.get("network"))
    bandwidths = values(document["network"].get("bandwidth_gbytes"), len(network.channels), 1)
    scale = document.get("scale")
    if not is_number(scale, 2**64) or scale < 1 or "sizes" in document:
        raise Malformed("the scale is not a positive number, or messages have sizes")
    listed = document.get("phases")
    if listed is None:
        collective = document["collective"]
        parts = [Part(collective, network, document.get("trees", document.get("paths")))]
    else:
        if [phase.get("kind") for phase in listed] != ["reduce", "broadcast"]:
            raise Malformed("the phases are not those of an all-reduce")
        if set(listed[0]["senders"]) != set(listed[1]["receivers"]) or set(listed[0]["receivers"]) != set(listed[1]["senders"]):
            raise Malformed("the phases have different groups")
        parts = [Part(phase, network, phase.get("trees")) for phase in listed]
    wrong, load = [], Counter()
    for part in parts:
        wrong += problems_of(part, scale)
        for _, weight, channels in part.routes:
            for channel in channels:
                load[channel] += weight
    time = max((Fraction(load[channel], scale) / bandwidths[channel] for channel in load), default=Fraction(0))
    if "ns_per_byte" in document and fraction(document["ns_per_byte"]) != time:
        wrong.append(f"time: the plan takes {time} ns per byte, not {document['ns_per_byte']}")
    limit = document.get("limit")
    proved = None
    if limit is not None:
        proved = proved_limit(limit["certificate"], parts, network, bandwidths)
        if proved < fraction(limit["ns_per_byte"]):
            wrong.append(f"limit: the certificate proves {proved}, not {limit['ns_per_byte']}")
    return time, proved, wrong


def problems_of(part, scale):
    sums = Counter()
    for message, weight, channels in part.routes:
        sums[message] += weight
        if weight == 0:
            yield "weights: a route has no weight"
        if part.has_paths:
            yield from path_problems(part, part.messages[message], channels)
        else:
            yield from tree_problems(part, part.messages[message], channels)
    for index, message in enumerate(part.messages):
        _, wanted = part.homes(message)
        if sums[index] != scale and (wanted or sums[index]):
            yield f"weights: those of message {list(message.key)} add up to {sums[index]}, not {scale}"


def path_problems(part, message, channels):
    root, wanted = part.homes(message)
    visited = [root]
    for channel in channels:
        tail, head = part.network.channels[channel]
        if tail != visited[-1]:
            yield f"path: channel {channel} does not start where the path of {list(message.key)} has arrived"
        visited.append(head)
    if wanted - {visited[-1]} or len(set(visited)) < len(visited):
        yield f"path: the path of {list(message.key)} does not end at its receiver, or visits a router twice"


def tree_problems(part, message, channels):
    """Copies travel: a router with processors, or a switch that copies, keeps what it has; another switch gives a copy away with every channel."""
    root, wanted = part.homes(message)
    residents = set(part.network.homes)
    keeps = residents | part.network.multicast | {root}
    entered, left = Counter(), Counter()
    for channel in channels:
        tail, head = part.network.channels[channel]
        if tail != root and not entered[tail] or tail not in keeps and left[tail] >= entered[tail]:
            yield f"tree: router {tail} does not have what it sends over channel {channel}"
        left[tail] += 1
        entered[head] += 1
        if head == root or head in keeps and entered[head] > 1:
            yield f"tree: router {head} receives message {list(message.key)} twice"
    for router in entered:
        if router in wanted:
            continue
        if router in keeps and not left[router] or router not in keeps and entered[router] > left[router]:
            yield f"tree: router {router} does not want message {list(message.key)} and does not pass it on"
    if wanted - set(entered):
        yield f"tree: message {list(message.key)} does not reach {wanted - set(entered)}"


def proved_limit(certificate, parts, network, bandwidths):
    """The time per byte that no plan can beat. Routers and channels are those of the file."""
    kind = certificate.get("kind")
    if kind == "cut":
        inside = set(certificate["routers"])
        crossing = sum(bandwidths[c] for c, (tail, head) in enumerate(network.channels) if tail in inside and head not in inside)
        return Fraction(sum(must_leave(part, inside) for part in parts)) / crossing
    if kind == "cuts":
        return weighted_cuts(certificate, parts, network, bandwidths)
    if kind == "prices":
        prices = certificate["prices"]
        if len(prices) != len(network.channels) or not all(is_number(price, 2**64) for price in prices):
            raise Malformed("not one price per channel")
        paid = Fraction(sum(dearest(part, message, prices) for part in parts for message in part.messages))
        return paid / sum(bandwidth * price for bandwidth, price in zip(bandwidths, prices))
    raise Malformed(f"certificate {kind!r}")


def must_leave(part, inside):
    """How many messages must leave a set of routers on their way; a reduce or gather travels towards the root."""
    count = 0
    for message in part.messages:
        root, wanted = part.homes(message)
        if part.is_backward:
            count += root not in inside and bool(wanted & inside)
        else:
            count += root in inside and bool(wanted - inside)
    return count


def weighted_cuts(certificate, parts, network, bandwidths):
    owed = Fraction(0)
    prices = [defaultdict(int) for _ in parts]
    for cut in certificate["cuts"]:
        inside, phase, weight = set(cut["routers"]), cut["phase"], cut["weight"]
        owed += weight * must_leave(parts[phase], inside)
        for channel, (tail, head) in enumerate(network.channels):
            if tail in inside and head not in inside:
                prices[phase][channel] += weight
    residents = set(network.homes)
    for switch in certificate.get("switches", []):
        router, phase, weight = switch["router"], switch["phase"], switch["weight"]
        if router in residents or router in network.multicast:
            raise Malformed("a weighted switch copies")
        for channel in network.incoming[router]:
            prices[phase][channel] += weight
        for channel in network.outgoing[router]:
            prices[phase][channel] -= weight
    total = sum(bandwidths[c] * max(0, max(price[c] for price in prices)) for c in range(len(network.channels)))
    return owed / total


def dearest(part, message, prices):
    """The price of the cheapest path to the destination that is dearest to reach."""
    root, wanted = part.homes(message)
    cheapest = cheapest_paths(part.network, root, prices)
    return max((cheapest[router] for router in wanted), default=0)


def cheapest_paths(network, start, prices):
    found, queue = {}, [(0, start)]
    while queue:
        price, router = heapq.heappop(queue)
        if router in found:
            continue
        found[router] = price
        for channel in network.outgoing[router]:
            heapq.heappush(queue, (price + prices[channel], network.channels[channel][1]))
    return found
