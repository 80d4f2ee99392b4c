"""Mutants of schedule files: changes of every field of the network, the model and the collective.

A mutator takes a random generator and a document, and changes the document in place. It returns the document, or bytes if the change is textual, or None if
there is nothing to change. Mutators do not know whether the result is valid; the checker decides that."""

import copy

from independent.network import pair_up

MUTATORS = {}
# Mutators that every case uses.
ALWAYS = ["forged_certificate", "forged_certificate", "longer_and_optimal", "half_duplex_without_links"]


def mutator(function):
    MUTATORS[function.__name__] = function
    return function


def mutants(rng, document, count):
    """`count` mutants as (name, document or bytes). Some go through several mutators."""
    found, names = [], sorted(MUTATORS)
    while len(found) < count:
        chosen = [rng.choice(names) for _ in range(rng.choice([1, 1, 1, 2, 2, 3]))] if len(found) >= len(ALWAYS) else [ALWAYS[len(found)]]
        changed = copy.deepcopy(document)
        for name in chosen:
            try:
                after = MUTATORS[name](rng, changed) if isinstance(changed, dict) else None
            except Exception:
                after = None  # An earlier mutator removed the field.
            changed = changed if after is None else after
        found.append(("+".join(chosen), changed))
    return found


def few_routers(network):
    """The number of routers. An earlier mutator may have made it so large that a list of them does not fit into memory."""
    if network["routers"] > 1000:
        raise ValueError("too many routers")
    return network["routers"]


def parts(document):
    """The objects with groups: the collective, or each phase."""
    return document["phases"] if document.get("phases") else [document["collective"]]


def bounded(rng, document):
    """The object that has a bound."""
    return rng.choice(document["phases"]) if document.get("phases") else document


def transfers(document):
    return [transfer for step in document["steps"] for transfer in step]


def renumber_channels(document, new):
    """Renumbers channels everywhere in a document. None removes a channel that no path uses."""
    network = document["network"]
    kept = sorted((number, old) for old, number in enumerate(new) if number is not None)
    network["channels"] = [network["channels"][old] for _, old in kept]
    if "links" in network:
        network["links"] = [[new[one], new[other]] for one, other in network["links"] if new[one] is not None and new[other] is not None]
    for transfer in transfers(document):
        transfer["path"] = [new[channel] for channel in transfer["path"]]


def all_links(network):
    if network.get("directed"):
        return []
    return network["links"] if "links" in network else [list(pair) for pair in pair_up(network["channels"])]


# The network.


@mutator
def directed(rng, document):
    document["network"]["directed"] = not document["network"].get("directed", False)
    if rng.random() < 0.8:
        document["network"].pop("links", None)
    return document


@mutator
def links(rng, document):
    pairs = all_links(document["network"])
    document["network"].pop("directed", None)
    choice = rng.choice(["none", "drop", "cross", "guess"])
    if choice == "none":
        pairs = []
    elif choice == "drop" and pairs:
        pairs.pop(rng.randrange(len(pairs)))
    elif choice == "cross" and len(pairs) > 1:
        one, other = rng.sample(pairs, 2)
        one[1], other[1] = other[1], one[1]
    elif choice == "guess":
        document["network"].pop("links", None)
        return document
    document["network"]["links"] = pairs
    return document


@mutator
def half_duplex_without_links(rng, document):
    """A half-duplex file without links: both directions of every link can be used at once."""
    document["network"].pop("directed", None)
    document["network"]["links"] = []
    document["model"]["duplex"] = "half"
    return document


@mutator
def sub_network(rng, document):
    """Removes a channel or link that no path uses."""
    used = {channel for transfer in transfers(document) for channel in transfer["path"]}
    pairs = all_links(document["network"])
    unused = [group for group in [*pairs, *([c] for c in range(len(document["network"]["channels"])))] if not used & set(group)]
    if not unused:
        return None
    gone = set(rng.choice(unused))
    numbers = iter(range(len(document["network"]["channels"])))
    renumber_channels(document, [None if c in gone else next(numbers) for c in range(len(document["network"]["channels"]))])
    return document


@mutator
def super_network(rng, document):
    """Adds a channel or a link that no path uses."""
    network = document["network"]
    pairs, is_explicit = all_links(network), "links" in network
    tail, head = rng.sample(range(network["routers"]), 2)
    network["channels"].append([tail, head])
    if rng.random() < 0.7:
        network["channels"].append([head, tail])
        pairs.append([len(network["channels"]) - 2, len(network["channels"]) - 1])
    if is_explicit or rng.random() < 0.3 and not network.get("directed"):
        network["links"] = pairs
    return document


