"""Random small problems: a network (a name, or a file in one of the formats), faults, a collective and rules. The meaning of each is computed here as well,
independently of the program."""

import json
from collections import namedtuple

from independent.network import Network, named_network, undirected

# argument: for the command line; network: the network that it stands for.
Net = namedtuple("Net", "argument network")
# phases: for every phase the sorted (origin, destinations) of its messages, with gather and reduce converted to scatter and broadcast; None if unknown here.
Collective = namedtuple("Collective", "arguments phases")

NAMES = """ring:3 ring:4 ring:5 ring:6 path:2 path:3 path:4 path:5 star:4 star:5 complete:3 complete:4 complete:5 tree:2,1 tree:2,2 tree:3,1 mesh:2x2 mesh:2x3 mesh:3x2
    mesh:2x2x2 torus:2x3 torus:3x3 hypercube:2 hypercube:3 octagon:8 kautz:2,1 kautz:2,2 ring:3@2 path:2@2 path:2@3 path:3@2 star:3@2 mesh:2x2@2 kautz:2,1@2""".split()


def draw_network(rng, folder):
    if rng.random() < 0.5:
        name = rng.choice(NAMES)
        return Net(name, named_network(name))
    return draw_file(rng, folder)


def draw_file(rng, folder):
    """A random graph, written in one of the formats of network files."""
    routers = rng.randint(2, 6)
    style = rng.choice(["links", "links", "links", "channels", "mixed"])
    edges = [(rng.randrange(router), router) for router in range(1, routers)]
    edges += [tuple(rng.sample(range(routers), 2)) for _ in range(rng.randint(0, 3))]
    if rng.random() < 0.3:
        edges.append(rng.choice(edges))
    rng.shuffle(edges)
    if style == "channels":
        # Mostly in both directions, so that most pairs are connected.
        links, channels = [], [e for edge in edges for e in ((edge, edge[::-1]) if rng.random() < 0.9 else (edge,))]
        channels += [tuple(rng.sample(range(routers), 2))]
    else:
        links, channels = edges, [tuple(rng.sample(range(routers), 2)) for _ in range(style == "mixed" and rng.randint(1, 2))]
    homes = draw_homes(rng, routers)
    writer = rng.choice([write_json, write_toml] + ([write_edges] * 2 if style != "mixed" else []) + [write_dot])
    name, text, homes = writer(rng, routers, links, channels, homes)
    (folder / name).write_text(text)
    network = undirected(routers, links, homes)
    return Net(str(folder / name), Network(routers, network.channels + channels, homes, network.links))


def draw_homes(rng, routers):
    style = rng.choice(["slim", "slim", "fat", "switches", "any"])
    if style == "slim":
        return list(range(routers))
    counts = [2 if style == "fat" and rng.random() < 0.5 else rng.choice([0, 1, 1, 2] if style == "any" else [0, 1, 1] if style == "switches" else [1]) for _ in range(routers)]
    homes = [router for router, count in enumerate(counts) for _ in range(count)][:8]
    while len(homes) < 2:
        homes.append(rng.randrange(routers))
    if rng.random() < 0.3:
        rng.shuffle(homes)
    return homes


def write_json(rng, routers, links, channels, homes):
    data = {"format": "pavane/network/1", "name": "drawn", "routers": routers, "links": links, "channels": channels, "processors": homes}
    return "net.json", json.dumps(data), homes


def write_toml(rng, routers, links, channels, homes):
    lists = [f"{name} = {json.dumps([list(edge) for edge in value])}" for name, value in (("links", links), ("channels", channels))]
    return "net.toml", "\n".join([f"routers = {routers}", *lists, f"processors = {homes}"]) + "\n", homes


def write_edges(rng, routers, links, channels, homes):
    lines = ["directed"] if channels else []
    lines += [f"{tail} {head}" for tail, head in links + channels]
    lines.append("processors " + " ".join(map(str, homes)))
    return "net.edges", "\n".join(lines) + "\n", homes


def write_dot(rng, routers, links, channels, homes):
    """DOT has the number of processors of a router, so processors are numbered along the routers. A digraph can mix links and channels."""
    homes = sorted(homes)
    lines = [f"  {router} [processors={homes.count(router)}];" for router in range(routers)]
    if channels:
        lines += [f"  {tail} -> {head} [dir=both];" for tail, head in links] + [f"  {tail} -> {head};" for tail, head in channels]
        return "net.dot", "digraph drawn {\n" + "\n".join(lines) + "\n}\n", homes
    lines += [f"  {tail} -- {head};" for tail, head in links]
    return "net.dot", "graph drawn {\n" + "\n".join(lines) + "\n}\n", homes


def draw_faults(rng, network, most=2):
    """Faults in disjoint parts of the network: as command-line options, and as the texts in files."""
    options, texts, touched = [], [], set()
    for _ in range(rng.choice([0, 0, 1, 1, 2]) if most else 0):
        kind = rng.choice(["link", "channel", "router"])
        if kind == "router":
            there = [router for router in range(network.routers) if router in network.homes or network.outgoing[router] or network.incoming[router]]
            ends = (rng.choice(there),)
        elif network.channels:
            ends = rng.choice(network.channels)
        else:
            continue
        if touched & set(ends):
            continue
        linked = any(set(network.channels[one]) == set(ends) for one, _ in network.links)
        if kind == "link" and network.partner and not linked or kind == "channel" and not network.partner:
            kind = "channel" if network.partner else "link"
        touched |= set(ends)
        options += ["--fault-channel" if kind == "channel" else "--fault", "-".join(f"r{end}" for end in ends)]
        texts.append(str(ends[0]) if kind == "router" else f"{ends[0]}{':' if kind == 'channel' else '-'}{ends[1]}")
    return options, texts


