"""The package as a user meets it: installed, imported, called."""

import doctest
import json
import pathlib
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time
import urllib.parse
import xml.etree.ElementTree

import networkx
import pandas
import polars
import pytest

import pavane

ROOT = pathlib.Path(__file__).parents[2]


def test_the_tutorial_is_true():
    result = doctest.testfile(str(ROOT / "docs/python.md"), module_relative=False)
    assert result.attempted > 30 and result.failed == 0


@pytest.mark.parametrize(
    "network, collective, steps",
    [("octagon:8", "aas", 4), ("hypercube:5", "oab", 2), ("ring:4", "all-reduce", 4), ("dgx-1v", "all-gather", 2)],
)
def test_known_results(network, collective, steps):
    problem = pavane.Problem(pavane.Network(network), collective)
    schedule = problem.solve()
    assert (problem.bound(), schedule.steps) == (steps, steps)
    assert schedule.is_optimal


def test_graphs_of_networkx_are_networks():
    graph = networkx.MultiDiGraph()
    graph.add_node("a", processors=2)
    graph.add_node("hub", switch=True)
    graph.add_edge("a", "hub", latency_ns=5.0)
    graph.add_edge("hub", "a")
    graph.add_edge(("b", 1), "hub")
    graph.add_edge("hub", ("b", 1))
    network = pavane.Network.from_networkx(graph, "mine")
    assert network.name == "mine"
    assert network.router_names == ["a", "hub", "b,1"]
    assert network.processors == [0, 0, 2]
    assert len(network.channels) == 4
    cube = pavane.Network.from_networkx(networkx.hypercube_graph(3))
    assert pavane.Problem(cube, "aas").solve().steps == 4


def test_records_are_for_pandas_and_polars():
    schedule = pavane.Problem(pavane.Network("torus:4x4"), "aas").solve()
    table = pandas.DataFrame(schedule.records())
    assert len(table) == 240 and table["step"].max() + 1 == schedule.steps
    # No channel carries two messages in one step.
    uses = table[["step", "path"]].explode("path")
    assert not uses.duplicated().any()
    same = polars.DataFrame(schedule.records())
    assert same.height == 240 and same["step"].to_list() == table["step"].to_list()
    uses = same.select("step", "path").explode("path")
    assert uses.is_duplicated().sum() == 0


def test_every_format_is_exported(tmp_path):
    schedule = pavane.Problem(pavane.Network("ring:4"), "all-gather").solve()
    names = [entry["name"] for entry in pavane.formats()]
    assert len(names) == 13
    for name in names:
        files = schedule.export(name, bytes=64)
        assert files and all(isinstance(content, bytes) and content for _, content in files)
    plan = tmp_path / "plan.xml"
    plan.write_bytes(schedule.export("msccl")[0][1].replace(b'type="r"', b'type="nop"', 1))
    assert pavane.check_plan(plan)


def test_pictures_and_tables():
    network = pavane.Network("mesh:3x3")
    assert network._repr_svg_().startswith("<svg")
    html = pavane.Problem(network, "oab").solve()._repr_html_()
    assert html.count("<tr>") == 3 and html.endswith("</table>")
    # The picture stands in the page as an address, and is well formed.
    start = html.index('src="data:image/svg+xml,') + len('src="data:image/svg+xml,')
    picture = urllib.parse.unquote(html[start : html.index('"', start)])
    assert xml.etree.ElementTree.fromstring(picture).tag.endswith("svg")
    # What is too large to be seen is told in words.
    large = pavane.Network("hypercube:14")
    assert large._repr_svg_() is None
    with pytest.raises(ValueError, match="channels"):
        large.svg()


def test_the_documentation_of_traffic_lists_every_name():
    words = set(re.findall(r"[\w-]+", pavane.traffic.__doc__))
    for option in ["switching", "policy"]:
        with pytest.raises(ValueError, match="there are ") as caught:
            pavane.traffic(pavane.Network("ring:4"), **{option: "polka"})
        names = str(caught.value).split("there are ")[1].split(", ")
        assert len(names) > 3 and words.issuperset(names)


