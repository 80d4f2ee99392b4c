"""Networks for the independent checker: read from schedule files, built from names, and with faults removed.

Written from the rules of the model and the definitions of the families, not from the code of the program under test."""

from collections import deque
from fractions import Fraction
from itertools import product
from math import isfinite, prod


# Larger networks are refused as malformed.
MOST_ROUTERS = 100_000


class Malformed(Exception):
    """The input does not describe a schedule, so it cannot be judged."""


def is_number(value, limit=2**32):
    """Whether a JSON value is a whole number from 0 below a limit. No count in a file needs more than 32 bits."""
    return type(value) is int and 0 <= value < limit


class Network:
    """Routers, directed channels, links (pairs of opposite channels) and the home router of every processor (None: lost)."""

    def __init__(self, routers, channels, homes, links, multicast=()):
        self.routers, self.channels, self.homes = routers, [tuple(ends) for ends in channels], list(homes)
        self.multicast = frozenset(multicast)
        self.partner = {}
        for one, other in links:
            self.partner[one], self.partner[other] = other, one
        self.outgoing = [[] for _ in range(routers)]
        self.incoming = [[] for _ in range(routers)]
        for channel, (tail, head) in enumerate(self.channels):
            self.outgoing[tail].append(channel)
            self.incoming[head].append(channel)
        self._distances = {}

    @property
    def links(self):
        return [(one, other) for one, other in sorted(self.partner.items()) if one < other]

    @property
    def processors(self):
        """The processors that no fault removed."""
        return [processor for processor, home in enumerate(self.homes) if home is not None]

    def distances(self, start):
        """The number of channels from a router to every router that it reaches, by breadth-first search."""
        if start not in self._distances:
            found, queue = {start: 0}, deque([start])
            while queue:
                router = queue.popleft()
                for channel in self.outgoing[router]:
                    head = self.channels[channel][1]
                    if head not in found:
                        found[head] = found[router] + 1
                        queue.append(head)
            self._distances[start] = found
        return self._distances[start]

    def between(self, sender, receiver):
        """The distance from processor to processor, None if there is no path."""
        return self.distances(self.homes[sender]).get(self.homes[receiver])

    def switches(self):
        """Routers that have channels but no processor."""
        homes = set(self.homes)
        return [router for router in range(self.routers) if router not in homes and (self.outgoing[router] or self.incoming[router])]

    def reversed(self):
        """The network with every channel reversed."""
        return Network(self.routers, [(head, tail) for tail, head in self.channels], self.homes, self.links, self.multicast)

    def identity(self, half_duplex):
        """A value that is equal for two descriptions of the same network. The order of channels does not count, and links count under half duplex
        only."""
        channels = [(ends, channel in self.partner and half_duplex) for channel, ends in enumerate(self.channels)]
        return self.routers, tuple(self.homes), tuple(sorted(channels)), self.multicast

    def renumbered(self, routers, processors):
        """The network after router r has become routers[r] and processor p has become processors[p]."""
        if sorted(routers) != list(range(self.routers)) or sorted(processors) != list(range(len(self.homes))):
            raise Malformed("the renumbering is not a permutation")
        homes = [None] * len(self.homes)
        for processor, home in enumerate(self.homes):
            homes[processors[processor]] = None if home is None else routers[home]
        multicast = [routers[router] for router in self.multicast]
        return Network(self.routers, [(routers[tail], routers[head]) for tail, head in self.channels], homes, self.links, multicast)

    def named_parts(self, faults):
        """The routers and channels that fault texts name: `5` is a router, `0-1` a link (or a channel if there is no link), `0:1` one channel.
        A link that is named twice stands for two parallel links."""
        parts, named = [parse_fault(fault, self.routers) for fault in faults], set()
        for kind, ends in parts:
            if kind != "router":
                found = self.find(kind, ends, named)
                if not found:
                    raise Malformed(f"no {kind} {ends} to break")
                named |= found
        routers = [ends[0] for kind, ends in parts if kind == "router"]
        if len(set(routers)) < len(routers):
            raise Malformed("a router is named twice")
        return set(routers), named

    def surviving(self, routers, channels):
        """The channels that remain after the loss of some routers and channels."""
        return [channel for channel, ends in enumerate(self.channels) if channel not in channels and not routers & set(ends)]

    def without_parts(self, routers, channels):
        """The network after the loss of some routers and channels. Routers and processors keep their numbers."""
        kept = self.surviving(routers, channels)
        new = {channel: index for index, channel in enumerate(kept)}
        links = [(new[one], new[other]) for one, other in self.links if one in new and other in new]
        homes = [None if home in routers else home for home in self.homes]
        channels = [self.channels[channel] for channel in kept]
        multicast = self.multicast & {end for ends in channels for end in ends}  # A switch without channels is lost.
        return Network(self.routers, channels, homes, links, multicast)

    def without(self, faults):
        """The network after the faults that the texts name."""
        return self.without_parts(*self.named_parts(faults))

    def find(self, kind, ends, used):
        """The channels of the first unused link between two routers, for a channel one direction of it, or else the first unused channel."""
        left = [channel for channel in range(len(self.channels)) if channel not in used]
        directions = [ends, ends[::-1]] if kind == "link" else [ends]
        for channel in left:
            if self.partner.get(channel, -1) in left and self.channels[channel] in directions:
                return {channel, self.partner[channel]} if kind == "link" else {channel}
        return set([channel for channel in left if self.channels[channel] == ends][:1])


