"""What Python programmers expect: their own data, len and iteration, pickles, tables, exceptions."""

import pickle
import signal
import subprocess
import sys
import textwrap
import time

import networkx
import numpy
import pandas
import pytest

import pavane


def test_networks_are_what_python_programmers_have():
    matrix = numpy.array([[0, 1, 1], [1, 0, 1], [1, 1, 0]])
    triangle = pavane.Network(matrix)
    assert (triangle.routers, len(triangle.channels), triangle.name) == (3, 6, "matrix")
    assert pavane.Network.from_matrix(matrix.tolist()).channels == triangle.channels
    assert pavane.Network(pandas.DataFrame(matrix)).channels == triangle.channels
    uneven = pavane.Network.from_matrix([[0, 25], [12.5, 0]], name="uneven")
    assert sorted(map(float, uneven.bandwidths)) == [12.5, 25.0]
    # Both channels are one link, so one fault breaks both.
    assert pavane.Network.from_matrix([[0, 2, 1], [3, 0, 1], [1, 1, 0]]).without((0, 1)).channels == [
        (0, 2),
        (1, 2),
        (2, 0),
        (2, 1),
    ]
    assert pavane.Network(networkx.petersen_graph(), name="petersen").name == "petersen"
    assert pavane.Network([(0, 1), (1, 2)]).routers == 3
    for network in ["ring:4", networkx.cycle_graph(4), numpy.array(networkx.to_numpy_array(networkx.cycle_graph(4)))]:
        assert pavane.Problem(network, "all-gather").solve().steps == 2
        assert pavane.throughput(network, "all-gather").is_optimal
        assert pavane.deadlock(network)["deadlock_free"]
    for bad, words in [
        ([[0, 1], [1, 0, 1]], "row 1 has 3 columns for 2 rows"),
        ([[0, -1], [1, 0]], "row 0, column 1"),
        ([[1, 1], [1, 0]], "router 0 has a channel to itself"),
        (7, "a square matrix"),
    ]:
        with pytest.raises(pavane.InputError, match=words):
            pavane.Network.from_matrix(bad)


@pytest.mark.parametrize(
    "receivers", [[1, 6, 11], (1, 6, 11), {1, 6, 11}, numpy.array([1, 6, 11]), "1,6,11", ["0,1", "1,2", 11], [(0, 1), 6, (2, 3)]]
)
def test_groups_are_numbers_names_and_coordinates(receivers):
    problem = pavane.Problem("mesh:4x4", "multicast", root=(3, 3), receivers=receivers)
    schedule = problem.solve()
    assert {row["to"] for row in schedule.records() if row["to"] != 15} >= {1, 6, 11}
    assert schedule[0][0]["from"] == 15
    assert pickle.loads(pickle.dumps(problem)).bound() == problem.bound()


@pytest.mark.parametrize("images", [[3, 0, 1, 2], (3, 0, 1, 2), numpy.array([3, 0, 1, 2])])
def test_a_permutation_is_a_list_of_numbers(images):
    schedule = pavane.Problem("ring:4", images).solve()
    assert schedule.collective == "permutation:3,0,1,2"
    assert {(row["from"], row["to"]) for row in schedule.records()} == {(0, 3), (1, 0), (2, 1), (3, 2)}


@pytest.mark.parametrize("messages", [[(0, [1, 2]), (1, 3)], [[0, {1, 2}], [1, [3]]], {0: [1, 2], 1: 3}])
def test_messages_are_pairs_of_a_sender_and_receivers(messages):
    problem = pavane.Problem("ring:4", messages)
    assert (problem.messages, problem.collective) == (2, "messages")
    assert pickle.loads(pickle.dumps(problem)).messages == 2
    assert repr(problem.solve()) == "<Schedule messages on ring:4: 1 step, optimal>"
    assert pavane.throughput("ring:4", numpy.array([[0, 1], [2, 3]]), bandwidth=1).is_optimal
    for wrong in ([], [0, 1.5], [(0, 1, 2)], None, [(0, 9)]):
        with pytest.raises(pavane.InputError):
            pavane.Problem("ring:4", wrong)


