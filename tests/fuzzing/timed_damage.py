"""Ways in which a timed schedule file can be wrong. Each takes a valid document, changes it in place, and returns whether it could."""

import copy
from fractions import Fraction

DAMAGES = {}


def damage(function):
    DAMAGES[function.__name__.replace("_", " ")] = function
    return function


def damaged(document, name, rng):
    """Damages a document in one way; false if it has nothing to be damaged in that way."""
    before = copy.deepcopy(document)
    return bool(DAMAGES[name](document, rng)) and document != before


def phases(document):
    """The objects that have chunks and sends."""
    return document.get("phases") or [document]


def pick(document, rng, key):
    """A phase with entries under a key, and the index of one of them."""
    filled = [phase for phase in phases(document) if phase[key]]
    if not filled:
        return None, None
    phase = rng.choice(filled)
    return phase, rng.randrange(len(phase[key]))


def occupied(document, phase, send):
    """How long a send occupies its channel, in units."""
    rates = document["network"].get("bandwidth_gbytes")
    rate = Fraction(str(rates[send[1]])) if rates else 1
    return phase["chunks"][send[0]]["bytes"] / rate / Fraction(document["time_unit_ns"])


def needed(document, phase):
    """The sends without which something is missing: all, as no byte arrives twice, unless they end at a switch."""
    homes = set(document["network"]["processors"])
    return [at for at, send in enumerate(phase["sends"]) if set(document["network"]["channels"][send[1]]) <= homes]


# Structure.


def field(name, value):
    def change(document, rng):
        document[name] = value
        return True

    return change


for _key in ("format", "network", "collective", "time_unit_ns"):
    DAMAGES[f"{_key} is missing"] = lambda document, rng, key=_key: document.pop(key, None) is not None
    for _value in (None, 7, [], {}):
        DAMAGES[f"{_key} is {_value!r}"] = field(_key, _value) if (_key, _value) != ("time_unit_ns", 7) else field(_key, [7])
for _value in ("pavane/timed/2", "pavane/schedule/1", ""):
    DAMAGES[f"format is {_value!r}"] = field("format", _value)
for _value in ("0", "-1", "1/0", "x", ""):
    DAMAGES[f"time_unit_ns is {_value!r}"] = field("time_unit_ns", _value)
for _value in (-1, 1.5, "soon", []):
    DAMAGES[f"time is {_value!r}"] = field("time", _value)
for _value in ("third", 1):
    DAMAGES[f"duplex is {_value!r}"] = field("duplex", _value)
for _value in (-1, "many", None):

    def _bytes(document, rng, value=_value):
        if "bytes" in document:
            document["bytes"] = value
            return True

    DAMAGES[f"bytes is {_value!r}"] = _bytes


def in_phase(key, value):
    def change(document, rng):
        rng.choice(phases(document))[key] = value
        return True

    return change


for _key in ("chunks", "sends"):
    DAMAGES[f"{_key} is missing"] = lambda document, rng, key=_key: rng.choice(phases(document)).pop(key, None) is not None
    for _value in (None, 3, {}, "all"):
        DAMAGES[f"{_key} is {_value!r}"] = in_phase(_key, _value)


def in_send(place, value):
    def change(document, rng):
        phase, at = pick(document, rng, "sends")
        if phase:
            phase["sends"][at][place] = value
            return True

    return change


for _place, _name in enumerate(("chunk", "channel", "start")):
    for _value in (-1, 0.5, "1", None, 2**64):
        DAMAGES[f"{_name} of a send is {_value!r}"] = in_send(_place, _value)
for _value in (10**6, 2**31):
    DAMAGES[f"a send names chunk {_value}"] = in_send(0, _value)
    DAMAGES[f"a send names channel {_value}"] = in_send(1, _value)


def in_chunk(key, value):
    def change(document, rng):
        phase, at = pick(document, rng, "chunks")
        if phase:
            phase["chunks"][at][key] = value
            return True

    return change


