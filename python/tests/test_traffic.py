"""Traffic as on the command line: missions of all kinds, their logs and charts, and comparisons."""

import json
import os
import subprocess
from pathlib import Path

import pytest

import pavane

PROGRAM = os.environ.get("PAVANE", str(Path(__file__).parents[2] / "target/debug/pavane"))


def test_messages_are_random_of_a_file_of_a_collective_or_of_a_schedule(tmp_path):
    spots = pavane.traffic("hypercube:3", hot_spots=1, seed=3)
    assert len({message["destination"] for message in spots["messages"]}) == 1
    pairs = pavane.traffic("hypercube:3", permutation=True, density=1)
    assert sorted(message["destination"] for message in pairs["messages"]) == list(range(8))
    file = tmp_path / "mission.csv"
    file.write_text("arrival,source,destination,length\n0,0,2,3\n1,2,0,4\n")
    read = pavane.traffic("ring:4", mission=file)
    assert [message["length"] for message in read["messages"]] == [3, 4]
    whole = pavane.traffic("ring:4", collective="all-gather", length=2)
    assert whole["unicasts"] and len(whole["messages"]) == 12
    schedule = pavane.Problem("ring:4", "all-to-all").solve()
    free = pavane.traffic(schedule, length=5, switching="cs")
    assert free["routing"] == "of the schedule" and free["in_steps"] == 5 * schedule.steps
    assert len(free["messages"]) == 12 and free["makespan"] <= free["in_steps"]


def test_the_optimum_the_log_and_the_chart_belong_to_the_result(tmp_path):
    chart, bitmap = tmp_path / "gantt.svg", tmp_path / "gantt.png"
    run = pavane.traffic("ring:5", density=0.3, seed=4, optimal=True, log=True, gantt=chart)
    assert run["optimum"]["makespan"] <= run["makespan"] and run["optimum"]["bound"] <= run["optimum"]["makespan"]
    assert max(run["bounds"].values()) <= run["optimum"]["makespan"]
    assert sum(link["load"] for link in run["links"]) == pytest.approx(sum(hold["end"] - hold["start"] for hold in run["holds"]))
    for message, waited in [(message, message["waited"]) for message in run["messages"]]:
        assert 0 <= waited <= message["complete"] - message["arrival"]
    assert "0–1" in chart.read_text() and chart.read_text().startswith("<svg")
    pavane.traffic("ring:5", gantt=bitmap)
    assert bitmap.read_bytes().startswith(b"\x89PNG")
    assert "holds" not in pavane.traffic("ring:5")


def test_policies_routings_and_switchings_are_compared():
    rows = pavane.compare_traffic("hypercube:3", missions=20, switching="cs,vct", policy=["fifo", "lbf"], optimal=2, density=0.3)
    assert [(row["switching"], row["policy"]) for row in rows] == [
        (switching, policy) for switching in ["cs", "vct"] for policy in ["opt", "fifo", "lbf"]
    ]
    assert all(row["finished"] == (2 if row["policy"] == "opt" else 20) and row["mean"] > 0 for row in rows)
    assert all(row["ratio"] >= 1 for row in rows if row["policy"] != "opt")
    assert list(rows.to_pandas()["policy"]) == [row["policy"] for row in rows]
    with pytest.warns(RuntimeWarning):
        stuck = pavane.compare_traffic("ring:5", missions=5, density=1, switching="wormhole", routing="shortest", policy="fifo")
    assert stuck[0]["unfinished"] > 0 and stuck[0]["mean"] is None
    assert len(pavane.compare_traffic("ring:4", missions=2)) == 21


