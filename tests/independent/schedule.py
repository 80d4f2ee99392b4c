"""Reads schedule files for the independent checker.

A gather is a scatter and a reduce is a broadcast, both run backward in time on the network with reversed channels. They are converted here, so the rules only
see broadcasts, scatters and lists of messages."""

import gzip
import io
import json
import zlib
from collections import namedtuple

from independent.network import Malformed, is_number, read_network

# Unpacked bytes that any gzipped file may have, and those per packed byte of a larger one.
UNPACKED, RATIO = 64 << 20, 100
Model = namedtuple("Model", "sf routing half ports")  # routing: None for any path, else how many channels more than the shortest; ports: None for all
Message = namedtuple("Message", "key origin destinations")
Transfer = namedtuple("Transfer", "message sender receiver path")  # message: its place in the list of messages
# The network, messages and steps of gather and reduce are already converted to scatter and broadcast.
Problem = namedtuple("Problem", "network model messages")
Phase = namedtuple("Phase", "problem steps bound kind rounds", defaults=[()])


def read_document(path, parse_float=float):
    """The JSON value of a file. Duplicate keys are refused, because readers disagree about which of the two counts."""
    try:
        data = read_bytes(path)
        return json.loads(data.decode("utf-8-sig"), object_pairs_hook=unique, parse_constant=refuse_constant, parse_float=parse_float)
    except (ValueError, OSError, EOFError, RecursionError) as error:
        raise Malformed(f"not JSON: {error}") from error


