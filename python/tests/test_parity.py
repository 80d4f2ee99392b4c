"""The options of the command line as keywords, with the same names and defaults, and files as bytes."""

import gzip
import json

import pytest

import pavane


@pytest.fixture(scope="module")
def schedule():
    return pavane.Problem("ring:6", "all-to-all").solve()


@pytest.fixture
def place(tmp_path, schedule):
    path = tmp_path / "schedule.json"
    schedule.save(path)
    return path


def msccl(ranks="ring:4"):
    [(_, plan)] = pavane.Problem(ranks, "all-gather").solve().export("msccl")
    return plan


def test_bytes_stand_for_a_file(tmp_path, place, schedule):
    content = place.read_bytes()
    for file in [content, bytearray(content), memoryview(content), gzip.compress(content)]:
        assert pavane.Schedule.load(file) == schedule
        assert pavane.verify(file) == pavane.verify(place)
    with pytest.raises(pavane.InputError, match="the bytes"):
        pavane.Schedule.load(b"{}")
    edges = b"a b\nb c\nc a\n"
    assert pavane.Network(edges, name="triangle").name == "triangle"
    assert pavane.Network.load(edges).routers == pavane.Network(edges).routers == 3
    assert pavane.Problem(edges, "all-gather").solve().steps == 1
    assert pavane.check_plan(msccl()) == []
    assert pavane.Schedule.import_(msccl(), network="ring:4").collective == "all-gather"
    for messages in [b"0,1\n1,2\n", b'[{"from": 0, "to": 1}, {"from": 1, "to": [2]}]', b"0,1", b'{"messages": [{"from": 0, "to": 1}]}']:
        problem = pavane.Problem("ring:4", messages)
        assert problem.collective == "messages" and problem.messages in (1, 2)
        assert problem.solve().steps == 1
    slots = pavane.tdm("mesh:2x2", traffic=b"0,3,2\n3,0,1\n", evaluations=100)
    assert len(slots.words()) == 3
    sizes = b"0,100\n100,0\n"
    assert pavane.throughput("path:2", "all-to-all", sizes=sizes).microseconds == 0.1
    assert pavane.timed("path:2", "all-to-all", sizes=sizes, evaluations=1).microseconds == 0.1
    run = pavane.traffic("ring:4", mission=b"0,0,1,5\n")
    assert [message["length"] for message in run["messages"]] == [5]
    for thing, kind in [
        (pavane.throughput("ring:4", "all-gather"), pavane.Throughput),
        (pavane.timed("ring:4", "all-gather", bytes=4096, evaluations=1), pavane.Timed),
        (slots, pavane.Tdm),
    ]:
        path = tmp_path / "result.json.gz"
        thing.save(path)
        assert repr(kind.load(path.read_bytes())) == repr(thing)
        assert pavane.verify(path.read_bytes())[0]["valid"]
    [size] = pavane.compare("ring:4", "all-gather", bytes="1MB", files=[msccl()], evaluations=1)
    assert "the bytes" in [one["name"] for one in size["algorithms"]]
    assert pavane.Network("ring:6").without(file=b"# two\n0-1\n3\n").faults == ["0-1", "3"]


def test_verify_takes_the_network_and_the_limits(tmp_path, place):
    assert pavane.verify(place, network="ring:6") == pavane.verify(place)
    for network in ["ring:5", "path:6"]:
        with pytest.raises(pavane.InputError, match=f"is for the network ring:6, not for {network}"):
            pavane.verify(place, network=network)
    with pytest.raises(pavane.InputError, match="at most 10 are allowed"):
        pavane.verify(place, max_deliveries=10)
    with pytest.raises(pavane.InputError, match="at most 10 are allowed"):
        pavane.Schedule.load(place, max_deliveries=10)
    plan = tmp_path / "plan.json"
    pavane.throughput("dgx-1v", "all-gather").save(plan)
    assert pavane.verify(plan, network="dgx-1v")[0]["optimal"]
    with pytest.raises(pavane.InputError, match="other bandwidths than dgx-1v"):
        pavane.verify(plan, network=pavane.Network("dgx-1v", bandwidth=3))
    assert "operations" in pavane.verify(plan, max_work=1)[0]["limit_error"]
    slots = tmp_path / "tdm.json"
    pavane.tdm("torus:3x3").save(slots)
    assert pavane.verify(slots, network="torus:3x3")[0]["bound_error"] is None
    with pytest.raises(pavane.InputError, match="not for ring:9"):
        pavane.verify(slots, network="ring:9")


