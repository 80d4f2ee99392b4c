"""Bandwidths, chunks and throughput from Python."""

import fractions
import gzip
import json
import xml.etree.ElementTree

import networkx
import numpy
import pandas
import pytest

import pavane


def test_chunks_are_counted(tmp_path):
    problem = pavane.Problem(pavane.Network("dgx-1v"), "all-gather", switching="sf", chunks=6)
    schedule = problem.solve()
    assert (schedule.steps, schedule.is_optimal) == (7, True)
    assert (schedule.chunks, schedule.steps_per_message) == (6, fractions.Fraction(7, 6))
    assert (schedule.throughput_limit, schedule.limit_share) == (fractions.Fraction(7, 6), 1.0)
    path = tmp_path / "chunks.json"
    schedule.save(path)
    assert pavane.Schedule.load(path).chunks == 6
    whole = pavane.Problem(pavane.Network("ring:4"), "all-reduce").solve()
    assert (whole.chunks, whole.steps_per_message) == (1, whole.steps)


@pytest.mark.parametrize(
    "network, collective, limit, algorithm, bus",
    [
        ("dgx-a100:2", "all-gather", "3/65", 1040 / 3, 325),
        ("ring:3", "all-reduce", "2", 1.5, 2),
        ("ring:8", "broadcast", "1/2", 2, 2),
        ("ring:4", "all-to-all", "2", 2, 1.5),
    ],
)
def test_throughput_has_known_limits(network, collective, limit, algorithm, bus):
    found = pavane.throughput(pavane.Network(network), collective)
    assert (found.limit, found.time, found.is_optimal) == (fractions.Fraction(limit),) * 2 + (True,)
    assert isinstance(found.limit, fractions.Fraction)
    assert found.explanation.endswith(f"so at least {limit} ns per byte")
    assert found.algorithm_gbytes == pytest.approx(algorithm)
    assert found.bus_gbytes == pytest.approx(bus)
    assert found.microseconds is None
    assert repr(found) == f"<Throughput {collective} on {network}: {limit} ns per byte, optimal>"


def test_throughput_respects_its_options():
    network = pavane.Network("dgx-a100:2")
    fewer = pavane.throughput(network, "all-gather", trees=1)
    assert fewer.limit == fractions.Fraction(3, 65) < fewer.time and not fewer.is_optimal
    assert repr(fewer).endswith(f"{fewer.time} ns per byte, limit 3/65>")
    assert len(fewer.plan["trees"]) == 16
    ring = pavane.Network("ring:4")
    for bandwidth in [50, 50.0, "50GB/s", "400Gb/s"]:
        found = pavane.throughput(ring, "broadcast", root="2", bandwidth=bandwidth, latency=5, bytes=10**6)
        assert found.limit == fractions.Fraction(1, 100)
        assert found.microseconds == pytest.approx(10)
    assert set(found.plan["network"]["latency_ns"]) == {5}
    assert pavane.throughput(ring.without("0-1"), "broadcast", root="0").limit == 1
    assert pavane.throughput(ring, "mnb", senders="0-1", receivers="2").bus_gbytes is None
    # Without time for a search, the plan is a simple one and still valid.
    assert not pavane.throughput(network, "all-gather", time=0.0).is_optimal


def test_throughput_respects_bandwidths_of_networkx():
    graph = networkx.DiGraph()
    graph.add_edge("a", "b", bandwidth_gbytes=40.0)
    graph.add_edge("b", "a", bandwidth_gbytes=10.0)
    network = pavane.Network.from_networkx(graph)
    assert pavane.throughput(network, "broadcast", root="0").limit == fractions.Fraction(1, 40)
    assert pavane.throughput(network, "broadcast", root="1").limit == fractions.Fraction(1, 10)
    graph["a"]["b"]["bandwidth_gbytes"] = 5.0
    network = pavane.Network.from_networkx(graph)
    assert pavane.throughput(network, "all-gather").limit == fractions.Fraction(1, 5)


def test_sizes_are_lists_or_arrays():
    network = pavane.Network("path:3")
    rows = [[0, 4096, 0], [0, 7, 8192], [0, 1024, 0]]
    for sizes in [rows, tuple(map(tuple, rows)), numpy.array(rows), numpy.array(rows, dtype="uint16")]:
        found = pavane.throughput(network, "all-to-all", sizes=sizes, bandwidth=8)
        assert (found.is_optimal, found.microseconds) == (True, pytest.approx(1.024))
        assert (found.limit, found.algorithm_gbytes) == (1, None)