def test_there_is_nothing_to_find_where_faults_disconnect():
    cut = pavane.Network("mesh:3x3").without("0,0-0,1", "0,0-1,0")
    for search in (
        lambda: pavane.Problem(cut, "all-gather"),
        lambda: pavane.throughput(cut, "all-gather", bandwidth=1),
        lambda: pavane.timed(cut, "all-gather", bytes="1KB", bandwidth=1),
        lambda: pavane.tdm(cut),
        lambda: pavane.pareto(cut, "all-gather"),
        lambda: pavane.Problem("mesh:3x3", "all-gather").solve().repair("0,0-0,1", "0,0-1,0"),
        lambda: pavane.tdm("mesh:3x3", evaluations=1).repair("0,0-0,1", "0,0-1,0"),
    ):
        with pytest.raises(pavane.Impossible, match="disconnect|no path"):
            search()


def test_faults_are_texts_numbers_pairs_and_lists():
    mesh = pavane.Network("mesh:4x4")
    for faults in [["0-1", "7"], [(0, 1), 7], [[(0, 1), 7]], [((0, 0), (0, 1)), "1,3"]]:
        assert mesh.without(*faults).faults == ["0,0-0,1", "1,3"]
    one = pavane.Problem(mesh, "broadcast").solve().repair((0, 1), "r7")
    assert one.network.faults == ["0,0-0,1", "1,3"]
    for bad in [3.5, (0, 1, 2), (0, 99), None]:
        with pytest.raises(pavane.InputError):
            mesh.without(bad)


def test_schedules_have_a_length_steps_and_tables():
    schedule = pavane.Problem("hypercube:3", "all-to-all").solve()
    assert len(schedule) == schedule.steps == 4
    assert [row for step in schedule for row in step] == schedule.records()
    assert schedule[-1][0]["step"] == 3
    with pytest.raises(IndexError):
        schedule[4]
    assert len(schedule.to_pandas()) == 56
    graph = schedule.to_networkx()
    assert graph.number_of_nodes() == 8
    assert graph.number_of_edges() == sum(len(row["path"]) for row in schedule.records())
    uses = [(data["step"], data["channel"]) for _, _, data in graph.edges(data=True)]
    assert len(set(uses)) == len(uses)


def results():
    box = pavane.Network("dgx-1v")
    return [
        pavane.throughput(box, "all-gather", bytes="1MB"),
        pavane.timed("ring:4", "all-gather", bytes=1e6, evaluations=1),
        pavane.tdm("torus:3x3"),
        pavane.pareto(box, "all-gather", max_chunks=2),
        pavane.tune("ring:4", "all-gather", bytes=("1MB", "1MB"), latency="1us", evaluations=1, time=10),
        pavane.compare("ring:4", "all-gather", bytes=["1KB", "2KB"], evaluations=1),
        pavane.sweep("hypercube:3", missions=5, values=[0.5, 1.0], policy="fifo,lbf", switching=["cs"]),
        pavane.Problem("ring:5", "all-gather").faults(of=["links", "routers"]),
    ]


def test_results_have_lengths_tables_and_pickles():
    for result in results():
        rows = list(result)
        assert len(result) == len(rows) > 0 and isinstance(rows[0], dict)
        table = result.to_pandas()
        assert isinstance(table, pandas.DataFrame) and len(table) >= len(result)
        again = pickle.loads(pickle.dumps(result))
        assert type(again) is type(result) and repr(again) == repr(result) and list(again) == rows
        if isinstance(result, pavane.Front):
            assert again.schedule(2, 3).records() == result.schedule(2, 3).records()
        if isinstance(result, pavane.Tuning):
            assert again.schedule("1MB").records() == result.schedule("1MB").records()


@pytest.mark.parametrize("name", [family["example"] for family in pavane.families()])
def test_networks_are_pickled(name):
    network = pavane.Network(name)
    again = pickle.loads(pickle.dumps(network))
    assert again == network and hash(again) == hash(network) and again.svg() == network.svg()
    timed = network.with_timing(bandwidth="25GB/s", latency="0.5us")
    assert pickle.loads(pickle.dumps(timed)) == timed != network