def test_the_figures_are_those_of_the_command_line():
    def printed(*words):
        return json.loads(subprocess.run([PROGRAM, "traffic", *words, "--json"], check=True, capture_output=True).stdout)

    rows = pavane.compare_traffic("mesh:3x3", missions=10, policy="fifo,sbf", edd=True, seed=7)
    same = printed("compare", "mesh:3x3", "--missions", "10", "--policy", "fifo,sbf", "--edd", "--seed", "7")["rows"]
    assert list(rows) == [{"proved": None, "bound": None, **row} for row in same]
    run = pavane.traffic("mesh:3x3", switching="vct", hot_spots=2, optimal=True)
    same = printed("run", "mesh:3x3", "--switching", "vct", "--hot-spots", "2", "--optimal")
    for field in ["makespan", "bounds", "optimum", "links", "routing", "routing_reason", "unfinished"]:
        assert run[field] == same[field], field
    assert [message["waited"] for message in run["messages"]] == same["waits"]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(
    ("over", "values", "times"),
    [
        ("density", [0.1, 0.5], {"missions": 3}),
        ("hot-spots", [1, 2], {"missions": 3}),
        ("interval", [10, 50], {"duration": 2000, "warm_up": 200}),
        ("rate", [0.2, 0.6], {"duration": 1500, "warm_up": 200}),
    ],
)
def test_curves_are_those_of_the_command_line(over, values, times):
    for network in ["torus:4x4", "ring:5", "kautz:2,2"]:
        words = [word for name, value in times.items() for word in (f"--{name.replace('_', '-')}", str(value))]
        command = [PROGRAM, "traffic", "sweep", network, "--over", over, "--policy", "fifo", "--values", ",".join(map(str, values)), *words, "--json"]
        same = json.loads(subprocess.run(command, check=False, capture_output=True).stdout)
        curves = pavane.sweep(network, over=over, values=values, policy="fifo", **times)
        assert [{name: value for name, value in record.items() if name != "routing_reason"} for record in curves] == same["points"]
        assert curves.saturation == same.get("saturation", [])


def test_missing_means_are_warned_of():
    with pytest.warns(RuntimeWarning, match="runs did not finish"):
        pavane.compare_traffic("ring:5", missions=5, switching="wormhole", routing="shortest", policy="fifo")
    with pytest.warns(RuntimeWarning, match="have no steady state"):
        pavane.sweep("ring:5", over="interval", values=[5], duration=2000, warm_up=200, switching="cs", policy="fifo")


def test_links_of_half_duplex_are_examined():
    assert pavane.deadlock("torus:5x5", duplex="half")["deadlock_free"]
    assert pavane.deadlock("mesh:3x3", routing="dimension-order", duplex="half")["cycle"] == ["0,0-1,0", "1,0-2,0"]


def test_bad_wishes_are_errors_that_say_what(tmp_path):
    schedule = pavane.Problem("ring:4", "all-gather").solve()
    for make, words in [
        (lambda: pavane.traffic("ring:4", collective="polka"), "no collective"),
        (lambda: pavane.traffic("ring:4", collective="reduce"), "not supported"),
        (lambda: pavane.traffic("ring:4", collective="all-reduce"), "several phases"),
        (lambda: pavane.traffic("ring:4", collective="all-gather", density=0.5), "for random messages"),
        (lambda: pavane.traffic("ring:4", length=2), "length=2"),
        (lambda: pavane.traffic("ring:4", hot_spots=1, permutation=True), "exclude each other"),
        (lambda: pavane.traffic("ring:4", mission=tmp_path / "absent.csv"), "no such file"),
        (lambda: pavane.traffic("ring:4", gantt=tmp_path / "x.pdf"), "unknown format"),
        (lambda: pavane.traffic("rung:4"), "no network family"),
        (lambda: pavane.traffic(schedule, routing="shortest"), "its own paths"),
        (lambda: pavane.traffic(schedule, collective="all-gather"), "its own messages"),
        (lambda: pavane.compare_traffic("ring:4", missions=0), "missions"),
        (lambda: pavane.traffic("ring:4", lanes=2), "lanes=2 applies to wormhole"),
        (lambda: pavane.sweep("ring:4", over="rate", density=0.5), "density has no effect"),
        (lambda: pavane.sweep("ring:4", over="interval", hot_spots=2), "hot_spots has no effect"),
        (lambda: pavane.deadlock("ring:5", duplex="half"), "at least 6 links"),
        (lambda: pavane.compare_traffic("ring:4", policy="polka"), "polka"),
    ]:
        with pytest.raises(pavane.InputError, match=words):
            make()


def test_schedules_of_other_programs_are_imported(tmp_path):
    schedule = pavane.Problem("ring:4", "all-gather", switching="store-and-forward").solve()
    plan = tmp_path / "plan.xml"
    plan.write_bytes(schedule.export("msccl")[0][1])
    same = pavane.Schedule.import_(plan, network="ring:4")
    assert (same.steps, same.bound, same.collective) == (schedule.steps, schedule.bound, "all-gather")
    assert same.engine.startswith("import of ")
    own = tmp_path / "own.json"
    schedule.save(own)
    with pytest.raises(pavane.InputError, match=r"Schedule\.load"):
        pavane.Schedule.import_(own)
    with pytest.raises(pavane.InputError, match="switching="):
        pavane.Schedule.import_(plan, switching="polka")