def test_throughput_plans_are_saved_and_verified(tmp_path):
    found = pavane.throughput(pavane.Network("dgx-1v"), "all-reduce")
    assert found.plan["format"] == "pavane/throughput/1"
    plain, packed = tmp_path / "plan.json", tmp_path / "plan.json.gz"
    found.save(plain)
    found.save(packed)
    assert gzip.decompress(packed.read_bytes()) == plain.read_bytes()
    assert json.loads(plain.read_text()) == found.plan
    [verdict] = pavane.verify(packed)
    assert (verdict["valid"], verdict["optimal"], verdict["violations"]) == (True, True, [])
    assert verdict["ns_per_byte"] == verdict["limit_ns_per_byte"] == str(found.limit)
    plan = pavane.throughput(pavane.Network("ring:4"), "broadcast").plan
    plan["trees"][0]["channels"].pop()
    plain.write_text(json.dumps(plan))
    [verdict] = pavane.verify(plain)
    assert not verdict["valid"] and not verdict["optimal"] and verdict["violations"]
    with pytest.raises(ValueError, match="pavane/throughput/1"):
        pavane.Schedule.load(plain)


def test_throughput_plans_are_repaired(tmp_path):
    before = pavane.throughput(pavane.Network("dgx-1v"), "all-gather", bytes=8000)
    assert before.kept is None
    mended = before.repair("0-1", "2-3")
    broken = pavane.throughput(pavane.Network("dgx-1v").without("0-1", "2-3"), "all-gather", bytes=8000)
    assert mended.limit == broken.limit > before.limit
    assert (mended.is_optimal, mended.microseconds) == (True, broken.microseconds)
    keeping = before.repair("0-1", "2-3", keep=1.0)
    assert keeping.kept == 1.0 and keeping.time >= mended.time
    keeping.save(tmp_path / "plan.json")
    [verdict] = pavane.verify(tmp_path / "plan.json")
    assert verdict["valid"] and verdict["ns_per_byte"] == str(keeping.time)
    assert keeping.repair("5").limit == mended.repair("5").limit
    with pytest.raises(ValueError, match="keep=2"):
        before.repair("0-1", keep=2)
    with pytest.raises(ValueError, match="0-9"):
        before.repair("0-9")
    with pytest.raises(pavane.Impossible, match="disconnect"):
        pavane.throughput(pavane.Network("path:3"), "all-gather").repair("0-1")


def values(network):
    """The bandwidth and latency of every channel by its routers, sorted."""
    names = network.router_names
    ends = [(names[tail], names[head]) for tail, head in network.channels]
    return sorted(zip(ends, network.bandwidths, network.latencies))


def test_bandwidths_and_latencies_are_exact_and_can_be_replaced(tmp_path):
    plain = pavane.Network("ring:3")
    assert set(plain.bandwidths) == {1} and set(plain.latencies) == {0}
    machine = pavane.Network("dgx-a100:2")
    assert set(machine.bandwidths) == {25, 300} and machine.multicast == []
    for bandwidth, latency in [
        (12.5, 700),
        ("100Gb/s", "0.7us"),
        (fractions.Fraction(25, 2), fractions.Fraction(700)),
        (numpy.float32(12.5), numpy.int64(700)),
    ]:
        for network in [
            pavane.Network("ring:3", bandwidth=bandwidth, latency=latency),
            plain.with_timing(bandwidth=bandwidth, latency=latency),
        ]:
            assert network.bandwidths == [fractions.Fraction(25, 2)] * 6
            assert network.latencies == [700] * 6
            assert all(isinstance(value, fractions.Fraction) for value in network.bandwidths + network.latencies)
    # One of the two alone, a network with a fault, and a small number.
    broken = machine.without("box0/gpu0-box0/nic0").with_timing(latency="1us")
    assert broken.bandwidths.count(25) == machine.bandwidths.count(25) - 2 and set(broken.latencies) == {1000}
    assert broken.faults and broken.with_timing(bandwidth=1e-7).bandwidths[0] == fractions.Fraction(1, 10**7)
    # Files keep them, and a path is a path.
    path = tmp_path / "net.json"
    path.write_text(machine.with_timing(latency=3.25).to("json"))
    assert values(pavane.Network(path)) == values(machine.with_timing(latency=3.25))
    assert values(pavane.Network.load(path)) == values(pavane.Network.load(str(path))) == values(pavane.Network(path))