def test_pickles_keep_faults_proofs_and_engines(tmp_path):
    broken = pavane.Network("mesh:3x3").without((0, 1))
    assert pickle.loads(pickle.dumps(broken)) == broken
    schedule = pavane.Problem(broken, "all-to-all", ports=2).solve(time=5.0)
    again = pickle.loads(pickle.dumps(schedule))
    assert (again.records(), again.bound, again.engine) == (schedule.records(), schedule.bound, schedule.engine)
    assert again.network == broken
    # The bound of this problem needs a proof, which files and pickles keep.
    proved = pavane.Problem("ring:5", "all-to-all", switching="sf").solve(prove=True)
    proved.save(tmp_path / "proved.json")
    for again in [pickle.loads(pickle.dumps(proved)), pavane.Schedule.load(tmp_path / "proved.json")]:
        assert (again.bound, again.is_optimal) == (proved.bound, proved.is_optimal)


def test_damaged_pickles_are_refused():
    schedule = pavane.Problem("ring:4", "broadcast").solve()
    _, (kind, content, *rest) = schedule.__reduce__()
    from pavane._pickle import restore

    damaged = content.replace(b'"steps": [\n    [', b'"steps": [\n    [], [', 1)
    assert damaged != content and restore(kind, content, *rest).steps == 2
    with pytest.raises(pavane.InputError):
        restore(kind, content[:-20], *rest)
    assert restore(kind, damaged, *rest).steps == 3


def test_pictures_are_files_of_every_format(tmp_path):
    schedule = pavane.Problem("ring:4", "all-gather").solve()
    timed = pavane.timed("ring:4", "all-gather", bytes=4096, evaluations=1)
    plan, slots = pavane.throughput("ring:4", "all-gather"), pavane.tdm("torus:3x3")
    starts = {"svg": b"<svg", "png": b"\x89PNG", "html": b"<!doctype", "gif": b"GIF89a"}
    for name, thing in [("a", schedule), ("b", timed), ("c", plan), ("d", slots), ("e", pavane.Network("ring:4"))]:
        assert thing.png().startswith(starts["png"])
        for ending, start in starts.items():
            path = tmp_path / f"{name}.{ending}"
            if ending == "gif" and name not in "ab":
                with pytest.raises(pavane.InputError, match="can be animated"):
                    thing.draw(path)
                continue
            thing.draw(path)
            assert path.read_bytes()[:9].lower().startswith(start.lower())
    with pytest.raises(pavane.InputError, match="unknown picture format"):
        schedule.draw(tmp_path / "x.bmp")


def test_errors_have_classes_of_their_own():
    for make, kind, old in [
        (lambda: pavane.Network("hyprcube:3"), pavane.InputError, ValueError),
        (lambda: pavane.Problem("ring:6", "all-to-all").solve(steps=3), pavane.Impossible, pavane.Unsolved),
        (lambda: pavane.tdm("torus:3x3", slots=8), pavane.Impossible, pavane.Unsolved),
        (lambda: pavane.Problem("torus:5x5", "all-to-all").solve(engine="hgsa", evaluations=1), pavane.Unsolved, Exception),
    ]:
        with pytest.raises(kind) as caught:
            make()
        assert isinstance(caught.value, (pavane.PavaneError, old)) and isinstance(caught.value, old)
        assert pickle.loads(pickle.dumps(caught.value)).args == caught.value.args
    assert issubclass(pavane.InternalError, RuntimeError) and issubclass(pavane.Interrupted, KeyboardInterrupt)


@pytest.mark.parametrize(
    "search",
    [
        'pavane.Problem("random-regular:100,4,7", "all-to-all").solve(time=120.0)',
        'pavane.timed("mi250:4", "all-to-all", bytes="1MB", time=120.0)',
        'pavane.tdm("mesh:9x9", time=120.0)',
    ],
)
def test_an_interrupt_keeps_the_best(search):
    program = textwrap.dedent(
        f"""
        import pavane
        print("searching", flush=True)
        try:
            {search}
        except pavane.Interrupted as interrupted:
            print(type(interrupted.best).__module__, interrupted.best is not None, flush=True)
        """
    )
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "searching\n"
    time.sleep(2)
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=60)
    assert out == "pavane True\n"