def test_schedules_of_other_programs_are_timed(tmp_path):
    [verdict] = pavane.verify(msccl("dgx-1v"), network="dgx-1v", bytes="1MB")
    assert verdict["valid"] and verdict["claims"]["format"] == "MSCCL"
    timed = pavane.Timed.import_(msccl("dgx-1v"), network="dgx-1v", bytes="1MB")
    assert str(timed.time) == verdict["time_ns"] and timed.verify()["valid"]
    with pytest.raises(pavane.InputError, match='give both, such as network="ndv2:2", bytes="1MB"'):
        pavane.verify(msccl())
    with pytest.raises(pavane.InputError, match="not a schedule of MSCCL"):
        pavane.Timed.import_(b"a b", network="ring:4", bytes=1)


def test_plans_are_checked_as_demanded():
    plan = msccl()
    assert pavane.check_plan(plan, collective="allgather", slots=1) == []
    assert pavane.check_plan(plan, collective="alltoall") != []
    for keywords, words in [
        ({"collective": "gossip"}, "unknown collective"),
        ({"collective": "broadcast", "root": 9}, "no such rank"),
        ({"slots": 0}, "at least 1"),
    ]:
        with pytest.raises(pavane.InputError, match=words):
            pavane.check_plan(plan, **keywords)


def test_repairs_take_the_options_of_the_command():
    schedule = pavane.Problem("torus:4x4", "all-to-all").solve(evaluations=1000)
    one = schedule.repair("0,0-0,1", evaluations=2000, threads=1)
    assert one == schedule.repair("0,0-0,1", evaluations=2000, threads=2)
    slots = pavane.tdm("ring:6", evaluations=1000)
    assert slots.repair("0-1", evaluations=1000).period > slots.period
    with pytest.raises(pavane.Impossible, match="with these faults a period of 6 slots is impossible"):
        slots.repair("0-1", keep_steps=True, evaluations=1000)
    same = pavane.tdm("ring:6", traffic=[(0, 1, 1), (3, 4, 1)]).repair("1-2", keep_steps=True)
    assert same.period == 1
    timed = pavane.timed("ring:6", "all-gather", bytes=4096, evaluations=1)
    assert timed.repair("0-1", keep=0, evaluations=2, threads=1) == timed.repair("0-1", keep=0, evaluations=2, threads=2)


def test_costs_are_those_of_the_command(place, schedule):
    assert schedule.cost() == 0
    wormhole = schedule.cost(ts=100, tr=10, t1=1, size=5)
    longest = [max(len(row["path"]) for row in step) for step in schedule]
    assert wormhole == sum(105 + 10 * hops for hops in longest)
    stored = pavane.Problem("ring:6", "all-to-all", switching="sf").solve()
    assert stored.cost(ts=1, tr=1) == 2 * stored.steps
    with pytest.raises(pavane.InputError, match="ts=-1"):
        schedule.cost(ts=-1)


def test_bounds_have_a_time_limit():
    problem = pavane.Problem("torus:6x6", "all-to-all")
    assert problem.bound(time=0) <= problem.bound(time=60) == problem.bound()
    assert problem.bounds(time=60)
    with pytest.raises(pavane.InputError, match="time=-1"):
        problem.bound(time=-1)


