"""TDM schedules of networks on chip."""

import json
import pathlib
import urllib.parse
import xml.etree.ElementTree

import pytest

import pavane


def test_the_period_is_optimal_and_every_word_is_there(tmp_path):
    found = pavane.tdm(pavane.Network("torus:3x3"), threads=1)
    assert (found.period, found.bound, found.is_optimal) == (9, 9, True)
    assert "every port would be busy" in found.explanation
    assert repr(found) == "<Tdm on torus:3x3: 9 slots, optimal>"
    words = found.words()
    assert len(words) == 72
    assert all(len(word["routers"]) == len(word["path"]) + 1 for word in words)
    assert all(word["end"] == word["start"] + len(word["path"]) + 1 for word in words)
    guarantees = found.guarantees()
    assert len(guarantees) == 72
    assert all(one["latency"] == 9 + one["hops"] + 2 and one["words"] == 1 for one in guarantees)
    for name in ["tdm.json", "tdm.json.gz"]:
        path = tmp_path / name
        found.save(path)
        [verdict] = pavane.verify(path)
        assert verdict["valid"] and verdict["optimal"] and verdict == found.verify()
        again = pavane.Tdm.load(path)
        assert again.words() == words and again.bound == 9
    content = json.loads((tmp_path / "tdm.json").read_text())
    assert content == found.schedule and content["format"] == "pavane/tdm/1"
    content["words"][0]["start"] = (content["words"][0]["start"] + 1) % 9
    (tmp_path / "broken.json").write_text(json.dumps(content))
    with pytest.raises(ValueError, match="is not a valid TDM schedule"):
        pavane.Tdm.load(tmp_path / "broken.json")


def test_traffic_is_a_list_or_a_file(tmp_path):
    mesh = pavane.Network("mesh:2x3")
    listed = pavane.tdm(mesh, traffic=[(0, 5, 2), (5, 0, 1, 30), (3, 4, 1, None)], depth=2, phits=2, time=5)
    assert [one["words"] for one in listed.guarantees()] == [2, 1, 1]
    assert listed.schedule["depth"] == 2 and listed.schedule["demand"][1] == [5, 0, 1, 30]
    csv = tmp_path / "traffic.csv"
    csv.write_text("from,to,weight\n0,5,2\n5,0,1\n")
    assert pavane.tdm(mesh, traffic=csv).period == 2
    specification = tmp_path / "communication.xml"
    specification.write_text('<communication type="custom" phits="2"><channel from="(0,0)" to="(2,1)"/></communication>')
    found = pavane.tdm(mesh, traffic=str(specification))
    assert (found.period, found.schedule["phits"], found.schedule["demand"]) == (2, 2, [[0, 5, 1]])


def test_exports_pictures_and_repairs():
    found = pavane.tdm(pavane.Network("torus:3x3"), wrap=False, time=3, threads=1)
    [(suffix, table)] = found.export("shd")
    assert suffix == "" and len(table.splitlines()) == 8
    assert [suffix for suffix, _ in found.export("systemverilog")] == [".sv", ".test.sv"]
    with pytest.raises(ValueError, match="there are csv, poseidon, shd, systemverilog"):
        found.export("msccl")
    xml.etree.ElementTree.fromstring(found.svg())
    assert "slot table" in found._repr_html_()
    assert urllib.parse.unquote(found._repr_html_()).count("<svg") == 1
    mended = pavane.tdm(pavane.Network("ring:4")).repair("0-1")
    assert mended.period >= 4 and len(mended.words()) == 12
    with pytest.raises(pavane.Impossible, match="no path|these faults"):
        pavane.tdm(pavane.Network("path:3")).repair("0-1")


def test_a_proof_beside_the_file_is_judged_and_kept(tmp_path):
    folder = pathlib.Path(__file__).parents[2] / "corpus" / "tdm" / "valid"
    path = folder / "ring4-no-wrap-exact.json"
    [verdict] = pavane.verify(path)
    assert verdict["valid"] and verdict["optimal"]
    found = pavane.Tdm.load(path)
    assert found.is_optimal and found.verify() == verdict
    found.save(tmp_path / "copy.json")
    assert (tmp_path / "copy.lrat.gz").exists()
    assert pavane.verify(tmp_path / "copy.json") == [verdict]
    (tmp_path / "copy.lrat.gz").unlink()
    with pytest.raises(ValueError, match="copy.lrat.gz"):
        pavane.Tdm.load(tmp_path / "copy.json")


@pytest.mark.parametrize(
    "options, error, text",
    [
        ({"slots": 8}, pavane.Unsolved, "a period of 8 slots is impossible: "),
        ({"slots": 0}, ValueError, "slots=0 is not valid"),
        ({"depth": 0}, ValueError, "depth is 0"),
        ({"routing": "sideways"}, ValueError, 'routing="sideways" is not valid'),
        ({"traffic": [(0, 99, 1)]}, ValueError, "has no processor 99"),
        ({"traffic": [(0, 1)]}, ValueError, "a message is"),
        ({"traffic": "absent.csv"}, ValueError, "there is no such file"),
        ({"time": -1}, ValueError, "time=-1"),
    ],
)
def test_errors_say_what_is_wrong(options, error, text):
    with pytest.raises(error, match=text):
        pavane.tdm(pavane.Network("torus:3x3"), **options)


def test_optimal_not_found_and_impossible_are_told_apart():
    # The solver is asked in any case up to 100 words.
    long_row = pavane.Network("path:11")
    found = pavane.tdm(long_row, wrap=False, evaluations=20000)
    assert (found.period, found.bound, found.status) == (33, 32, "best found, at most 1 slot from optimal")
    row = pavane.Network("path:5")
    proved = pavane.tdm(row, wrap=False, prove=True)
    assert (proved.period, proved.bound, proved.status) == (9, 9, "optimal") and proved.is_optimal
    assert proved.network == row and proved.schedule["status"] == "optimal"
    with pytest.raises(pavane.Unsolved, match="prove=True, which may show that none is possible") as caught:
        pavane.tdm(long_row, wrap=False, slots=32, evaluations=2000)
    assert caught.type is pavane.Unsolved and caught.value.status == "not found"
    with pytest.raises(pavane.Impossible, match="8 slots is impossible: a SAT solver refuted it") as caught:
        pavane.tdm(row, wrap=False, slots=8, prove=True)
    assert caught.value.status == "impossible"


def test_slot_tables_have_themes(tmp_path):
    slots = pavane.tdm("ring:4")
    slots.draw(tmp_path / "dark.svg", theme="dark")
    assert (tmp_path / "dark.svg").read_text(encoding="utf-8") == slots.svg(theme="dark") != slots.svg(theme="light")
    with pytest.raises(pavane.InputError, match="only schedules and timed schedules can be animated"):
        slots.draw(tmp_path / "slots.gif")
