"""Timed schedules."""

import json
from fractions import Fraction

import pytest

import pavane


def test_an_all_gather_is_optimal_and_its_file_is_read_back(tmp_path):
    found = pavane.timed(pavane.Network("complete:3"), "all-gather", bytes="3KB", bandwidth="25GB/s", latency="700ns", evaluations=20)
    assert found.time == found.bound and found.is_optimal
    assert found.microseconds == float(found.time) / 1000
    assert "latencies" in found.explanation
    assert found.algorithm_gbytes == pytest.approx(3000 / float(found.time))
    assert found.bus_gbytes == pytest.approx(2 / 3 * found.algorithm_gbytes)
    assert repr(found) == f"<Timed all-gather on complete:3: {found.microseconds:.4f} µs, optimal>"
    schedule = found.schedule
    assert schedule["format"] == "pavane/timed/1"
    assert (len(schedule["chunks"]), len(schedule["sends"])) == (found.chunks, found.sends)
    assert schedule["time"] * Fraction(schedule["time_unit_ns"]) == found.time
    for name in ["timed.json", "timed.json.gz"]:
        found.save(tmp_path / name)
        [verdict] = pavane.verify(tmp_path / name)
        assert verdict["valid"] and verdict["optimal"] and verdict == found.verify()
        again = pavane.Timed.load(tmp_path / name)
        assert (again.time, again.bound, again.sends) == (found.time, found.bound, found.sends)


def test_the_seed_decides():
    network = pavane.Network("dgx-1v")
    one, other = (pavane.timed(network, "all-gather", bytes=1000, evaluations=30, threads=threads) for threads in (1, 2))
    assert one.schedule == other.schedule


@pytest.mark.parametrize("collective", ["broadcast", "all-gather", "scatter", "gather", "all-to-all", "reduce", "reduce-scatter", "all-reduce"])
def test_every_collective_is_repaired(collective):
    before = pavane.timed(pavane.Network("torus:3x3"), collective, bytes=9000, latency=100, chunks=2, evaluations=8)
    assert before.kept is None
    after = before.repair("0,0-0,1", evaluations=8)
    assert after.verify()["valid"] and 0 <= after.kept <= 1
    quick = before.repair("0,0-0,1", keep=0, evaluations=8)
    assert quick.time <= after.time and quick.bound == after.bound


def test_sizes_groups_and_half_duplex():
    ring = pavane.Network("ring:3")
    sized = pavane.timed(ring, "all-to-all", sizes=[[0, 5, 7], [1, 0, 9], [0, 0, 0]], evaluations=4)
    assert sized.schedule["sizes"] == [5, 7, 1, 9, 0, 0] and sized.algorithm_gbytes is None
    grouped = pavane.timed(pavane.Network("complete:4"), "all-gather", bytes=20, senders=[0, 1], receivers=[2, 3], evaluations=4)
    assert grouped.schedule["collective"]["receivers"] == [2, 3]
    half = pavane.timed(ring, "all-gather", bytes=300, duplex="half", evaluations=4)
    assert half.schedule["duplex"] == "half" and half.time >= pavane.timed(ring, "all-gather", bytes=300, evaluations=4).time


def test_exports_carry_bytes():
    found = pavane.timed(pavane.Network("ring:4"), "all-gather", bytes=4000, chunks=1, evaluations=4)
    [(suffix, goal)] = found.export("goal")
    assert suffix == "" and goal.count(b"send 1000b") == 12
    assert [suffix for suffix, _ in found.export("simgrid")] == [".platform.xml", ".trace.csv", ".replay.py"]


def test_bad_input_is_named(tmp_path):
    network = pavane.Network("ring:4")
    for keywords, text in [
        ({}, "either bytes"),
        ({"bytes": 1, "sizes": [[0]]}, "either bytes"),
        ({"bytes": 100, "chunks": 0}, "chunks=0"),
        ({"bytes": 100, "duplex": "third"}, "duplex"),
        ({"bytes": "many"}, "bytes"),
        ({"bytes": 0}, "at least 1 byte"),
    ]:
        with pytest.raises(ValueError, match=text):
            pavane.timed(network, "all-gather", **keywords)
    found = pavane.timed(network, "all-gather", bytes=400, evaluations=4)
    with pytest.raises(ValueError, match="keep=2"):
        found.repair("0-1", keep=2)
    with pytest.raises(pavane.Unsolved):
        pavane.timed(pavane.Network("path:2"), "all-gather", bytes=400, evaluations=4).repair("0-1")
    broken = found.schedule
    broken["time"] += 1
    path = tmp_path / "broken.json"
    path.write_text(json.dumps(broken))
    with pytest.raises(ValueError, match="not a valid timed schedule"):
        pavane.Timed.load(path)


def test_the_search_chooses_the_chunks_and_pictures_move(tmp_path):
    ring = pavane.Network("ring:4", bandwidth=10, latency=100)
    options = {"bytes": 4000, "evaluations": 10, "threads": 1}
    chosen = pavane.timed(ring, "all-gather", chunks="auto", **options)
    assert chosen.time == pavane.timed(ring, "all-gather", **options).time
    assert chosen.network == ring and chosen.network.bandwidths[0] == 10
    for chunks in (0, "many", 1.5):
        with pytest.raises(pavane.InputError, match='chunks=.* is not valid; use a number of at least 1, or "auto"'):
            pavane.timed(ring, "all-gather", chunks=chunks, **options)
    assert "<animateMotion" in chosen.svg(animate=True) and "<animateMotion" not in chosen.svg(theme="dark")
    chosen.draw(tmp_path / "moving.svg", animate=True, theme="dark")
    assert (tmp_path / "moving.svg").read_text(encoding="utf-8") == chosen.svg(animate=True, theme="dark")
    with pytest.raises(pavane.InputError, match="animations are written to .svg or .gif"):
        chosen.draw(tmp_path / "still.png", animate=True)