def read_bytes(path):
    """The bytes of a file, unpacked up to a limit: a small gzipped file must not fill the memory."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:2] != b"\x1f\x8b":
        return data
    most = max(UNPACKED, RATIO * len(data))
    try:
        with gzip.open(io.BytesIO(data)) as file:
            unpacked = file.read(most + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise Malformed(f"the gzipped file is damaged: {error}") from error
    if len(unpacked) > most:
        raise Malformed(f"it unpacks to more than {most >> 20} MiB")
    return unpacked


def unique(pairs):
    keys = [key for key, _ in pairs]
    if len(set(keys)) < len(keys):
        raise Malformed("an object has a key twice")
    return dict(pairs)


def refuse_constant(text):
    raise Malformed(f"{text} is not JSON")


def read_schedule(document):
    """The network of a schedule file and its phases. Only an all-reduce has more than one phase."""
    if not isinstance(document, dict) or document.get("format") != "pavane/schedule/1":
        raise Malformed("not of the format pavane/schedule/1")
    network, model = read_network(document.get("network")), read_model(document.get("model"))
    if model.sf and network.switches():
        raise Malformed("store-and-forward on a network with switches")
    steps = document.get("steps")
    if not isinstance(steps, list) or not all(isinstance(step, list) for step in steps):
        raise Malformed("steps is not a list of lists")
    check_faults(document, network)
    collective = document.get("collective")
    if "phases" not in document:
        phases = [read_phase(network, model, collective, steps, document.get("bound"))]
    else:
        phases = read_phases(network, model, collective, document["phases"], steps)
    return network, with_rounds(phases, document.get("rounds"))


def with_rounds(phases, rounds):
    """The phases of a k-synchronous schedule know how many rounds each of their steps has; no such step is in two phases."""
    if rounds is None or rounds == []:
        return phases
    if not isinstance(rounds, list) or not all(is_number(count) and count > 0 for count in rounds):
        raise Malformed("rounds is not a list of positive numbers")
    left, known = list(rounds), []
    for phase in phases:
        own = []
        while left and sum(own) < len(phase.steps):
            own.append(left.pop(0))
        if sum(own) != len(phase.steps):
            raise Malformed("the rounds do not add up to the steps")
        known.append(phase._replace(rounds=tuple(own[::-1] if phase.kind in ("gather", "reduce") else own)))
    if left:
        raise Malformed("there are more rounds than steps")
    return known


def read_phases(network, model, collective, phases, steps):
    """The phases of an all-reduce: a reduce, then a broadcast from its roots to the same group. The steps of the file are split between them."""
    if not isinstance(phases, list) or not all(isinstance(phase, dict) for phase in phases) or not isinstance(collective, dict):
        raise Malformed("phases is not a list of objects, or there is no collective")
    if collective.get("kind") != "all-reduce" or [whole_kind(phase) for phase in phases] != ["reduce", "broadcast"]:
        raise Malformed("the phases are not those of an all-reduce")
    if not isinstance(collective.get("name", ""), str):
        raise Malformed("the name of the collective is not a text")
    groups = [collective[field] for field in ("senders", "receivers") if field in collective]
    if not all(isinstance(group, list) and all(is_number(member) for member in group) for group in groups):
        raise Malformed("a group of the all-reduce is not a list of numbers")
    counts = [phase.get("steps") for phase in phases]
    if not all(is_number(count) for count in counts) or sum(counts) != len(steps):
        raise Malformed("the steps of the phases are not those of the file")
    reduce, broadcast = phases
    judged = [
        read_phase(network, model, reduce, steps[: counts[0]], reduce.get("bound")),
        read_phase(network, model, broadcast, steps[counts[0] :], broadcast.get("bound")),
    ]
    if len({phase["chunks"]["count"] if phase.get("chunks") else 1 for phase in phases}) > 1:
        raise Malformed("the phases have different numbers of chunks")
    if set(reduce["senders"]) != set(broadcast["receivers"]) or set(reduce["receivers"]) != set(broadcast["senders"]):
        raise Malformed("the broadcast is not from the roots of the reduce to its group")
    members = set(reduce["senders"]) | set(reduce["receivers"])
    if any(group and set(group) != members for group in groups):
        raise Malformed("a group of the all-reduce is not that of its phases")
    return judged


def read_phase(network, model, collective, steps, bound):
    kind, messages = read_collective(collective, network)
    if bound is not None and not (isinstance(bound, dict) and is_number(bound.get("steps")) and isinstance(bound.get("reason"), str)):
        raise Malformed("bound has no steps or no reason")
    if bound is not None and not isinstance(bound.get("explanation", ""), str):
        raise Malformed("the explanation of the bound is not a text")
    if bound is not None and bound.get("certificate") is not None:
        check_certificate(bound["certificate"])
    number = {message.key: index for index, message in enumerate(messages)}
    transfers = [[read_transfer(entry, number, network) for entry in step] for step in steps]
    if kind in ("gather", "reduce"):
        network = network.reversed()
        transfers = [[Transfer(t.message, t.receiver, t.sender, t.path[::-1]) for t in step] for step in transfers[::-1]]
    return Phase(Problem(network, model, messages), transfers, bound, kind)


def read_model(data):
    if not isinstance(data, dict):
        raise Malformed("model is not an object")
    switching, routing, ports = data.get("switching"), data.get("routing"), data.get("ports")
    if switching not in ("wormhole", "wh", "sf", "store-and-forward"):
        raise Malformed(f"switching {switching!r}")
    if isinstance(routing, dict) and is_number(routing.get("detour")):
        longer = routing["detour"]
    elif routing in ("minimal", "any"):
        longer = 0 if routing == "minimal" else None
    else:
        raise Malformed(f"routing {routing!r}")
    if data.get("duplex", "full") not in ("full", "half"):
        raise Malformed(f"duplex {data['duplex']!r}")
    if ports != "all" and not (is_number(ports) and ports > 0):
        raise Malformed(f"ports {ports!r}")
    return Model(switching in ("sf", "store-and-forward"), longer, data.get("duplex") == "half", None if ports == "all" else ports)


def read_collective(data, network):
    """The kind of a collective and its messages, converted to a broadcast or scatter."""
    if not isinstance(data, dict) or not isinstance(data.get("name", ""), str):
        raise Malformed("collective is not an object, or its name is not a text")
    kind = data.get("kind")
    if data.get("chunks") is not None:
        return read_chunks(data, network)
    if kind == "messages":
        return kind, read_messages(data.get("messages"), network)
    senders, receivers = (read_group(data.get(field), network) for field in ("senders", "receivers"))
    if kind == "broadcast":
        return kind, [Message((s,), s, set(receivers) - {s}) for s in senders if set(receivers) - {s}]
    if kind == "scatter":
        return kind, [Message((s, r), s, {r}) for s in senders for r in receivers if s != r]
    if kind == "gather":
        return kind, [Message((s, r), r, {s}) for s in senders for r in receivers if s != r]
    if kind == "reduce":
        return kind, [Message((r,), r, set(senders) - {r}) for r in receivers if set(senders) - {r}]
    raise Malformed(f"kind {kind!r}")


def read_chunks(data, network):
    """A collective whose listed messages are chunks: every message of the whole collective, `count` times in a row. Only a reduce in chunks is judged backwards."""
    chunks, listed = data["chunks"], data.get("messages")
    if not isinstance(chunks, dict) or not is_number(chunks.get("count")) or chunks["count"] < 2 or not isinstance(listed, list):
        raise Malformed("chunks has no count of at least 2, or there is no list of messages")
    count, of = chunks["count"], chunks.get("of")
    whole = {**data, "kind": "scatter" if of == "gather" else of, "chunks": None, "messages": listed[::count]}
    _, messages = read_collective(whole, network)
    found = read_messages(listed, network)
    expected = [(message.origin, set(message.destinations)) for message in messages for _ in range(count)]
    if [(message.origin, set(message.destinations)) for message in found] != expected:
        raise Malformed("the messages are not the chunks of the collective")
    kind = "reduce" if of == "reduce" else "messages"
    if data.get("kind") != kind:
        raise Malformed("the kind is not that of a collective in chunks")
    return kind, found


def whole_kind(data):
    """The kind of a collective before its messages were cut into chunks."""
    return data["chunks"].get("of") if isinstance(data.get("chunks"), dict) else data.get("kind")


def read_group(group, network):
    if not isinstance(group, list) or not group or not all(is_number(processor, len(network.homes)) for processor in group):
        raise Malformed(f"{group!r} is not a group of processors")
    if len(set(group)) < len(group) or any(network.homes[processor] is None for processor in group):
        raise Malformed(f"{group!r} has a processor twice, or a lost one")
    return group


def read_messages(entries, network):
    if not isinstance(entries, list) or not entries or not all(isinstance(entry, dict) for entry in entries):
        raise Malformed("messages is not a list of objects, or it is empty")
    messages = []
    for index, entry in enumerate(entries):
        origin, = read_group([entry.get("from")], network)
        destinations = set(read_group(entry.get("to"), network))
        if origin in destinations:
            raise Malformed(f"message {index} goes to its own origin")
        messages.append(Message((index,), origin, destinations))
    return messages


def read_transfer(entry, number, network):
    if not isinstance(entry, dict) or not isinstance(entry.get("message"), list) or not isinstance(entry.get("path"), list):
        raise Malformed(f"{entry!r} is not a transfer")
    key = tuple(entry["message"])
    if not all(is_number(part) for part in key) or key not in number:
        raise Malformed(f"there is no message {list(key)}")
    ends = [entry.get("from"), entry.get("to")]
    if not all(is_number(end, len(network.homes)) and network.homes[end] is not None for end in ends):
        raise Malformed(f"{ends} are not two processors")
    if not all(is_number(channel, len(network.channels)) for channel in entry["path"]):
        raise Malformed(f"{entry['path']} is not a list of channels")
    return Transfer(number[key], ends[0], ends[1], tuple(entry["path"]))


def check_faults(document, network):
    """Faults are texts, and a router that they name has no channels and processors left."""
    faults = document.get("faults")
    if faults is not None and not (isinstance(faults, list) and all(isinstance(fault, str) for fault in faults)):
        raise Malformed("faults is not a list of texts")
    for fault in faults_of(document):
        if fault.isdecimal() and int(fault) < network.routers:
            router = int(fault)
            if router in network.homes or network.outgoing[router] or network.incoming[router]:
                raise Malformed(f"router {router} is listed as lost, but has channels or processors")


# The required fields of certificates. n: a number, g: a list of numbers, p: a list of prices, s: a list of sets, t: a text.
CERTIFICATES = {
    "growth": {"message": "n"},
    "cut-growth": {"message": "n", "routers": "g"},
    "nested-growth": {"message": "n", "sets": "s"},
    "joint-growth": {},
    "send-growth": {"processor": "n", "growth": "n"},
    "neighbour-growth": {"message": "n"},
    "receive": {"processor": "n"},
    "send": {"processor": "n"},
    "distance": {},
    "port-distance": {},
    "late-entry": {},
    "eccentricity": {"message": "n", "to": "n"},
    "ball": {"processor": "n", "radius": "n"},
    "send-ball": {"processor": "n", "radius": "n"},
    "cut": {"routers": "g"},
    "relay": {"router": "n"},
    "cut-queue": {"routers": "g"},
    "separator": {"routers": "g"},
    "branches": {"message": "n"},
    "independent-set": {"processors": "g"},
    "congestion": {"prices": "p"},
    "port-congestion": {"channels": "p", "sends": "p", "receives": "p"},
    "exact": {"steps": "n", "encoding": "n", "proof": "t"},
}


def check_certificate(certificate):
    """A certificate must have a known kind and the fields of its kind. Its proof is not checked here."""
    if not isinstance(certificate, dict) or certificate.get("kind") not in list(CERTIFICATES):
        raise Malformed("the kind of the certificate is unknown")
    fits = {
        "n": is_number,
        "t": lambda value: isinstance(value, str),
        "g": lambda value: isinstance(value, list) and all(is_number(entry) for entry in value),
        "p": lambda value: isinstance(value, list) and all(is_number(entry, 2**64) for entry in value),
        "s": lambda value: isinstance(value, list) and all(isinstance(entry, dict) and fits["g"](entry.get("routers")) for entry in value),
    }
    # A field of another kind is not needed, but it must have its type.
    fields = {field: kind for known in CERTIFICATES.values() for field, kind in known.items() if field in certificate} | CERTIFICATES[certificate["kind"]]
    for field, kind in fields.items():
        if not fits[kind](certificate.get(field)):
            raise Malformed(f"{field} of the certificate is {certificate.get(field)!r}")
    if certificate["kind"] in ("joint-growth", "late-entry") and not fits["g"](certificate.get("routers") or []):
        raise Malformed("routers of the certificate is not a group")


def faults_of(document):
    return (document["network"].get("faults") or []) + (document.get("faults") or [])


def is_for(document, network):
    """Whether a schedule file is for exactly this network with the faults that the file lists. None: the same network with other channel numbers, or, under
    full duplex, with other links."""
    try:
        found, wanted = read_network(document["network"]), network.without(faults_of(document))
    except Malformed:
        return False
    half_duplex = document["model"].get("duplex") == "half"
    if found.identity(half_duplex) != wanted.identity(half_duplex):
        return False
    return True if found.channels == wanted.channels and found.partner == wanted.partner else None