def test_searches_start_from_the_atlas(tmp_path):
    found = pavane.Problem("hypercube:3", "all-to-all").solve(atlas="atlas")
    assert found.engine == "atlas: hypercube-3-aas" and found.is_optimal
    assert "atlas" not in pavane.Problem("ring:7", "all-gather").solve(atlas="atlas").engine
    assert pavane.tdm("torus:4x4", atlas="atlas", evaluations=0).is_optimal
    assert pavane.throughput("dgx-1v", "all-gather", atlas="atlas").is_optimal
    for search in (
        lambda: pavane.tdm("torus:4x4", atlas="atlas", slots=20),
        lambda: pavane.throughput("dgx-1v", "all-gather", atlas="atlas", trees=1),
        lambda: pavane.Problem("ring:4", "all-gather").solve(atlas=tmp_path),
    ):
        with pytest.raises(pavane.InputError):
            search()


def test_deliveries_are_limited_everywhere():
    for search in (
        lambda limit: pavane.throughput("ring:4", "all-gather", max_deliveries=limit),
        lambda limit: pavane.timed("ring:4", "all-gather", bytes=1, evaluations=1, max_deliveries=limit),
        lambda limit: pavane.pareto("ring:4", "all-gather", max_chunks=1, max_deliveries=limit),
        lambda limit: pavane.compare("ring:4", "all-gather", bytes=1, evaluations=1, max_deliveries=limit),
        lambda limit: pavane.tune("ring:4", "all-gather", bytes=(1, 1), evaluations=1, max_deliveries=limit),
    ):
        assert search(12)
        with pytest.raises(pavane.InputError, match="at most 11 are allowed"):
            search(11)


def test_sizes_are_ranges_as_on_the_command_line():
    sizes = lambda **keywords: [size["bytes"] for size in pavane.compare("ring:4", "all-gather", evaluations=1, **keywords)]
    assert sizes(bytes="1KB..256KB") == [1000, 16000, 256000]
    assert sizes(bytes="1KB..4KB,9KB", factor=2) == [1000, 2000, 4000, 9000]
    tuning = pavane.tune("ring:4", "all-gather", bytes="1KB..4KB", latency="1us", evaluations=1, time=20)
    assert [size["bytes"] for size in tuning] == [1000, 2000, 4000]
    for wrong in ["4KB..1KB", "1KB", ("1KB",), 7]:
        with pytest.raises(pavane.InputError, match="bytes"):
            pavane.tune("ring:4", "all-gather", bytes=wrong)
    with pytest.raises(pavane.InputError, match="factor=1"):
        pavane.compare("ring:4", "all-gather", bytes="1KB..4KB", factor=1)


def test_sweeps_search_for_optima():
    keywords = {"missions": 4, "values": [0.2], "policy": "fifo", "switching": "cs"}
    plain = pavane.sweep("ring:4", **keywords)
    best = pavane.sweep("ring:4", optimal=4, **keywords)
    assert len(best) == len(plain) + 1 and any(row["curve"].endswith(" opt") for row in best)
    with pytest.raises(pavane.InputError, match="optimal has no effect"):
        pavane.sweep("ring:4", over="rate", optimal=1)


def test_traffic_is_saved_and_drawn(tmp_path):
    page, mission = tmp_path / "chart.html", tmp_path / "mission.json"
    run = pavane.traffic("ring:4", density=0.5, gantt=page, save=mission)
    assert page.read_text().lower().startswith("<!doctype html")
    assert pavane.traffic("ring:4", mission=mission)["makespan"] == run["makespan"]
    assert len(json.loads(mission.read_text())["messages"]) == len(run["messages"])


def test_faults_have_the_bandwidths_of_keywords():
    problem = pavane.Problem("ring:4", "all-gather")
    slow = problem.faults(throughput=True, bandwidth=1)
    fast = problem.faults(throughput=True, bandwidth="10GB/s", latency="1us")
    assert fast.no_fault["algorithm_gbytes"] == pytest.approx(10 * slow.no_fault["algorithm_gbytes"])
    with pytest.raises(pavane.InputError, match="throughput=True"):
        problem.faults(bandwidth=1)


