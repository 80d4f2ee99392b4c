"""The atlas: lists, schedules, verdicts, searches and additions."""

import shutil

import pytest

import pavane


@pytest.fixture(scope="module")
def atlas():
    return pavane.Atlas()


def test_entries_are_listed_and_shown(atlas):
    entries = atlas.list()
    assert len(entries) == len(atlas) and f"{len(atlas)} entries" in repr(atlas)
    slots = atlas.list(model="tdm", records=True)
    assert slots and all(entry["model"] == "tdm" and entry["improvement"] for entry in slots)
    assert not any(entry["optimal"] for entry in atlas.list(family="tori", open=True))
    assert atlas.show("hypercube-3-aas") in entries
    for wrong in (
        lambda: atlas.list(family="towers"),
        lambda: atlas.list(model="beauty"),
        lambda: atlas.show("hypercube-3-ass"),
        lambda: pavane.Atlas("docs"),
    ):
        with pytest.raises(pavane.InputError):
            wrong()


def test_schedules_are_judged(atlas):
    assert repr(atlas.schedule("hypercube-3-aas")) == "<Schedule all-to-all on hypercube:3: 4 steps, optimal>"
    kinds = {"steps": pavane.Schedule, "throughput": pavane.Throughput, "time": pavane.Timed, "tdm": pavane.Tdm}
    for model, kind in kinds.items():
        entry = min(atlas.list(model=model), key=lambda entry: len(entry["id"]))
        assert isinstance(atlas.schedule(entry["id"]), kind)
    verdict = atlas.verify("hypercube-3-aas", "tdm-torus-4x4")
    assert (verdict["valid"], verdict["entries"], verdict["problems"]) == (True, 2, [])


def test_entries_of_isomorphic_networks_are_mapped(atlas):
    cube = pavane.Network([(f"{a:03b}", f"{a ^ bit:03b}") for a in range(8) for bit in (1, 2, 4) if a < a ^ bit])
    found = atlas.search(cube, "all-to-all")
    assert found["mapped"] == "hypercube-3-aas" and found["schedule"].engine == "atlas: hypercube-3-aas"
    assert found["schedule"].network == cube and found["schedule"].is_optimal
    assert len(atlas.search(cube)["matches"]) > 1 and atlas.search(cube)["schedule"] is None
    nothing = atlas.search("ring:7", "all-gather", ports=1)
    assert (nothing["matches"], nothing["schedule"]) == ([], None)
    assert isinstance(atlas.search("torus:4x4", "all-to-all", model="tdm")["schedule"], pavane.Tdm)
    with pytest.raises(pavane.InputError, match="rules of TDM"):
        atlas.search("torus:4x4", "all-to-all", model="steps", wrap=False)


def test_better_schedules_are_added(tmp_path):
    shutil.copy("atlas/octagons.toml", tmp_path)
    shutil.copytree("atlas/octagons", tmp_path / "octagons")
    mine = pavane.Atlas(tmp_path)
    before, file = len(mine), tmp_path.parent / "ring.json"
    pavane.Problem("ring:5", "all-gather").solve().save(file)
    added = mine.add(file, family="rings", seed=3, published=3, source="a paper")
    assert (added["status"], added["improvement"], added["seed"], len(mine)) == ("new", True, 3, before + 1)
    assert mine.add(file, family="rings")["status"] == "kept"
    assert mine.schedule(added["id"]).steps == 2 and mine.verify(added["id"])["valid"]
    with pytest.raises(pavane.InputError, match="published and source"):
        mine.add(file, family="rings", published=3)