for _key in ("offset", "bytes"):
    for _value in (-1, 0.5, "1", None, 2**64):
        DAMAGES[f"{_key} of a chunk is {_value!r}"] = in_chunk(_key, _value)
for _value in ([], [0, 0, 0], 0, [999], [-1], None):
    DAMAGES[f"message of a chunk is {_value!r}"] = in_chunk("message", _value)


@damage
def a_chunk_without_bytes_field(document, rng):
    phase, at = pick(document, rng, "chunks")
    return phase and phase["chunks"][at].pop("bytes", None) is not None


@damage
def a_send_of_two_numbers(document, rng):
    phase, at = pick(document, rng, "sends")
    return phase and phase["sends"][at].pop() is not None


@damage
def a_send_of_four_numbers(document, rng):
    phase, at = pick(document, rng, "sends")
    return phase and phase["sends"][at].append(0) is None


# Chunks.


@damage
def an_empty_chunk(document, rng):
    return in_chunk("bytes", 0)(document, rng)


@damage
def a_chunk_too_large(document, rng):
    phase, at = pick(document, rng, "chunks")
    phase["chunks"][at]["bytes"] += 2  # Blocks may differ by one byte.
    return True


@damage
def a_chunk_too_small(document, rng):
    phase, at = pick(document, rng, "chunks")
    phase["chunks"][at]["bytes"] -= 2
    return True


@damage
def a_chunk_at_another_place(document, rng):
    phase, at = pick(document, rng, "chunks")
    phase["chunks"][at]["offset"] += rng.randint(1, 10)
    return True


@damage
def a_chunk_twice(document, rng):
    phase, at = pick(document, rng, "chunks")
    phase["chunks"].append(dict(phase["chunks"][at]))
    return True


@damage
def a_chunk_of_another_message(document, rng):
    phase, at = pick(document, rng, "chunks")
    others = [chunk["message"] for chunk in phase["chunks"] if chunk["message"] != phase["chunks"][at]["message"]]
    if others:
        phase["chunks"][at]["message"] = rng.choice(others)
        return True


@damage
def the_last_chunk_and_its_sends_are_missing(document, rng):
    phase, _ = pick(document, rng, "chunks")
    last = len(phase["chunks"]) - 1
    phase["chunks"].pop()
    phase["sends"] = [send for send in phase["sends"] if send[0] != last]
    return True


@damage
def no_chunks_at_all(document, rng):
    for phase in phases(document):
        phase["chunks"], phase["sends"] = [], []
    return True


@damage
def another_size(document, rng):
    if "bytes" in document:
        document["bytes"] += 1 + 10 * len(phases(document)[0]["chunks"])
        return True


@damage
def sizes_of_other_messages(document, rng):
    if "sizes" in document:
        document["sizes"][rng.randrange(len(document["sizes"]))] += 1
        return True


@damage
def too_few_sizes(document, rng):
    return "sizes" in document and document["sizes"].pop() is not None


@damage
def bytes_and_sizes(document, rng):
    if "bytes" in document:
        document["sizes"] = [1]
    else:
        document["bytes"] = 1
    return True


# Sends.


@damage
def a_send_is_missing(document, rng):
    candidates = [(phase, at) for phase in phases(document) for at in needed(document, phase)]
    if candidates:
        phase, at = rng.choice(candidates)
        del phase["sends"][at]
        document.pop("time", None)
        return True


@damage
def all_sends_are_missing(document, rng):
    filled = [phase for phase in phases(document) if phase["sends"]]
    if filled:
        rng.choice(filled)["sends"] = []
        document.pop("time", None)
        return True


@damage
def a_send_twice_at_once(document, rng):
    phase, at = pick(document, rng, "sends")
    if phase:
        phase["sends"].insert(at, list(phase["sends"][at]))
        return True