def test_an_interrupt_keeps_the_finished_points_of_a_sweep():
    program = textwrap.dedent(
        """
        import pavane
        print("searching", flush=True)
        try:
            pavane.sweep("hypercube:6", values=[0.01, 0.9], missions=100000, policy="fifo", switching="cs")
        except pavane.Interrupted as interrupted:
            print(type(interrupted.best).__name__, {row["density"] for row in interrupted.best} <= {0.01})
        """
    )
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "searching\n"
    time.sleep(1)
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=20)
    assert out == "Sweep True\n"


def test_deadlocks_are_found():
    free = pavane.deadlock("ring:5", routing="dateline")
    assert free["deadlock_free"] and free["classes"] == 2
    cyclic = pavane.deadlock("ring:5", routing="shortest")
    assert not cyclic["deadlock_free"] and cyclic["cycle"][0].count(">") == 1
    assert pavane.deadlock("mesh:3x3", routing="escape")["deadlock_free"]
    with pytest.raises(pavane.InputError, match="dateline"):
        pavane.deadlock("ring:5", routing="polka")


def test_loads_are_swept_up_to_saturation():
    curves = pavane.sweep("ring:8", over="rate", values=[0.1, 0.9], duration=2000, warm_up=200, drain=2000)
    assert [row["saturated"] for row in curves][:1] == [False]
    [limit] = curves.saturation
    assert 0.1 <= limit["stable"] <= limit["saturated"] and set(curves.to_pandas()["curve"]) == {limit["curve"]}
    for keywords, words in [
        ({"over": "polka"}, "hot-spots"),
        ({"over": "hot-spots", "values": [1.5]}, "hot spots"),
        ({"warm_up": 30_000}, "no effect"),
        ({"lanes": 0}, "lanes"),
        ({"policy": "polka"}, "polka"),
    ]:
        with pytest.raises(pavane.InputError, match=words):
            pavane.sweep("ring:4", missions=1, **keywords)


def test_an_all_reduce_is_one_problem(tmp_path):
    schedule = pavane.Problem("ring:4", "all-reduce").solve()
    assert (schedule.steps, schedule.bound, schedule.start) == (4, 4, None)
    assert (schedule.is_optimal, schedule.status) == (True, "optimal")
    assert repr(schedule) == "<Schedule all-reduce on ring:4: 4 steps, optimal>"
    overlapping = pavane.Problem("star:8", "all-reduce", switching="sf").solve(evaluations=500_000)
    assert overlapping.bound <= overlapping.steps < 14 and overlapping.start is not None
    assert max(row["step"] for row in overlapping.records()) == overlapping.steps - 1
    assert pickle.loads(pickle.dumps(overlapping)) == overlapping
    path = tmp_path / "overlapping.json"
    overlapping.save(path)
    assert pavane.Schedule.load(path).steps == overlapping.steps
    *phases, whole = pavane.verify(path)
    assert whole["valid"] and whole["steps"] == overlapping.steps and whole["start"] == overlapping.start
    gather = pavane.Problem("ring:4", "all-gather").solve()
    assert (gather.is_optimal, gather.status) == (True, "optimal")


def test_schedules_have_slices_and_are_compared():
    schedule = pavane.Problem("ring:4", "all-to-all").solve()
    assert schedule[0:1] == [schedule[0]] and schedule[::-1] == list(schedule)[::-1] and schedule[5:9] == []
    assert pickle.loads(pickle.dumps(schedule)) == schedule and len({schedule, pickle.loads(pickle.dumps(schedule))}) == 1
    assert schedule != pavane.Problem("ring:4", "all-gather").solve()
    with pytest.raises(IndexError, match="there is no step 9"):
        schedule[9]
    with pytest.raises(TypeError, match="number or a slice"):
        schedule["0"]
    assert schedule[0][0]["message"] in [(a, b) for a in range(4) for b in range(4)]
    timed = pavane.timed("ring:3", "all-gather", bytes="3KB", evaluations=1)
    assert timed[0] == timed.records()[0] and timed[-1:] == timed.records()[-1:]
    assert pickle.loads(pickle.dumps(timed)) == timed and isinstance(timed[0]["message"], int)
    with pytest.raises(IndexError, match="there is no send"):
        timed[10**6]