def test_a_deadlock_is_counted_and_warned_about():
    with pytest.warns(RuntimeWarning, match="20 messages were not delivered"):
        stuck = pavane.traffic(pavane.Network("ring:5"), density=1, switching="wormhole", routing="shortest")
    lost = [message for message in stuck["messages"] if message["complete"] is None]
    assert stuck["makespan"] is None and stuck["unfinished"] == len(lost) > 0
    assert stuck["routing_reason"] is None


def test_bad_input_is_an_error_that_says_what():
    network = pavane.Network("ring:4")
    for make, words in [
        (lambda: pavane.Network("nowhere.dot"), "no such file"),
        (lambda: pavane.Problem(network, "polka"), "no collective"),
        (lambda: pavane.Problem(network, "aas", switching="vct"), "store-and-forward"),
        (lambda: pavane.Problem(network, "aas", ports=0), "ports=0"),
        (lambda: pavane.Problem(network, "aas", ports=-1), "ports=-1"),
        (lambda: pavane.Problem(network, "aas").solve(engine="oracle"), "oracle"),
        (lambda: pavane.Problem(network, "aas").solve(time=-1.0), "time"),
        (lambda: pavane.Problem(network, "aas").solve(time=float("nan")), "time"),
        (lambda: pavane.Problem(network, "aas").solve(time=float("inf")), "time"),
        (lambda: pavane.Problem(network, "oab").solve().repair("0-1", keep=float("nan")), "keep="),
        (lambda: pavane.Problem(network, "oab").solve().repair("0-1", keep=-0.5), "keep="),
        (lambda: pavane.traffic(network, density=float("nan")), "density is NaN"),
        (lambda: pavane.traffic(network, mean=float("inf")), "the mean length is inf"),
        (lambda: pavane.traffic(network, sigma=-1.0), "the deviation of lengths is -1"),
        (lambda: pavane.traffic(network, window=float("nan")), "the window of arrivals is NaN"),
        (lambda: pavane.traffic(network, switching="wormhole", lanes=0), "lanes must be from 1 to 64"),
        (lambda: pavane.traffic(network, switching="vct", buffer=2), "applies to wormhole switching only"),
        (lambda: pavane.traffic(network, switching="wormhole", buffer=2**32 - 1), "buffer from 1 to 65536"),
        (lambda: pavane.Problem(network, "aas", chunks=0), "chunks=0"),
        (lambda: pavane.throughput(network, "polka"), "no collective"),
        (lambda: pavane.throughput(network, "aab", bytes=-1), "bytes: .* negative"),
        (lambda: pavane.throughput(network, "aab", bytes="1parsec"), "no unit"),
        (lambda: pavane.throughput(network, "aab", bandwidth=0), "bandwidth: .* more than 0"),
        (lambda: pavane.throughput(network, "aab", bandwidth=float("nan")), "bandwidth: .* number"),
        (lambda: pavane.throughput(network, "aab", latency="5GB/s"), "latency: "),
        (lambda: pavane.throughput(network, "aab", trees=0), "trees=0"),
        (lambda: pavane.throughput(network, "aab", time=-1.0), "time=-1"),
        (lambda: pavane.throughput(network, "aas", bytes=8, sizes=[]), "exclude each other"),
        (lambda: pavane.throughput(network, "aab", sizes=[]), "messages of one size"),
        (lambda: pavane.throughput(network, "all-reduce", sizes=[]), "an all-reduce has one size"),
        (lambda: pavane.throughput(network, "aas", sizes=7), "a list of rows"),
        (lambda: pavane.throughput(network, "aas", sizes=[1, 2, 3, 4]), "a list of rows"),
        (lambda: pavane.throughput(network, "aas", sizes=[[0] * 4] * 3), "3 rows for 4 senders"),
        (lambda: pavane.throughput(network, "aas", sizes=[[0] * 4] * 3 + [[0] * 5]), "row 4 .* 5 columns for 4"),
        (lambda: pavane.throughput(network, "aas", sizes=[[0] * 4] * 4), "all sizes are 0"),
        (lambda: pavane.throughput(network, "aas", sizes=[[0, -5]]), "row 1, column 2: -5"),
        (lambda: pavane.throughput(network, "aas", sizes=[[0, 0.5]]), "row 1, column 2: 0.5"),
        (lambda: network.without("0-2"), "0"),
        (lambda: network.to("png"), "dot"),
        (lambda: pavane.Schedule.load("nowhere.json"), "nowhere.json"),
    ]:
        with pytest.raises(ValueError, match=words):
            make()