@damage
def a_send_again_at_the_end(document, rng):
    """The receiver gets a chunk twice; the time is corrected."""
    candidates = [(phase, at) for phase in phases(document) for at in needed(document, phase)]
    if not candidates:
        return None
    phase, at = rng.choice(candidates)
    late = 10 * document["time"] + 10
    phase["sends"].append([*phase["sends"][at][:2], late])
    document.pop("time")
    return True


@damage
def a_send_of_another_chunk(document, rng):
    candidates = [(phase, at) for phase in phases(document) for at in needed(document, phase) if len(phase["chunks"]) > 1]
    if candidates:
        phase, at = rng.choice(candidates)
        phase["sends"][at][0] = rng.choice([chunk for chunk in range(len(phase["chunks"])) if chunk != phase["sends"][at][0]])
        document.pop("time", None)
        return True


@damage
def a_send_in_the_other_direction(document, rng):
    channels = document["network"]["channels"]
    candidates = [
        (phase, at, other)
        for phase in phases(document)
        for at in needed(document, phase)
        for other, ends in enumerate(channels)
        if ends == channels[phase["sends"][at][1]][::-1]
    ]
    if candidates:
        phase, at, other = rng.choice(candidates)
        phase["sends"][at][1] = other
        document.pop("time", None)
        return True


@damage
def two_sends_overlap(document, rng):
    """The later of two sends on a channel starts as soon as the earlier one."""
    by_channel = {}
    for phase in phases(document):
        for send in phase["sends"]:
            if occupied(document, phase, send) > 0:
                by_channel.setdefault(send[1], []).append(send)
    pairs = [sends for sends in by_channel.values() if len(sends) > 1]
    if pairs:
        one, other = rng.sample(rng.choice(pairs), 2)
        other[2] = one[2]
        document.pop("time", None)
        return True


@damage
def a_relay_sends_before_it_has_received(document, rng):
    """Broadcasts and scatters: a send from a router without the chunk moves to time 0."""
    if len(phases(document)) > 1 or document["collective"]["kind"] not in ("broadcast", "scatter"):
        return None
    heads = {(send[0], document["network"]["channels"][send[1]][1]) for send in document["sends"]}
    relayed = [send for send in document["sends"] if (send[0], document["network"]["channels"][send[1]][0]) in heads and send[2] > 0]
    if relayed:
        rng.choice(relayed)[2] = 0
        document.pop("time", None)
        return True


@damage
def all_sends_at_once(document, rng):
    """Fails on the first channel with two sends, or the first relay."""
    used = set()
    has_conflict = False
    for phase in phases(document):
        for send in phase["sends"]:
            has_conflict |= send[1] in used
            used.add(send[1])
            send[2] = 0
    document.pop("time", None)
    return has_conflict


@damage
def a_broadcast_before_its_sum(document, rng):
    if len(phases(document)) == 2 and all(phase["sends"] for phase in phases(document)):
        first = min(document["phases"][1]["sends"], key=lambda send: send[2])
        if first[2] > 0:
            first[2] = 0
            document.pop("time", None)
            return True


@damage
def the_reduce_is_missing(document, rng):
    return len(phases(document)) == 2 and document["phases"].pop(0) is not None


@damage
def the_broadcast_is_missing(document, rng):
    return len(phases(document)) == 2 and document["phases"].pop() is not None


@damage
def the_phases_change_places(document, rng):
    return len(phases(document)) == 2 and document["phases"].reverse() is None


@damage
def the_time_is_too_short(document, rng):
    if document["time"] > 0:
        document["time"] -= 1
        return True


@damage
def the_time_is_too_long(document, rng):
    document["time"] += 1
    return True


# The network and the collective.


@damage
def slower_channels(document, rng):
    """Every channel has half the bandwidth: the claimed time is too short."""
    rates = document["network"].get("bandwidth_gbytes")
    if rates and any(phase["sends"] for phase in phases(document)):
        document["network"]["bandwidth_gbytes"] = [rate / 2 for rate in rates]
        return True