def test_results_have_the_nodes_of_graphs():
    networkx = pytest.importorskip("networkx")
    grid = networkx.grid_2d_graph(2, 2)
    schedule = pavane.Problem(grid, "all-gather").solve()
    for one in [schedule, pickle.loads(pickle.dumps(schedule))]:
        assert {row["from"] for row in one.records()} == set(grid) == set(one.to_networkx())
        assert all(router in grid for row in one.records() for router in row["routers"])
        assert {row["message"] for row in one.records()} == set(grid)
        assert set(one.network.to_networkx()) == set(grid)
    assert pavane.Problem("mesh:2x2", "all-gather").solve()[0][0]["from"] in range(4)


def test_what_is_not_a_network_is_named():
    with pytest.raises(pavane.InputError, match="3.5 is not a network"):
        pavane.Network(3.5)


def test_processors_of_a_mesh_have_coordinates():
    def receivers(value):
        return {row["to"] for row in pavane.Problem("mesh:4x4", "multicast", receivers=value).solve().records()}

    assert receivers([(1, 1), (2, 2)]) == receivers("1,1 2,2") == {5, 10}
    assert receivers((1, 2)) == {1, 2} and receivers([(1, 2)]) == {6}


def test_entries_of_routing_tables_can_change():
    assert pavane.deadlock("hypercube:3", routing="dimension-order")["deadlock_free"]
    changed = pavane.deadlock("hypercube:3", routing="dimension-order", reroute=["0-3:2", "3-0:1"])
    assert changed == pavane.deadlock("hypercube:3", routing="dimension-order", reroute=("0-3:2", "3-0:1"))
    with pytest.raises(pavane.InputError, match="no router"):
        pavane.deadlock("ring:5", reroute="0-9:1")


def test_engines_are_described_and_those_that_suit_a_problem_named():
    engines = {one["name"]: one for one in pavane.engines()}
    assert all(one["purpose"] and isinstance(one["automatic"], bool) for one in engines.values())
    assert any(one["exact"] for one in engines.values()) and any(not one["automatic"] for one in engines.values())
    parameters = {one["name"]: one for one in engines["hgsa"]["parameters"]}
    hot = parameters["hot"]
    assert hot["meaning"] and hot["least"] <= hot["tuned"] < hot["paper"] <= hot["most"]
    assert parameters["repair"]["paper"] in parameters["repair"]["choices"]
    broadcast = pavane.Problem("ring:4", "broadcast", switching="sf").engines()
    exchange = pavane.Problem("ring:4", "all-to-all").engines()
    assert set(broadcast) != set(exchange) and set(broadcast + exchange) <= set(engines)
    assert "hgsa" in exchange and pavane.Problem("ring:4", "all-to-all").solve(engine="hgsa", time=5).engine == "hgsa"