def parse_fault(text, routers):
    """(`router`, (r,)), (`link`, (a, b)) or (`channel`, (a, b)) from a text such as 5, 0-1 or 0:1."""
    if not isinstance(text, str):
        raise Malformed(f"fault {text!r} is not a text")
    for mark, kind in (("-", "link"), (":", "channel"), (None, "router")):
        pieces = text.split(mark) if mark else [text]
        if len(pieces) == (2 if mark else 1) and all(piece.isdecimal() and int(piece) < routers for piece in pieces):
            return kind, tuple(map(int, pieces))
    raise Malformed(f"fault {text!r} names no part of the network")


def read_network(data):
    """The network of a schedule file."""
    if not isinstance(data, dict):
        raise Malformed("network is not an object")
    routers, channels, homes = data.get("routers"), data.get("channels"), data.get("processors")
    if not is_number(routers, MOST_ROUTERS) or routers == 0:
        raise Malformed(f"routers is not a number from 1 to {MOST_ROUTERS - 1}")
    if not isinstance(channels, list) or not isinstance(homes, list) or not homes:
        raise Malformed("channels or processors is not a list")
    for ends in channels:
        if not isinstance(ends, list) or len(ends) != 2 or not all(is_number(end, routers) for end in ends) or ends[0] == ends[1]:
            raise Malformed(f"{ends!r} is not a channel")
    if not all(home is None or is_number(home, routers) for home in homes):
        raise Malformed("the home of a processor is not a router")
    check_decoration(data, routers)
    check_timings(data, len(channels))
    return Network(routers, channels, homes, read_links(data, channels), read_multicast(data, routers, channels, homes))


def read_links(data, channels):
    """The links: as listed, none in a directed network, else each channel is paired with the first opposite channel that is not paired yet."""
    directed, links = data.get("directed", False), data.get("links")
    if type(directed) is not bool:
        raise Malformed("directed is neither true nor false")
    if links is None:
        return [] if directed else pair_up(channels)
    if not isinstance(links, list) or directed and links:
        raise Malformed("links is not a list, or the network is directed and has links")
    seen = set()
    for pair in links:
        if not isinstance(pair, list) or len(pair) != 2 or not all(is_number(channel, len(channels)) for channel in pair):
            raise Malformed(f"{pair!r} is not a pair of channels")
        one, other = pair
        if list(channels[one]) != list(channels[other])[::-1] or one in seen or other in seen:
            raise Malformed(f"{pair!r} are not opposite channels, or one is in two links")
        seen |= {one, other}
    return links


def read_multicast(data, routers, channels, homes):
    """The switches that copy: different routers with channels and without a processor."""
    multicast = data.get("multicast", [])
    if not isinstance(multicast, list) or not all(is_number(router, routers) for router in multicast):
        raise Malformed("multicast is not a list of routers")
    if len(set(multicast)) < len(multicast):
        raise Malformed("multicast has a router twice")
    if set(multicast) & set(homes) or not set(multicast) <= {end for ends in channels for end in ends}:
        raise Malformed("multicast has a router that is not a switch")
    return multicast


def pair_up(channels):
    single, links = {}, []
    for channel, (tail, head) in enumerate(channels):
        if single.get((head, tail)):
            links.append((single[head, tail].pop(0), channel))
        else:
            single.setdefault((tail, head), []).append(channel)
    return links