@damage
def longer_latencies(document, rng):
    latencies = document["network"].get("latency_ns")
    if latencies and any(phase["sends"] for phase in phases(document)):
        document["network"]["latency_ns"] = [latency + 1 for latency in latencies]
        return True


def in_network(key, value):
    def change(document, rng):
        listed = document["network"].get(key)
        if listed:
            listed[rng.randrange(len(listed))] = value
            return True

    return change


for _value in (0, -1, "fast"):
    DAMAGES[f"a bandwidth is {_value!r}"] = in_network("bandwidth_gbytes", _value)
for _value in (-1, "soon"):
    DAMAGES[f"a latency is {_value!r}"] = in_network("latency_ns", _value)
for _value in ([0], [0, 0], [0, 10**6], "0-1", None):
    DAMAGES[f"a channel is {_value!r}"] = in_network("channels", _value)
for _value in (10**6, -1, "0"):
    DAMAGES[f"a processor lives at {_value!r}"] = in_network("processors", _value)


@damage
def too_few_bandwidths(document, rng):
    rates = document["network"].get("bandwidth_gbytes")
    return rates and rates.pop() is not None


@damage
def a_used_channel_is_missing(document, rng):
    used = [send[1] for phase in phases(document) for send in phase["sends"]]
    if used and max(used) == len(document["network"]["channels"]) - 1:
        for key in ("channels", "bandwidth_gbytes", "latency_ns"):
            if document["network"].get(key):
                document["network"][key].pop()
        document["network"].pop("links", None)
        return True


@damage
def an_unknown_kind_of_collective(document, rng):
    document["collective"]["kind"] = "shuffle"
    return True


@damage
def a_processor_that_does_not_exist(document, rng):
    for collective in [document["collective"], *document.get("phases", [])]:
        if collective.get("receivers"):
            collective["receivers"].append(10**6)
    return "receivers" in document["collective"]


@damage
def a_broadcast_becomes_a_reduce(document, rng):
    if document["collective"]["kind"] == "broadcast":
        document["collective"]["kind"] = "reduce"
        return len(document["sends"]) > 0 and document["collective"]["senders"] != document["collective"]["receivers"]


# Bounds.


@damage
def bound_above_the_time(document, rng):
    document["bound"]["time"] = document["time"] + 1
    return True


@damage
def bound_much_above_the_time(document, rng):
    document["bound"]["time"] = 10 * document["time"] + 10
    return True


@damage
def bound_without_certificate(document, rng):
    return document["bound"].pop("certificate", None) is not None


@damage
def bound_with_an_unknown_certificate(document, rng):
    document["bound"]["certificate"] = {"kind": "faith"}
    return True


@damage
def bound_by_an_empty_cut(document, rng):
    document["bound"] = {"time": document["bound"]["time"] + 1, "certificate": {"kind": "cut", "routers": [], "receiver": 0}}
    return True


@damage
def bound_by_a_cut_of_unknown_routers(document, rng):
    document["bound"]["certificate"] = {"kind": "cut", "routers": [10**6], "receiver": 0}
    return True


@damage
def bound_by_an_unknown_receiver(document, rng):
    document["bound"]["certificate"] = {"kind": "cut", "routers": [0], "receiver": 10**6}
    return True


@damage
def bound_by_too_few_prices(document, rng):
    document["bound"]["certificate"] = {"kind": "prices", "prices": [1]}
    return len(document["network"]["channels"]) > 1


@damage
def bound_by_no_prices(document, rng):
    document["bound"] = {"time": document["bound"]["time"] + 1, "certificate": {"kind": "prices", "prices": [0] * len(document["network"]["channels"])}}
    return True


@damage
def bound_is_negative(document, rng):
    document["bound"]["time"] = -1
    return True


@damage
def bound_is_no_object(document, rng):
    document["bound"] = 7
    return True
