"""`pavane traffic run` with a check of its log, and `pavane traffic sweep` compared with `pavane traffic compare`."""

from fuzzing import problems
from independent.traffic import Message, Run, read_log, replay, ticks

POLICIES = ["fifo", "lf", "smallest-first", "ff", "nf", "lbf", "sbf"]


def traffic_case(case):
    if case.rng.random() < 0.8:
        run_mission(case)
    else:
        sweep(case)


def run_mission(case):
    """Runs a random mission. Times are multiples of a power of two, so they are exact; coarse ones make keys tie."""
    rng = case.rng
    net = problems.draw_network(rng, case.folder)
    options, faults = problems.draw_faults(rng, net.network) if rng.random() < 0.3 else ([], [])
    network = net.network.without(faults)
    if len(network.processors) < 2:
        return
    mission = draw_mission(rng, network)
    rows = "".join(f"{arrival},{source},{destination},{length}\n" for arrival, source, destination, length in mission)
    (case.folder / "mission.csv").write_text("arrival,source,destination,length\n" + rows)
    switching, policy = rng.choice(["store-and-forward", "store-and-forward", "vct", "cs", "wormhole"]), rng.choice(POLICIES)
    routing = rng.choice([None, "shortest", "shortest"] if switching == "wormhole" else [None, "shortest", "shortest", "pa", "dfs"])
    duplex, lanes, has_edd = rng.choice(["half", "full"]), rng.choice([1, 1, 2]) if switching == "wormhole" else 1, rng.random() < 0.4
    arguments = ["--switching", switching, "--policy", policy, "--duplex", duplex, "--lanes", lanes, *(["--edd"] if has_edd else [])]
    arguments += [] if routing is None else ["--routing", routing]
    arguments += ["--optimal"] if routing in (None, "shortest") and switching != "wormhole" and rng.random() < 0.3 else []
    answer = case.run("traffic", "run", net.argument, *options, "--mission", "mission.csv", *arguments, "--log", "log.csv", "--json")
    printed = case.parse(answer)
    can_run = all(network.between(source, destination) is not None for _, source, destination, _ in mission) and is_whole(network)
    if answer.code == 2:
        case.expect(not can_run, "traffic run refuses a mission that can be run", answer.err)
    if answer.code not in (0, 1) or printed is None:
        return
    case.counts["missions"] += 1
    case.expect((answer.code == 1) == bool(printed["deadlock"]), "the exit code of traffic run does not tell whether all messages arrive", answer.code)
    is_fixed = routing in (None, "shortest")
    messages = [Message(ticks(arrival), source, destination, ticks(length)) for arrival, source, destination, length in mission]
    # Dimension order goes round a torus the other way where a link is broken, even if another dimension is shorter; the default under wormhole may be up*/down* or take links in one order.
    is_minimal = routing != "dfs" and not (routing is None and (faults or switching == "wormhole"))
    run = Run(network, messages, switching, policy, has_edd, duplex == "half", is_fixed, is_minimal, lanes)
    wrong = replay(run, read_log(case.folder / "log.csv"), printed)
    case.expect(not wrong, "the log of traffic run breaks a rule", (arguments, wrong[:3]))
    optimum = printed["optimum"]
    if optimum and not has_edd:
        case.expect(optimum["bound"] <= optimum["makespan"] <= printed["makespan"], "the optimum is not between its bound and a run", (optimum, printed["makespan"]))
        case.expect(not optimum["proved"] or max(printed["bounds"].values()) <= optimum["makespan"], "an optimum is below a bound", (optimum, printed["bounds"]))


def is_whole(network):
    """Whether all remaining routers reach each other, as a routing table requires."""
    living = [router for router in range(network.routers) if network.outgoing[router] or network.incoming[router] or router in network.homes]
    return all(other in network.distances(router) for router in living for other in living)


def draw_mission(rng, network):
    scale = rng.choice([1, 4, 1024])
    spread, longest = rng.choice([0, 3, 40]), rng.choice([1, 4, 40])
    mission = []
    for _ in range(rng.randint(1, 24)):
        source, destination = rng.sample(network.processors, 2)
        mission.append((rng.randint(0, spread) / scale, source, destination, rng.randint(1, longest) / scale))
    return mission


def sweep(case):
    """Every point of a sweep reports the missions that did not end, as compare does for the same missions."""
    rng = case.rng
    name = rng.choice(["ring:4", "ring:5", "octagon:8", "torus:3x3", "kautz:2,2", "complete:4", "mesh:2x3"])
    density, missions, seed = rng.choice([0.1, 0.3, 0.6, 0.9]), rng.choice([1, 3, 5]), rng.randrange(100)
    shared = [name, "--missions", missions, "--seed", seed, "--policy", rng.choice(POLICIES), "--threads", 1, "--duplex", rng.choice(["half", "full"]), "--json"]
    shared += ["--switching", rng.choice(["wormhole", "wormhole", "wormhole,sf", "vct"]), "--routing", "shortest"]
    compared, swept = case.run("traffic", "compare", *shared, "--density", density), case.run("traffic", "sweep", *shared, "--values", density)
    rows, points = case.parse(compared), case.parse(swept)
    if compared.code not in (0, 1) or rows is None or points is None:
        return  # For example, a mission without messages.
    case.counts["sweeps"] += 1
    if not case.expect(len(rows["rows"]) == len(points["points"]), "sweep has other rows than compare", points):
        return
    for row, point in zip(rows["rows"], points["points"]):
        lost = missions - row["finished"] - row["empty"]
        for command, entry in (("compare", row), ("sweep", point)):
            told = sum(value for field, value in entry.items() if ("deadlock" in field or "unfinished" in field) and type(value) is int)
            case.expect(told == lost, f"{command} does not tell how many missions did not end", (lost, missions, entry))
            case.expect((entry["mean"] is None) == (lost > 0), f"{command} has a mean of missions that never ended", entry)
        case.expect(point["mean"] == row["mean"], "sweep and compare have different means", (row, point))
        if missions == 1:
            check_single(case, [name, *shared[3:5], "--density", density, *shared[5:7], *shared[9:11]], row)


def check_single(case, arguments, row):
    """A comparison of one mission is a run of that mission."""
    answer = case.run("traffic", "run", *arguments, "--switching", row["switching"], "--routing", "shortest", "--json")
    printed = case.parse(answer)
    if "no message" in answer.err:
        return  # Compare counts the mission as empty.
    if case.expect(printed is not None, "traffic run refuses a mission that traffic compare runs", answer.err):
        case.expect(bool(printed["deadlock"]) == (row["finished"] == 0), "run and compare disagree about a deadlock", (printed["deadlock"], row))
        case.expect(printed["deadlock"] or printed["makespan"] == row["mean"], "run and compare disagree about a mission", (printed["makespan"], row))