@mutator
def drop_channel(rng, document):
    """Removes any channel without renumbering the paths."""
    document["network"]["channels"].pop(rng.randrange(len(document["network"]["channels"])))
    return document


@mutator
def turn_channel(rng, document):
    rng.choice(document["network"]["channels"]).reverse()
    return document


@mutator
def swap_channels(rng, document):
    channels = document["network"]["channels"]
    one, other = rng.sample(range(len(channels)), 2)
    channels[one], channels[other] = channels[other], channels[one]
    return document


@mutator
def shuffle_channels(rng, document):
    """The same network and schedule with other channel numbers."""
    new = list(range(len(document["network"]["channels"])))
    rng.shuffle(new)
    if not document["network"].get("directed"):
        document["network"]["links"] = all_links(document["network"])
    renumber_channels(document, new)
    return document


@mutator
def more_routers(rng, document):
    network = document["network"]
    network["routers"] += 1
    network.pop("names", None)
    if rng.random() < 0.7:
        other = rng.randrange(network["routers"] - 1)
        network["channels"] += [[network["routers"] - 1, other], [other, network["routers"] - 1]]
    if rng.random() < 0.5:
        network["processors"].append(network["routers"] - 1)
    return document


@mutator
def fewer_routers(rng, document):
    document["network"]["routers"] -= 1
    return document


@mutator
def more_processors(rng, document):
    document["network"]["processors"].append(rng.choice([None, rng.randrange(document["network"]["routers"])]))
    return document


@mutator
def lose_processor(rng, document):
    processors = document["network"]["processors"]
    processors[rng.randrange(len(processors))] = None
    return document


@mutator
def move_processor(rng, document):
    processors = document["network"]["processors"]
    processors[rng.randrange(len(processors))] = rng.randrange(document["network"]["routers"])
    return document


@mutator
def swap_homes(rng, document):
    processors = document["network"]["processors"]
    one, other = rng.sample(range(len(processors)), 2)
    processors[one], processors[other] = processors[other], processors[one]
    return document


@mutator
def relabel(rng, document):
    """The same network with other router numbers."""
    new = list(range(few_routers(document["network"])))
    rng.shuffle(new)
    network = document["network"]
    network["channels"] = [[new[tail], new[head]] for tail, head in network["channels"]]
    network["processors"] = [None if home is None else new[home] for home in network["processors"]]
    return document


@mutator
def faults(rng, document):
    network = document["network"]
    choice = rng.choice(["none", "more", "top", "odd"])
    if choice == "none":
        network.pop("faults", None)
    elif choice == "more":
        network.setdefault("faults", []).append(rng.choice(["0-1", "1:0", "0", "1-2", str(network["routers"] - 1)]))
    elif choice == "top":
        document["faults"] = network.pop("faults", ["0-1"])
    else:
        network["faults"] = [rng.choice(["", "-", "0-", "99-100", "0-1-2", "x", "0-0", "18446744073709551616", "\u0000"])]
    return document


@mutator
def names(rng, document):
    network = document["network"]
    choice = rng.choice(["network", "collective", "routers", "both"])
    if choice in ("network", "both"):
        network["name"] = rng.choice(["torus:8x8", "ring:4", "", "hypercube:30", "net.json", "\u001b[31mred", "a\nb"])
    if choice in ("collective", "both"):
        document["collective"]["name"] = rng.choice(["oab", "aas", "", "all-reduce", "all-to-all of everything"])
    if choice == "routers":
        network["names"] = rng.choice([[str(router) for router in range(few_routers(network))][::-1], ["a"] * few_routers(network), ["a"], [], [""] * few_routers(network)])
    return document


@mutator
def multicast(rng, document):
    """Switches that copy, sometimes routers that are not switches."""
    network = document["network"]
    routers = range(few_routers(network))
    switches = [router for router in routers if router not in network["processors"]]
    choice = rng.choice(["all", "some", "any", "twice", "odd"])
    if choice == "all":
        network["multicast"] = switches
    elif choice == "some":
        network["multicast"] = [router for router in switches if rng.random() < 0.5]
    elif choice == "any":
        network["multicast"] = [rng.choice(routers)]
    elif choice == "twice":
        network["multicast"] = [rng.choice(switches or routers)] * 2
    else:
        network["multicast"] = rng.choice([None, True, {}, [network["routers"]], [-1], [2**32], ["0"], [None], [0.0]])
    return document