def check_decoration(data, routers):
    """Checks the types of fields that no rule depends on."""
    if not isinstance(data.get("name", ""), str):
        raise Malformed("the network's name is not a text")
    faults = data.get("faults", [])
    if not isinstance(faults, list) or not all(isinstance(fault, str) for fault in faults):
        raise Malformed("faults is not a list of texts")
    names = data.get("names", [])
    names = None if names == [] else names
    if names is not None and not (isinstance(names, list) and len(names) == routers and all(isinstance(name, str) for name in names)):
        raise Malformed("names is not a list of a text for every router")
    if names is not None and len(set(names)) < len(names):
        raise Malformed("two routers have the same name")


def check_timings(data, channels):
    """Checks latencies and bandwidths, at most one for every channel: latencies are not negative, bandwidths are positive, null is unknown."""
    for field, is_valid in (("latency_ns", lambda value: value >= 0), ("bandwidth_gbytes", lambda value: value > 0)):
        values = data.get(field, [])
        if not isinstance(values, list) or len(values) > channels:
            raise Malformed(f"{field} is not a list of at most one value for every channel")
        for value in values:
            if value is not None and not (is_finite_number(value) and is_valid(value)):
                raise Malformed(f"{field} has the value {value!r}")


def is_finite_number(value):
    try:
        return type(value) in (int, float, Fraction) and isfinite(float(value))
    except OverflowError:
        return False


# The families. Each returns the number of routers and the list of links, or of channels if the family is directed.


def ring(n):
    return n, [(i, (i + 1) % n) for i in range(n)]


def path(n):
    return n, [(i, i + 1) for i in range(n - 1)]


def star(n):
    return n, [(0, i) for i in range(1, n)]


def complete(n):
    return n, [(i, j) for i in range(n) for j in range(i + 1, n)]


def tree(children, depth):
    routers = sum(children**level for level in range(depth + 1))
    return routers, [((child - 1) // children, child) for child in range(1, routers)]


def grid(sides, wraps):
    places = list(product(*map(range, sides)))
    number = {place: index for index, place in enumerate(places)}
    links = []
    for place in places:
        for axis, side in enumerate(sides):
            onward = place[axis] + 1
            if onward < side or (wraps and side > 2):
                links.append((number[place], number[place[:axis] + (onward % side,) + place[axis + 1 :]]))
    return prod(sides), links


def mesh(*sides):
    return grid(sides, False)


def torus(*sides):
    return grid(sides, True)


def hypercube(d):
    return 2**d, [(x, x ^ 1 << i) for x in range(2**d) for i in range(d) if not x >> i & 1]


def octagon(n):
    return n, ring(n)[1] + [(i, i + n // 2) for i in range(n // 2)]


def kautz(d, length):
    words = [word for word in product(range(d + 1), repeat=length) if all(a != b for a, b in zip(word, word[1:]))]
    number = {word: index for index, word in enumerate(words)}
    return len(words), [(number[word], number[word[1:] + (y,)]) for word in words for y in range(d + 1) if y != word[-1]]


FAMILIES = {f.__name__: f for f in (ring, path, star, complete, tree, mesh, torus, hypercube, octagon, kautz)}
DIRECTED = {"kautz"}


def named_network(spec):
    """The network with a name such as `torus:3x3@2`; None if the family is not listed above or the network would be large."""
    base, _, fat = spec.partition("@")
    name, _, parameters = base.partition(":")
    if name not in FAMILIES or not parameters.replace(",", "").replace("x", "").isdecimal():
        return None
    numbers = [int(number) for number in parameters.replace("x", ",").split(",")]
    if (2 if name == "hypercube" else 1 + max(numbers)) ** (numbers[0] if name == "hypercube" else len(numbers)) > MOST_ROUTERS:
        return None
    routers, edges = FAMILIES[name](*numbers)
    homes = [router for router in range(routers) for _ in range(int(fat or 1))]
    if name in DIRECTED:
        return Network(routers, edges, homes, [])
    return undirected(routers, edges, homes)


def undirected(routers, edges, homes):
    channels = [ends for tail, head in edges for ends in ((tail, head), (head, tail))]
    return Network(routers, channels, homes, [(2 * i, 2 * i + 1) for i in range(len(edges))])