def test_edges_have_attributes():
    network = pavane.Network.from_edges(
        [
            ("a", "hub", "400Gb/s"),
            ("b", "hub", {"bandwidth": 50, "latency": "0.5us"}),
            ("c", "hub", {"bandwidth_gbytes": fractions.Fraction(50), "latency_ns": 500}),
        ],
        multicast=["hub"],
        name="star",
    )
    assert (network.name, network.router_names, network.processors) == ("star", ["a", "hub", "b", "c"], [0, 2, 3])
    assert network.multicast == [1] and network.bandwidths == [50] * 6
    with pytest.raises(ValueError, match="no latency"):
        network.latencies
    # A switch that copies sends one shard of each sender; one that does not copy needs two.
    plain = pavane.Network.from_edges([("a", "s", 50), ("b", "s", 50), ("c", "s", 50)], switches=["s"])
    assert pavane.throughput(network, "all-gather").limit == fractions.Fraction(2, 50)
    assert pavane.throughput(network, "broadcast", root="0").limit == fractions.Fraction(1, 50)
    assert pavane.throughput(plain, "broadcast", root="0").time == fractions.Fraction(1, 50)
    one_way = pavane.Network.from_edges([(0, 1, 10), (1, 2, 20), (2, 0, 40)], directed=True)
    assert one_way.channels == [(0, 1), (1, 2), (2, 0)] and one_way.bandwidths == [10, 20, 40]


@pytest.mark.parametrize("name", ["dgx-a100:2", "dgx-1v", "torus:3x3", "de-bruijn:2,3", "mi250:1", "ring:4@2"])
def test_networkx_keeps_everything(name):
    network = pavane.Network(name, latency="0.25us")
    again = pavane.Network.from_networkx(network.to_networkx())
    assert (again.name, again.router_names) == (network.name, network.router_names)
    assert values(again) == values(network) and again.multicast == network.multicast
    for collective in ["all-gather", "all-to-all"]:
        assert pavane.throughput(again, collective, time=1.0).limit == pavane.throughput(network, collective, time=1.0).limit


def test_networkx_keeps_directions_links_and_switches(tmp_path):
    graph = networkx.DiGraph()
    graph.add_node("s", switch=True, multicast=True)
    for node, down in [("a", "10GB/s"), ("b", 20), ("c", fractions.Fraction(5, 2))]:
        graph.add_edge(node, "s", bandwidth=40, latency=7)
        graph.add_edge("s", node, bandwidth=down, latency="7ns")
    network = pavane.Network.from_networkx(graph)
    assert (network.multicast, set(network.latencies)) == ([0], {7})
    assert set(network.bandwidths) == {10, 20, 40, fractions.Fraction(5, 2)}
    copy = network.to_networkx()
    assert copy.is_directed() and copy.nodes["s"] == {"switch": True, "multicast": True}
    assert copy["s"]["c"] == {"bandwidth_gbytes": 2.5, "latency_ns": 7.0}
    assert values(pavane.Network.from_networkx(copy)) == values(network)
    # Channels of one link stay one link, also with two bandwidths.
    path = {"routers": 2, "channels": [{"from": 0, "to": 1, "bandwidth_gbytes": 1, "link": 0}, {"from": 1, "to": 0, "bandwidth_gbytes": 2, "link": 0}]}
    (tmp_path / "pair.json").write_text(json.dumps(path))
    pair = pavane.Network.from_networkx(pavane.Network(tmp_path / "pair.json").to_networkx())
    assert pair.without("0-1").channels == []
    # Attributes of other programs are ignored.
    graph["a"]["s"]["link"] = "eth0"
    assert values(pavane.Network.from_networkx(graph)) == values(network)


