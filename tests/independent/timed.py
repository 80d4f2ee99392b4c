"""A plain event simulator for timed schedules (`pavane/timed/1`). It shares no code with the program: it is written from the rules of the model.

Time passes from event to event. A send takes a copy of its chunk from a router at its start, occupies its channel, and leaves the copy at the head of the channel
when it arrives. What a router has is a list of copies, and a copy is the set of processors whose data are in it:

  - broadcast, scatter, messages: the copy names the origin. A router with processors, and a switch that copies, keeps what it sends; any other switch gives it away.
  - reduce, gather: every sender starts with a copy of its own. A router with processors, and a switch that adds, merges what it has and sends it once; any other
    switch passes copies on one by one. Nothing may be added twice, and the root must have everything in the end.

An all-reduce runs its two phases at the same time: a root may send a byte of its sum only after all parts of it have arrived. All arithmetic is exact."""

import json
from collections import defaultdict, namedtuple
from fractions import Fraction

from independent.network import Malformed, is_number, read_network
from independent.schedule import read_bytes

Chunk = namedtuple("Chunk", "message offset bytes")
Transmission = namedtuple("Transmission", "chunk channel start free arrival")  # times in nanoseconds
Part = namedtuple("Part", "kind messages chunks sends")  # messages: label -> (origin, other ends)
MOST = 2**64


class Wrong(Exception):
    """The schedule breaks a rule."""


def simulate(path):
    """The last arrival and the claimed bound (or None) of a schedule file in nanoseconds. Raises Malformed or Wrong."""
    document = load(path)
    network = read_network(document.get("network"))
    bandwidths = values(document["network"].get("bandwidth_gbytes"), len(network.channels), 1)
    latencies = values(document["network"].get("latency_ns"), len(network.channels), 0)
    if any(value <= 0 for value in bandwidths) or any(value < 0 for value in latencies):
        raise Malformed("a bandwidth or latency is out of range")
    if ("bytes" in document) == ("sizes" in document):
        raise Malformed("a file has either bytes or sizes")
    unit = fraction(document.get("time_unit_ns"))
    if unit <= 0:
        raise Malformed("the unit of time is not positive")
    parts = read_parts(document, network, unit, bandwidths, latencies)
    for part in parts:
        check_sizes(part, document)
    if document.get("duplex", "full") not in ("full", "half"):
        raise Malformed("duplex")
    check_channels(parts, network, document.get("duplex") == "half")
    complete = None
    for part in parts:
        world = World(network, part, complete)
        complete = world.run()
    end = max((send.arrival for part in parts for send in part.sends), default=Fraction(0))
    if "time" in document and fraction(document["time"]) * unit != end:
        raise Wrong(f"it ends at {end} ns, not at {document['time']} units")
    bound = document.get("bound")
    return end, None if bound is None else fraction(bound["time"]) * unit


def load(path):
    try:
        text = read_bytes(path).decode("utf-8-sig")
        document = json.loads(text, parse_float=Fraction)
    except (ValueError, OSError, EOFError) as error:
        raise Malformed(f"not JSON: {error}") from error
    if not isinstance(document, dict) or document.get("format") != "pavane/timed/1":
        raise Malformed("not of the format pavane/timed/1")
    return document


def values(listed, count, usual):
    if listed is None:
        return [Fraction(usual)] * count
    if not isinstance(listed, list) or len(listed) != count:
        raise Malformed("not one bandwidth or latency per channel")
    return [fraction(value) for value in listed]


def fraction(value):
    if type(value) not in (int, Fraction, str):
        raise Malformed(f"{value!r} is not a number")
    try:
        return Fraction(value)
    except (ValueError, ZeroDivisionError) as error:
        raise Malformed(f"{value!r} is not a number") from error