def test_an_invalid_file_is_not_loaded(tmp_path):
    path = tmp_path / "bad.json"
    schedule = pavane.Problem(pavane.Network("ring:4"), "oab").solve()
    schedule.save(path)
    text = json.loads(path.read_text())
    text["steps"] = text["steps"][:1]
    path.write_text(json.dumps(text))
    assert pavane.verify(path)[0]["valid"] is False
    with pytest.raises(ValueError, match="not a valid schedule"):
        pavane.Schedule.load(path)


def test_other_threads_go_on_and_progress_is_told():
    problem = pavane.Problem(pavane.Network("torus:5x5"), "aab", switching="store-and-forward", ports=1)
    ticks, reports = [], []
    stop = threading.Event()

    def count():
        while not stop.wait(0.01):
            ticks.append(time.monotonic())

    thread = threading.Thread(target=count)
    thread.start()
    try:
        problem.solve(time=1.0, engine="hgsa", progress=reports.append)
    except pavane.Unsolved:
        pass
    finally:
        stop.set()
        thread.join()
    assert len(ticks) > 20 and len(reports) > 3
    assert set(reports[-1]) == {"bound", "best", "trying"}


def test_an_error_of_the_callback_ends_the_search():
    problem = pavane.Problem(pavane.Network("torus:6x6"), "aab", switching="sf", ports=1)

    def refuse(report):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        problem.solve(time=60.0, engine="hgsa", progress=refuse)


@pytest.mark.parametrize(
    "search",
    [
        'pavane.Problem(pavane.Network("torus:6x6"), "aab", switching="sf", ports=1).solve(time=120.0, engine="hgsa")',
        'pavane.throughput(pavane.Network("mi250:16"), "all-gather", time=120.0)',
    ],
)
def test_an_interrupt_ends_the_search(search):
    program = textwrap.dedent(
        f"""
        import pavane
        print("searching", flush=True)
        try:
            {search}
        except KeyboardInterrupt:
            print("interrupted", flush=True)
        """
    )
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "searching\n"
    time.sleep(0.5)
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=60)
    assert out == "interrupted\n"


def test_a_link_is_written_through(tmp_path):
    schedule = pavane.Problem(pavane.Network("ring:4"), "oab").solve()
    (tmp_path / "there").mkdir()
    link = tmp_path / "link.json"
    link.symlink_to(tmp_path / "there" / "target.json")
    for _ in range(2):
        schedule.save(link)
        assert link.is_symlink()
        assert pavane.verify(tmp_path / "there" / "target.json")[0]["valid"]
    assert [path.name for path in (tmp_path / "there").iterdir()] == ["target.json"]


def test_names_from_files_are_shown_without_control_characters(tmp_path):
    path = tmp_path / "net.json"
    path.write_text(json.dumps({"name": "a\u202e\u001b[2Jb", "routers": 2, "links": [[0, 1]]}))
    network = pavane.Network(str(path))
    schedule = pavane.Problem(network, "oab").solve()
    for shown in [repr(network), repr(pavane.Problem(network, "oab")), repr(schedule), schedule._repr_html_()]:
        assert "\u202e" not in shown and "\u001b" not in shown, shown
        assert "202e" in shown or "<table" in shown