def test_the_number_of_chunks_is_searched_for():
    problem = pavane.Problem(pavane.Network("ring:4"), "all-gather", chunks="auto")
    schedule = problem.solve(time=20.0)
    assert (schedule.chunks, schedule.steps_per_message) == (2, fractions.Fraction(3, 2))
    few = pavane.Problem(pavane.Network("ring:4"), "all-gather", chunks="auto", max_chunks=1).solve(time=5.0)
    assert (few.chunks, few.steps) == (1, 2)
    # Two phases, and messages that gain nothing.
    both = pavane.Problem(pavane.Network("ring:3"), "all-reduce", switching="sf", chunks="auto", max_chunks=2)
    assert both.solve(time=5.0).steps_per_message == 2
    for call in [problem.bound, problem.bounds, problem.faults, lambda: problem.solve(steps=2), lambda: problem.solve(prove=True)]:
        with pytest.raises(ValueError, match='chunks="auto" cannot be combined with .*; give a number'):
            call()


def test_faults_cost_bandwidth():
    network = pavane.Network("dgx-1v", bandwidth=50)
    costs = pavane.Problem(network, "all-gather").faults(throughput=True)
    assert isinstance(costs, pavane.FaultCosts) and len(costs) == 24
    whole = pavane.throughput(network, "all-gather")
    assert costs.no_fault["ns_per_byte"] == whole.limit
    for row in costs:
        broken = pavane.throughput(network.without(row["fault"]), "all-gather")
        assert (row["status"], row["ns_per_byte"]) == ("limited", broken.limit)
        assert row["algorithm_gbytes"] == pytest.approx(broken.algorithm_gbytes)
        assert row["cost_gbytes"] == pytest.approx(whole.algorithm_gbytes - broken.algorithm_gbytes)
        assert row["cost_percent"] == pytest.approx(100 * row["cost_gbytes"] / whole.algorithm_gbytes, abs=0.051)
    assert pandas.DataFrame(costs)["cost_gbytes"].max() > 0
    svg = xml.etree.ElementTree.fromstring(costs.svg())
    titles = [title.text for title in svg.iter("{http://www.w3.org/2000/svg}title")]
    assert len(titles) == 24 and all(title.endswith("% bandwidth") for title in titles)
    assert costs._repr_svg_() == costs.svg()
    # A cut, other parts, and steps.
    line = pavane.Problem(pavane.Network("path:3"), "all-gather")
    cut = line.faults(throughput=True)
    assert [row["status"] for row in cut] == ["disconnected"] * 2 and cut[0]["pairs"] == [[0, 1], [0, 2], [1, 0], [2, 0]]
    assert cut.svg().count("disconnects processors") == 2
    routers = line.faults(throughput=True, of="routers")
    assert [row["missing"] for row in routers] == [[0], [1], [2]]
    assert routers[0]["ns_per_byte"] == 1 and routers[1]["status"] == "disconnected"
    steps = pavane.Problem(pavane.Network("ring:4"), "all-gather").faults()
    assert steps.no_fault["steps"] == 2 and steps.svg().count("% steps</title>") == 4
    # Two links at once, all pairs or some.
    pairs = pavane.Problem(pavane.Network("ring:4"), "all-gather").faults(throughput=True, count=2)
    assert len(pairs) == 6 and {row["status"] for row in pairs} == {"disconnected"} and pairs[0]["fault"] == "0-1 1-2"
    some = pavane.Problem(network, "all-gather").faults(throughput=True, count=2, sample=5, seed=3)
    titles = {title.text.split(":")[0] for title in xml.etree.ElementTree.fromstring(some.svg()).iter("{http://www.w3.org/2000/svg}title")}
    assert len(some) == 5 and titles == {"link " + part.replace("-", " – ") for row in some for part in row["fault"].split()}
    # Equal by symmetry, but not in bandwidth.
    ring = pavane.Network.from_edges([(0, 1, 10), (1, 2, 20), (2, 3, 20), (3, 0, 20)])
    rows = pavane.Problem(ring, "all-gather").faults(throughput=True)
    assert len({row["ns_per_byte"] for row in rows}) > 1