def test_pictures_have_themes_steps_and_animations(tmp_path):
    schedule = pavane.Problem("ring:4", "all-reduce").solve()
    dark, light = schedule.svg(theme="dark"), schedule.svg(theme="light")
    assert dark != light and "prefers-color-scheme" not in dark + light
    assert "prefers-color-scheme" in schedule.svg()
    assert schedule.png(theme="dark") != schedule.png()
    one, some = schedule.svg(steps=1), schedule.svg(steps=range(1, 3))
    assert "step 0" not in one and len(one) < len(some) < len(schedule.svg())
    moving = schedule.svg(animate=True, steps=range(1, 3))
    assert "<animateMotion" in moving and "step 1: reduce-scatter" in moving and "step 2: all-gather" in moving
    schedule.draw(tmp_path / "moving.svg", animate=True, theme="dark")
    schedule.draw(tmp_path / "moving.gif", steps=0)
    assert "<animateMotion" in (tmp_path / "moving.svg").read_text(encoding="utf-8")
    assert (tmp_path / "moving.gif").read_bytes().startswith(b"GIF89a")
    for options, reason in [
        ({"animate": True}, "animations are written to .svg or .gif"),
        ({"theme": "dark"}, "the colours of a page follow its reader"),
        ({"steps": 1}, "a page plays all steps"),
        ({"theme": "red"}, 'use "auto", "light" or "dark"'),
        ({"steps": range(0, 4, 2)}, "use a step such as 3, or range"),
        ({"steps": -1}, "use a step such as 3, or range"),
    ]:
        with pytest.raises(pavane.InputError, match=reason):
            schedule.draw(tmp_path / "page.html", **options)
    with pytest.raises(pavane.InputError, match="valid: 0 to 3"):
        schedule.svg(steps=9)
    assert not (tmp_path / "page.html").exists()
    network = pavane.Network("mesh:2x2")
    assert network.svg(theme="dark") != network.svg(theme="light")
    with pytest.raises(pavane.InputError, match="only schedules and timed schedules can be animated"):
        network.draw(tmp_path / "network.gif")


def test_numbers_out_of_range_are_errors_of_the_package():
    problem = pavane.Problem("ring:4", "broadcast")
    for call in [
        lambda: problem.solve(seed=-1),
        lambda: problem.solve(threads=-2),
        lambda: problem.solve(steps=-1),
        lambda: pavane.sweep("ring:4", missions=-5),
        lambda: pavane.traffic("ring:4", hot_spots=-1),
        lambda: pavane.Problem("ring:4", "broadcast", max_deliveries=-1),
    ]:
        with pytest.raises(pavane.InputError, match="-[0-9]+ is not valid; use a whole number of at least 0"):
            call()
    with pytest.raises(pavane.InputError, match="is too large"):
        problem.solve(seed=2**64)
    with pytest.raises(TypeError):
        problem.solve(seed="x")


def test_times_threads_and_roots_are_checked(tmp_path):
    problem = pavane.Problem("ring:4", "broadcast")
    assert problem.solve(time="500ms").steps == problem.solve(time=0.5).steps == 2
    for wrong in ["soon", "-1s", -1.0]:
        with pytest.raises(pavane.InputError, match="time="):
            problem.solve(time=wrong)
    with pytest.raises(TypeError, match=r"time=\[\] is not valid"):
        problem.solve(time=[])
    with pytest.raises(pavane.InputError, match="threads=0 is not valid"):
        problem.solve(threads=0)
    with pytest.raises(pavane.InputError, match="root: True is not a group"):
        pavane.Problem("ring:4", "broadcast", root=True)
    with pytest.raises(pavane.InputError, match="folder .*missing does not exist"):
        problem.solve().save(tmp_path / "missing" / "x.json")
    with pytest.raises(pavane.InputError, match="folder .*missing does not exist"):
        pavane.Network("ring:4").draw(tmp_path / "missing" / "x.svg")


def test_a_network_is_a_collection_of_its_routers():
    network = pavane.Network("mesh:2x2")
    assert len(network) == network.routers == 4
    assert list(network) == list(network.to_networkx()) == ["0,0", "0,1", "1,0", "1,1"]
    assert list(pavane.Network("ring:3")) == [0, 1, 2]


def test_an_all_reduce_of_so_many_steps():
    problem = pavane.Problem("mesh:4x4", "all-reduce")
    assert problem.solve(steps=16).steps <= 16
    assert problem.solve(steps=15).steps == 15
    with pytest.raises(pavane.Impossible, match="9 steps are impossible for all-reduce"):
        problem.solve(steps=9)
    with pytest.raises(pavane.Unsolved, match="no schedule of at most 10 steps was found for all-reduce"):
        problem.solve(steps=10, evaluations=1000)