def read_parts(document, network, unit, bandwidths, latencies):
    collective = document.get("collective")
    if not isinstance(collective, dict):
        raise Malformed("there is no collective")
    listed = document.get("phases")
    if listed is None:
        listed = [{**collective, "chunks": document.get("chunks"), "sends": document.get("sends")}]
    elif collective.get("kind") != "all-reduce" or [phase.get("kind") for phase in listed] != ["reduce", "broadcast"]:
        raise Malformed("the phases are not those of an all-reduce")
    elif set(listed[0]["senders"]) != set(listed[1]["receivers"]) or set(listed[0]["receivers"]) != set(listed[1]["senders"]):
        raise Malformed("the phases have different groups")
    parts = []
    for phase in listed:
        messages = read_messages(phase, network)
        chunks, sends = [], []
        for entry in phase["chunks"]:
            label = tuple(entry["message"])
            if label not in messages:
                raise Malformed(f"there is no message {list(label)}")
            if not all(is_number(entry.get(key), MOST) for key in ("offset", "bytes")):
                raise Malformed("a chunk has no place")
            chunks.append(Chunk(label, entry["offset"], entry["bytes"]))
        for chunk, channel, start in phase["sends"]:
            if not (is_number(chunk, len(chunks)) and is_number(channel, len(network.channels)) and is_number(start, MOST)):
                raise Malformed("a send names something that does not exist")
            free = start * unit + chunks[chunk].bytes / bandwidths[channel]
            sends.append(Transmission(chunk, channel, start * unit, free, free + latencies[channel]))
        parts.append(Part(phase["kind"], messages, chunks, sends))
    return parts


def read_messages(phase, network):
    """The messages by label: the processor where data start (or sums end), and the others."""
    kind, senders, receivers = phase.get("kind"), phase.get("senders", []), phase.get("receivers", [])
    for processor in [*senders, *receivers]:
        if not is_number(processor, len(network.homes)) or network.homes[processor] is None:
            raise Malformed(f"there is no processor {processor}")
    if kind == "broadcast":
        found = {(s,): (s, set(receivers) - {s}) for s in senders}
    elif kind == "reduce":
        found = {(r,): (r, set(senders) - {r}) for r in receivers}
    elif kind == "scatter":
        found = {(s, r): (s, {r}) for s in senders for r in receivers if s != r}
    elif kind == "gather":
        found = {(s, r): (r, {s}) for s in senders for r in receivers if s != r}
    elif kind == "messages":
        found = {(at,): (entry["from"], set(entry["to"])) for at, entry in enumerate(phase["messages"])}
    else:
        raise Malformed(f"kind {kind!r}")
    return {label: ends for label, ends in found.items() if ends[1]}