@pytest.mark.parametrize(
    "network, collective, more",
    [
        ("dgx-a100:2", "all-gather", {}),
        ("dgx-1v", "all-reduce", {}),
        ("ring:5", "reduce", {"root": "2"}),
        ("torus:3x3", "all-to-all", {}),
        ("path:3", "all-to-all", {"sizes": [[0, 4096, 0], [0, 7, 8192], [0, 1024, 0]]}),
        ("dgx-a100:2", "all-gather", {"trees": 1}),
    ],
)
def test_plans_are_loaded(network, collective, more, tmp_path):
    found = pavane.throughput(pavane.Network(network), collective, **more)
    path = tmp_path / "plan.json.gz"
    found.save(path)
    again = pavane.Throughput.load(path)
    for name in ["limit", "time", "is_optimal", "algorithm_gbytes", "bus_gbytes", "kept"]:
        assert getattr(again, name) == getattr(found, name), name
    assert repr(again) == repr(found) and again.microseconds is None
    assert again.plan["limit"] == found.plan["limit"] and again.svg() == found.svg()
    assert again.verify() == found.verify() == pavane.verify(path)[0]
    again.save(tmp_path / "copy.json")
    assert pavane.verify(tmp_path / "copy.json") == pavane.verify(path)
    if "sizes" not in more:
        sized = pavane.throughput(pavane.Network(network), collective, bytes="1MB", **more)
        assert pavane.Throughput.load(path, bytes="1MB").microseconds == sized.microseconds
        assert again.explanation == found.explanation
    else:
        assert again.explanation.endswith("ns per byte of a unit")
        with pytest.raises(ValueError, match="have sizes"):
            pavane.Throughput.load(path, bytes="1MB")
    if network == "dgx-1v":
        assert again.repair("0-1").limit == found.repair("0-1").limit


def test_invalid_plans_are_not_loaded(tmp_path):
    path = tmp_path / "plan.json"
    plan = pavane.throughput(pavane.Network("ring:4"), "all-gather").plan
    for change, words in [
        (lambda plan: plan["trees"][0]["channels"].pop(), "is not a valid throughput plan"),
        (lambda plan: plan["limit"].update(ns_per_byte="7"), "its limit is false"),
        (lambda plan: plan.update(format="pavane/schedule/1"), "plan.json"),
    ]:
        bad = json.loads(json.dumps(plan))
        change(bad)
        path.write_text(json.dumps(bad))
        with pytest.raises(ValueError, match=words):
            pavane.Throughput.load(path)
    del plan["limit"]
    path.write_text(json.dumps(plan))
    open_ended = pavane.Throughput.load(path)
    assert (open_ended.limit, open_ended.is_optimal, open_ended.explanation) == (None, False, "the file proves no limit")
    assert repr(open_ended).endswith("3/2 ns per byte, no limit>")


def test_plans_are_drawn(tmp_path):
    found = pavane.throughput(pavane.Network("dgx-a100:2"), "all-gather")
    loads, tree = found.svg(), found.svg(message=3)
    assert loads.startswith("<svg") and found._repr_svg_() == loads != tree
    assert "cut: 15 shards must enter the shaded area over 2 channels with 325 GB/s" in loads and "f-shade" in loads
    assert "f-shade" not in tree
    both = pavane.throughput(pavane.Network("ring:4"), "all-reduce")
    assert both.svg(phase=0) != both.svg(phase=1, message=2)
    assert "<svg" in pavane.throughput(pavane.Network("ring:4"), "all-to-all").svg(message=(0, 2))
    assert both.png(phase=1, message=2) != both.png(phase=1) != both.png(phase=1, theme="dark")
    both.draw(tmp_path / "tree.svg", phase=1, message=2, theme="light")
    assert (tmp_path / "tree.svg").read_text(encoding="utf-8") == both.svg(phase=1, message=2, theme="light")
    both.draw(tmp_path / "tree.html", phase=1, message=2)
    assert both.svg(phase=1, message=2) in (tmp_path / "tree.html").read_text(encoding="utf-8")
    assert found.network == pavane.Network("dgx-a100:2")
    for wrong, words in [
        ({"message": 16}, "there is no message 16; the 16 messages are 0 to 15"),
        ({"message": (0, 1)}, "there is no message 0,1"),
        ({"message": "x"}, "message='x'"),
        ({"phase": 1}, "there is no phase 1: only plans of an all-reduce"),
    ]:
        with pytest.raises(ValueError, match=words):
            found.svg(**wrong)