def test_pictures_have_parts(schedule, tmp_path):
    panels, channels = schedule.svg(only="panels"), schedule.svg(only="channels")
    assert "step 1" in panels and "step 1" not in channels and panels != schedule.svg()
    for wrong in (
        lambda: schedule.svg(only="chart"),
        lambda: schedule.svg(only="channels", animate=True),
        lambda: schedule.draw(tmp_path / "x.gif", only="channels"),
        lambda: schedule.draw(tmp_path / "x.html", only="panels"),
    ):
        with pytest.raises(pavane.InputError, match="only"):
            wrong()


def test_searches_continue_from_a_checkpoint(tmp_path):
    kept = tmp_path / "search.checkpoint"
    problem = pavane.Problem("torus:5x5", "all-to-all")
    first = problem.solve(evaluations=2000, resume=kept)
    assert kept.is_file()
    again = problem.solve(evaluations=2000, resume=kept)
    assert again.steps <= first.steps and again.bound >= first.bound
    for wrong, words in [
        (lambda: problem.solve(resume=kept, seed=2), "belongs to a different search"),
        (lambda: pavane.Problem("torus:5x5", "all-gather").solve(resume=kept), "belongs to a different search"),
        (lambda: pavane.Problem("ring:4", "all-gather", chunks="auto").solve(resume=tmp_path / "x"), "resume"),
        (lambda: problem.solve(resume=tmp_path / "none" / "x"), "does not exist"),
    ]:
        with pytest.raises(pavane.InputError, match=words):
            wrong()
    kept.write_text("{}")
    with pytest.raises(pavane.InputError, match="is not a checkpoint file"):
        problem.solve(resume=kept)


def test_surveys_of_faults_are_kept(tmp_path):
    rows, folder = tmp_path / "rows.json", tmp_path / "contingencies"
    problem = pavane.Problem("mesh:3x2", "all-gather")
    plain = problem.faults(of="links,routers", evaluations=1000)
    kept = problem.faults(of="links,routers", evaluations=1000, resume=rows, save=folder)
    assert list(kept) == list(plain) and kept.svg() == plain.svg()
    index = json.loads((folder / "index.json").read_text())
    [entries] = index["collectives"]
    assert index["is_complete"] and len(entries["faults"]) == len(plain)
    for entry, row in zip(entries["faults"], plain):
        assert entry.get("steps") == row["steps"]
        if "schedule" in entry:
            assert pavane.verify(folder / entry["schedule"])[0]["valid"]
    [verdict] = pavane.verify(folder, network="mesh:3x2")
    assert (verdict["valid"], verdict["faults"], verdict["problems"]) == (True, len(plain), [])
    [verdict] = pavane.verify(folder, network="mesh:2x3")
    assert not verdict["valid"] and "not for mesh:2x3" in verdict["problems"][0]
    for row in plain:
        if row["steps"] is not None:
            repaired = pavane.repair(folder, row["fault"])
            assert (repaired.steps, repaired.network.faults) == (row["steps"], [row["fault"]])
    with pytest.raises(pavane.InputError, match="has no schedule for the faults"):
        pavane.repair(folder, "0-1", "3")
    with pytest.raises(pavane.InputError, match="choose one with collective"):
        pavane.repair(folder, "0-1", collective="broadcast")
    stored = json.loads(rows.read_text())
    for one in stored:
        if one["result"]["status"] == "solved":
            one["result"]["steps"] += 1
    rows.write_text(json.dumps(stored))
    # Rows that their schedules do not support are solved again.
    assert list(problem.faults(of="links,routers", evaluations=1000, resume=rows)) == list(plain)
    for wrong in (
        lambda: problem.faults(throughput=True, save=folder),
        lambda: problem.faults(save=tmp_path),
        lambda: problem.faults(resume=folder / "index.json"),
    ):
        with pytest.raises(pavane.InputError):
            wrong()