def check_sizes(part, document):
    """The chunks of every message follow each other, and their bytes are those of the message."""
    by_message = {label: [] for label in part.messages}
    for chunk in part.chunks:
        by_message[chunk.message].append((chunk.offset, chunk.bytes))
    sizes = []
    for label, ranges in by_message.items():
        place = 0
        for offset, count in sorted(ranges):
            if offset != place or count == 0:
                raise Wrong(f"the chunks of message {label} are not its bytes")
            place += count
        sizes.append(place)
    if "sizes" in document:
        if sizes != document["sizes"]:
            raise Wrong("messages have other sizes")
        return
    total, kind = document.get("bytes"), part.kind
    if not is_number(total, MOST):
        raise Malformed("there is no size")
    if kind in ("broadcast", "reduce"):
        blocks = len(sizes)
        if sum(sizes) != total:
            raise Wrong("the messages are not the buffer")
    elif kind == "messages":
        blocks = 1
    else:
        near, far = (document["collective"][key] for key in (("senders", "receivers") if kind == "scatter" else ("receivers", "senders")))
        blocks = len({*near, *far}) if len(near) == 1 else len(far)  # The buffer of a single root has a block of its own.
    if any(not total // blocks <= size <= -(-total // blocks) for size in sizes):
        raise Wrong("a block has a wrong size")


def check_channels(parts, network, is_half_duplex):
    """No channel, or link, starts a send before the last one has left it."""
    busy = defaultdict(list)
    for part in parts:
        for send in part.sends:
            key = min(send.channel, network.partner.get(send.channel, send.channel)) if is_half_duplex else send.channel
            busy[key].append((send.start, send.free))
    for sends in busy.values():
        sends.sort()
        for (_, free), (start, _) in zip(sends, sends[1:]):
            if start < free:
                raise Wrong(f"a channel is busy at {start} ns")


class World:
    """The routers of one phase with the copies that they hold."""

    def __init__(self, network, part, complete):
        self.network, self.part = network, part
        self.is_sum = part.kind in ("reduce", "gather")
        residents = set(network.homes)
        self.keeps = [router in residents or router in network.multicast for router in range(network.routers)]
        self.has_processors = [router in residents for router in range(network.routers)]
        self.copies = defaultdict(list)  # (chunk, router): sets of processors
        self.was_sent = set()  # sums that have left a router
        self.complete = complete  # all-reduce: what may be sent from when on
        for number, chunk in enumerate(part.chunks):
            origin, others = part.messages[chunk.message]
            if self.is_sum:
                for processor in {*others, origin}:
                    self.copies[number, network.homes[processor]].append({processor})
            else:
                self.copies[number, network.homes[origin]].append({origin})

    def run(self):
        """Carries out all sends. Returns for a sum when each range of bytes of each root is complete."""
        events = [(send.start, 1, index) for index, send in enumerate(self.part.sends)]
        events += [(send.arrival, 0, index) for index, send in enumerate(self.part.sends)]
        carried, last = {}, defaultdict(Fraction)
        for time, is_start, index in sorted(events):  # Arrivals come before starts at the same time.
            send = self.part.sends[index]
            tail, head = self.network.channels[send.channel]
            if is_start:
                carried[index] = self.take(send, tail, time)
            else:
                self.put(send, head, carried[index])
                last[send.chunk, head] = time
        return self.check_end(last)

    def take(self, send, tail, time):
        held, root = self.copies[send.chunk, tail], self.home(send.chunk)
        if not held and not (self.is_sum and self.keeps[tail]):
            raise Wrong(f"router {tail} does not have chunk {send.chunk} at {time} ns")
        if not self.is_sum:
            if tail == root and self.complete is not None:
                self.check_complete(send.chunk, time)
            return held[0] if self.keeps[tail] or tail == root else held.pop(0)
        if not self.keeps[tail] and tail != root:
            return held.pop(0)
        if tail == root and self.has_processors[tail] or self.has_processors[tail] and (send.chunk, tail) in self.was_sent:
            raise Wrong(f"router {tail} sends its part of chunk {send.chunk} twice, or is the root")
        self.was_sent.add((send.chunk, tail))
        total = merged(held)
        held.clear()
        return total

    def put(self, send, head, copy):
        held = self.copies[send.chunk, head]
        if self.is_sum:
            if (send.chunk, head) in self.was_sent and self.has_processors[head]:
                raise Wrong(f"router {head} has sent chunk {send.chunk} before all of it has arrived")
            held.append(copy)
            if self.keeps[head] or head == self.home(send.chunk):
                held[:] = [merged(held)]
        else:
            if self.has_processors[head] and held:
                raise Wrong(f"router {head} receives chunk {send.chunk} twice")
            held.append(copy)

    def home(self, chunk):
        return self.network.homes[self.part.messages[self.part.chunks[chunk].message][0]]

    def check_complete(self, number, time):
        chunk = self.part.chunks[number]
        for first, end, since in self.complete[chunk.message]:
            if first < chunk.offset + chunk.bytes and chunk.offset < end and since > time:
                raise Wrong(f"chunk {number} is sent at {time} ns, before its sum is complete")

    def check_end(self, last):
        complete = defaultdict(list)
        for number, chunk in enumerate(self.part.chunks):
            origin, others = self.part.messages[chunk.message]
            if self.is_sum:
                total = merged(self.copies[number, self.network.homes[origin]])
                if not others <= total:
                    raise Wrong(f"parts of chunk {number} are missing in the sum")
                since = last[number, self.network.homes[origin]]
                complete[chunk.message].append((chunk.offset, chunk.offset + chunk.bytes, since))
            else:
                for processor in others:
                    if not self.copies[number, self.network.homes[processor]]:
                        raise Wrong(f"processor {processor} does not receive chunk {number}")
        return complete


def merged(copies):
    """The sum of several parts. Nothing may be in two of them."""
    total = set()
    for copy in copies:
        if total & copy:
            raise Wrong("something is added twice")
        total |= copy
    return total