@mutator
def timings(rng, document):
    """Latencies or bandwidths, one for each channel or too many or too few, sometimes a wrong one."""
    network = document["network"]
    count = len(network["channels"])
    values = [rng.choice([1, 25.0, 12.5, 0.1, None]) for _ in range(rng.choice([count, count, 1, 0, count + 1]))]
    if values and rng.random() < 0.4:
        values[rng.randrange(len(values))] = rng.choice([0, -1, 0.0, -0.0, 1e300, 5e-324, float("inf"), float("nan"), "25", True, [1], 10**400])
    network[rng.choice(["latency_ns", "bandwidth_gbytes"])] = rng.choice([values, values, values, None, {}]) if rng.random() < 0.2 else values
    return document


# The model.


@mutator
def duplex(rng, document):
    document["model"]["duplex"] = "half" if document["model"].get("duplex") != "half" else "full"
    return document


@mutator
def ports(rng, document):
    document["model"]["ports"] = rng.choice(["all", 1, 2, 3, 0, -1, 10**6, 2**32, 2**64, "1", 1.0, None])
    return document


@mutator
def routing(rng, document):
    document["model"]["routing"] = rng.choice(["minimal", "any", {"detour": 0}, {"detour": 1}, {"detour": 2**32 - 1}, {"detour": 2**64}, {}, "adaptive", {"detour": -1}])
    return document


@mutator
def switching(rng, document):
    document["model"]["switching"] = rng.choice(["wormhole", "sf", "wh", "store-and-forward", "cut-through"])
    return document


@mutator
def no_rule(rng, document):
    document["model"].pop(rng.choice(sorted(document["model"])))
    return document


# The collective.


@mutator
def groups(rng, document):
    part, field = rng.choice(parts(document)), rng.choice(["senders", "receivers"])
    group, count = part[field], len(document["network"]["processors"])
    choice = rng.choice(["drop", "add", "twice", "swap", "shuffle", "empty", "beyond"])
    if choice == "drop":
        group.pop(rng.randrange(len(group)))
    elif choice == "add":
        part[field] = sorted({*group, rng.randrange(count)})
    elif choice == "twice":
        group.append(rng.choice(group))
    elif choice == "swap":
        part["senders"], part["receivers"] = part["receivers"], part["senders"]
    elif choice == "shuffle":
        rng.shuffle(group)
    elif choice == "empty":
        part[field] = []
    else:
        group.append(rng.choice([count, 2**32, 2**64]))
    return document


@mutator
def kind(rng, document):
    rng.choice(parts(document))["kind"] = rng.choice(["broadcast", "scatter", "gather", "reduce", "messages", "all-reduce", "dance"])
    return document


@mutator
def as_messages(rng, document):
    """A broadcast written as an equivalent list of messages."""
    part, = parts(document)
    if part["kind"] != "broadcast":
        return None
    listed = [{"from": s, "to": [r for r in part["receivers"] if r != s]} for s in part["senders"]]
    number = {s: index for index, s in enumerate(part["senders"])}
    document["collective"] = {"kind": "messages", "name": "listed", "messages": listed}
    for transfer in transfers(document):
        transfer["message"] = [number[transfer["message"][0]]]
    return document


@mutator
def messages(rng, document):
    part = rng.choice(parts(document))
    listed = part["messages"]
    choice = rng.choice(["drop", "add", "twice", "self", "empty", "other"])
    if choice == "drop":
        listed.pop(rng.randrange(len(listed)))
    elif choice == "add":
        listed.append(copy.deepcopy(rng.choice(listed)))
    elif choice == "twice":
        message = rng.choice(listed)
        message["to"].append(rng.choice(message["to"]))
    elif choice == "self":
        message = rng.choice(listed)
        message["to"].append(message["from"])
    elif choice == "empty":
        rng.choice(listed)["to"] = []
    else:
        rng.choice(listed)["from"] = rng.randrange(len(document["network"]["processors"]))
    return document


@mutator
def phases(rng, document):
    listed = document["phases"]
    choice = rng.choice(["swap", "steps", "drop", "single", "empty"])
    if choice == "swap":
        listed.reverse()
    elif choice == "steps":
        listed[0]["steps"] += 1
        listed[1]["steps"] -= rng.choice([0, 1])
    elif choice == "drop":
        gone = listed.pop(rng.randrange(len(listed)))
        del document["steps"][-gone["steps"] :]
    elif choice == "single":
        document["collective"], document["phases"] = listed[0], None
    else:
        document["phases"] = []
    return document