def test_sizes_are_read_from_files(tmp_path):
    network = pavane.Network("path:3", bandwidth=8)
    rows = [[0, 4096, 0], [0, 7, 8192], [0, 1024, 0]]
    table, text = tmp_path / "sizes.csv", tmp_path / "sizes.json"
    table.write_text("\n".join(",".join(map(str, row)) for row in rows) + "\n")
    text.write_text(json.dumps(rows))
    for sizes in [table, str(table), text]:
        assert pavane.throughput(network, "all-to-all", sizes=sizes).microseconds == pytest.approx(1.024)
    for content, words in [
        ("0,1\n2,x\n", "sizes.csv: line 2, column 2: \"x\" is not a whole number"),
        ("[[0, 1], 5]", "expected a list of rows"),
        ("0,1,2\n0,1,2\n", "2 rows for 3 senders"),
    ]:
        table.write_text(content)
        with pytest.raises(ValueError, match=words):
            pavane.throughput(network, "all-to-all", sizes=table)
    with pytest.raises(ValueError, match="nowhere.csv"):
        pavane.throughput(network, "all-to-all", sizes="nowhere.csv")


def test_bad_values_are_named():
    ring, edges = pavane.Network("ring:4"), pavane.Network.from_edges
    graph = networkx.Graph()
    graph.add_edge("a", "b", bandwidth=float("inf"))
    for make, words in [
        (lambda: pavane.Network("ring:4", bandwidth=0), "bandwidth: .* more than 0"),
        (lambda: pavane.Network("ring:4", bandwidth="50"), "bandwidth: .* unit is missing"),
        (lambda: pavane.Network("ring:4", bandwidth=fractions.Fraction(1, 3)), "more digits than a file can hold"),
        (lambda: ring.with_timing(latency=-1), "latency: .* negative"),
        (lambda: ring.with_timing(latency=float("nan")), "latency: "),
        (lambda: ring.with_timing(bandwidth=fractions.Fraction(-1, 2)), "bandwidth: .* non-negative"),
        (lambda: ring.with_timing(bandwidth=True), "bandwidth: "),
        (lambda: pavane.Network.from_networkx(graph), "edge a - b: bandwidth: "),
        (lambda: edges([("a", "b", "9parsec")]), "edge a - b: bandwidth: .* no unit"),
        (lambda: edges([("a", "b", {"latency": -3})]), "edge a - b: latency: "),
        (lambda: edges([("a",)]), r"edges\[0\]: expected"),
        (lambda: edges([7]), r"edges\[0\]: expected"),
        (lambda: edges([("a", "b")], switches=["c"]), "switches: no edge has the node 'c'"),
        (lambda: pavane.Problem(ring, "aab", chunks="some"), "chunks='some' .* or \"auto\""),
        (lambda: pavane.Problem(ring, "aab", chunks=5000), "chunks=5000"),
        (lambda: pavane.Problem(ring, "aab", chunks="auto", max_chunks=0), "max_chunks=0"),
        (lambda: pavane.throughput(ring, "aas", trees=2), "trees: messages of aas take paths"),
        (lambda: pavane.Throughput.load("nowhere.json"), "nowhere.json"),
        (lambda: pavane.Network.load("ring:4"), "ring:4"),
        (lambda: pavane.Problem(ring, "aab").faults(throughput=True, of="plugs"), "of="),
        (lambda: pavane.Problem(ring, "aab").faults(throughput=True, time=-1.0), "time="),
        (lambda: pavane.Problem(ring, "aab").faults(count=0), "at least one fault"),
        (lambda: pavane.Problem(ring, "aab").faults(throughput=True, count=5), "only 4 parts"),
    ]:
        with pytest.raises(ValueError, match=words):
            make()


def test_groups_are_texts_or_numbers():
    ring = pavane.Network("ring:6")
    schedules = [pavane.Problem(ring, "broadcast", root=root).solve() for root in ("2", 2)]
    assert schedules[0].records() == schedules[1].records()
    problem = pavane.Problem(ring, "mnb", senders=[0, 1], receivers=range(2, 5))
    assert problem.messages == pavane.Problem(ring, "mnb", senders="0,1", receivers="2-4").messages == 2
    with pytest.raises(ValueError):
        pavane.Problem(ring, "broadcast", root=6)
    with pytest.raises(ValueError, match="root: 1.5 is not a group"):
        pavane.Problem(ring, "broadcast", root=1.5)


def test_several_kinds_of_parts_fail():
    problem = pavane.Problem(pavane.Network("dgx-1v"), "all-gather")
    both = problem.faults(of="links,routers", throughput=True)
    assert len(both) == len(problem.faults(throughput=True)) + 8
    with pytest.raises(ValueError, match="either links or channels"):
        problem.faults(of="links,channels")