def draw_rules(rng, may_store=True):
    """Command-line options, and the model that a file should then have."""
    ports = rng.choice(["all", "all", 1, 1, 2, 3])
    switching = rng.choice(["wormhole", "wormhole", "sf"]) if may_store else "wormhole"
    routing = rng.choice(["minimal", "minimal", "any", "+1", "+2"])
    duplex = rng.choice(["full", "full", "half"])
    options = ["--ports", str(ports), "--switching", switching, "--routing", routing, "--duplex", duplex]
    detour = {"detour": int(routing[1:])} if routing[0] == "+" else routing
    return options, {"switching": switching, "routing": detour, "duplex": duplex, "ports": ports}


def draw_collective(rng, healthy, broken, folder):
    """A collective on the remaining processors, with its messages."""
    left = broken.processors
    kind = rng.choice(["oab", "oab", "aab", "mnb", "oas", "aas", "aas", "mns", "multicast", "gather", "aog", "reduce", "aar", "all-reduce", "shift", "permutation", "random-permutation", "file"])
    if len(left) > 6 and kind in ("aab", "aar", "all-reduce", "mnb"):
        kind = "oab"
    if kind in ("shift", "permutation", "random-permutation"):
        return cut(rng, kind, draw_permutation(rng, kind, healthy, left))
    if kind == "file":
        return cut(rng, kind, draw_messages(rng, left, folder))
    options, root, senders, receivers = [kind], None, left, left
    if kind in ("oab", "oas", "multicast", "gather", "aog", "reduce"):
        root = left[0] if left else 0
        if rng.random() < 0.5 and left:
            root = rng.choice(left)
            options += ["--root", str(root)]
    if kind in ("multicast", "mnb", "mns") and len(left) > 2:
        senders = sorted(rng.sample(left, rng.randint(1, len(left)))) if root is None else left
        receivers = sorted(rng.sample([p for p in left if p != root], rng.randint(1, len(left) - 1)))
        options += ["--senders", ",".join(map(str, senders))] if root is None else []
        options += ["--receivers", ",".join(map(str, receivers))]
    elif kind == "multicast":
        options = ["oab", *options[1:]]
    return cut(rng, kind, Collective(options, phases_of(kind, root, senders, receivers)))


def cut(rng, kind, collective):
    """The collective, sometimes with its messages cut into chunks. A gather in chunks is a list of messages to its root, so it is not converted."""
    count = rng.choice([1] * 8 + [2, 3])
    if count == 1 or collective.phases is None:
        return collective
    turned = lambda messages: [(d, (o,)) for o, (d,) in messages] if kind in ("gather", "aog") else messages
    phases = [sorted(message for message in turned(phase) for _ in range(count)) for phase in collective.phases]
    return Collective([*collective.arguments, "--chunks", str(count)], phases)


def phases_of(kind, root, senders, receivers):
    shared = lambda origins, others: [(o, tuple(sorted(set(others) - {o}))) for o in origins if set(others) - {o}]
    private = lambda origins, others: [(o, (d,)) for o in origins for d in others if o != d]
    if root is not None:
        senders = [root]
    if kind in ("oab", "aab", "mnb", "multicast", "reduce", "aar"):
        return [sorted(shared(senders, receivers))]
    if kind in ("oas", "aas", "mns", "gather", "aog"):
        return [sorted(private(senders, receivers))]
    return [sorted(shared(senders, receivers))] * 2


def draw_permutation(rng, kind, healthy, left):
    count = len(healthy.homes)
    targets = list(range(count))
    if kind == "random-permutation":
        return Collective([f"random-permutation:{rng.randrange(100)}"], None)
    if kind == "shift":
        by = rng.randrange(1, count)
        targets, text = [(p + by) % count for p in targets], f"shift:{by}"
    else:
        rng.shuffle(targets)
        text = "permutation:" + ",".join(map(str, targets))
    return Collective([text], [sorted((p, (q,)) for p, q in enumerate(targets) if p != q and p in left and q in left)])


def draw_messages(rng, left, folder):
    messages = []
    for _ in range(rng.randint(1, 5) if len(left) > 1 else 0):
        origin = rng.choice(left)
        others = [p for p in left if p != origin]
        messages.append({"from": origin, "to": sorted(rng.sample(others, rng.choice([1, 1, min(2, len(others)), len(others)])))})
    if rng.random() < 0.5:
        (folder / "messages.json").write_text(json.dumps({"messages": messages}))
        name = "messages.json"
    else:
        (folder / "messages.txt").write_text("".join(f"{m['from']} -> {','.join(map(str, m['to']))}\n" for m in messages))
        name = "messages.txt"
    return Collective([str(folder / name)], [sorted((m["from"], tuple(m["to"])) for m in messages)])


def can_be_solved(broken, model, phases):
    """False if no schedule can exist: no messages, switches under store-and-forward, or an unreachable destination. None: unknown."""
    if phases is None:
        return None
    if not any(phases) or model["switching"] == "sf" and broken.switches():
        return False
    return None if not all_have_ports(broken, model) else reach(broken, phases)


def reach(broken, phases):
    """Whether every origin reaches its destinations. The direction of gather and reduce is lost here, so the answer may be None (unknown)."""
    pairs = [(o, d) for messages in phases for o, others in messages for d in others]
    if all(broken.between(o, d) is not None and broken.between(d, o) is not None for o, d in pairs):
        return True
    return False if len(broken.partner) == len(broken.channels) else None


def all_have_ports(broken, model):
    return model["ports"] != "all" or all(broken.outgoing[broken.homes[p]] and broken.incoming[broken.homes[p]] for p in broken.processors)
