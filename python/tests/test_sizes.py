"""Fronts, comparisons and tuning."""

from fractions import Fraction

import pytest

import pavane


def test_front():
    front = pavane.pareto(pavane.Network("ring:4"), "all-gather", max_chunks=2)
    assert front.is_complete and front.limit == Fraction(3, 2)
    points = [(it["chunks"], it["steps"], it["rounds"]) for it in front.points]
    assert points[0] == (1, 2, 2) and (2, 3, 3) in points and len(front) == len(points)
    assert all(it["fewer"] != "open" for it in front.points)
    schedule = front.schedule(2, 3)
    assert (schedule.chunks, schedule.steps) == (2, 3)
    assert b"<algo" in schedule.export("msccl")[0][1]
    with pytest.raises(ValueError, match="7 steps"):
        front.schedule(1, 7)


def test_chunks_of_an_all_to_all_count_as_in_sccl():
    front = pavane.pareto(pavane.Network("ring:3"), "all-to-all", max_chunks=1)
    assert front.points[0]["chunks"] == 3 and front.points[0]["chunks_per_message"] == 1


def test_compare(tmp_path):
    network = pavane.Network("ring:4", bandwidth=1, latency="1us")
    steps = tmp_path / "steps.json"
    pavane.Problem(network, "all-gather").solve().save(steps)
    plan = tmp_path / "plan.json"
    pavane.throughput(network, "all-gather").save(plan)
    gpu = tmp_path / "gpu.xml"
    gpu.write_bytes(pavane.Schedule.load(steps).export("msccl")[0][1])
    sizes = pavane.compare(
        network, "all-gather", bytes=["1KB", 1000000], files=[steps, plan, gpu], evaluations=4, threads=1
    )
    assert [it["bytes"] for it in sizes] == [1000, 1000000]
    for size in sizes:
        times = [it["microseconds"] for it in size["algorithms"]]
        assert times == sorted(times) and times[0] >= size["bound_microseconds"]
        names = {it["name"] for it in size["algorithms"]}
        assert {"pavane", "ring", "direct", str(steps), str(plan), str(gpu)} <= names
        claims = [it.get("claims") for it in size["algorithms"] if it["name"] == str(gpu)]
        assert claims[0]["format"] == "MSCCL" and claims[0]["possible"]
    [one] = pavane.compare(network, "all-gather", bytes="1KB", evaluations=4, threads=1)
    assert one["algorithms"][0]["times_bound"] >= 1


def test_tune():
    network = pavane.Network("ring:4", bandwidth=1, latency="1us")
    tuning = pavane.tune(network, "all-gather", bytes=("1KB", "1MB"), factor=32, evaluations=1, time=20, threads=1)
    assert tuning.is_complete and [it["bytes"] for it in tuning.sizes] == [1000, 32000, 1000000]
    assert all(it["microseconds"] >= it["bound_microseconds"] for it in tuning.sizes)
    ranges = tuning.ranges
    assert ranges[0]["min_bytes"] == 0
    assert all(a["max_bytes"] + 1 == b["min_bytes"] for a, b in zip(ranges, ranges[1:]))
    schedule = tuning.schedule("1MB")
    assert b"<algo" in schedule.export("msccl")[0][1]


@pytest.mark.parametrize(
    ("function", "keywords", "text"),
    [
        (pavane.pareto, {"max_chunks": 0}, "max_chunks=0"),
        (pavane.pareto, {"max_steps": 0}, "max_steps=0"),
        (pavane.pareto, {"time": -1}, "time=-1"),
        (pavane.compare, {"bytes": "much"}, "bytes"),
        (pavane.compare, {"bytes": []}, "at least one size"),
        (pavane.compare, {"bytes": 1000, "files": ["absent.json"]}, "absent.json"),
        (pavane.tune, {"bytes": ("1MB", "1KB")}, "larger than the second"),
        (pavane.tune, {"bytes": ("1KB", "1MB"), "factor": 1}, "factor=1"),
    ],
)
def test_bad_input_is_named(function, keywords, text):
    with pytest.raises(ValueError, match=text):
        function(pavane.Network("ring:4"), "all-gather", **keywords)
