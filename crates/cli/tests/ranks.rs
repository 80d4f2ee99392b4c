//! The program under a real MPI: `mpirun` starts 2 to 6 ranks on this machine. Tests equal results,
//! an early stop, killed ranks, and resuming from their checkpoints.

#![cfg(feature = "mpi")]
#![allow(clippy::unwrap_used, reason = "a failure here is a failed test")]

use pavane_model::strict_json;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;
use tempfile::TempDir;

const PAVANE: &str = env!("CARGO_BIN_EXE_pavane");

/// It finds a first schedule immediately and never reaches the bound.
const ENDLESS: &str = "solve tree:2,4 aab --switching sf --ports 1 --threads 1";

/// `mpirun` for a test: more ranks than cores, possibly as root.
fn mpirun(ranks: usize) -> Command {
    let mut command = Command::new("mpirun");
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    command.args(["--oversubscribe", "-n", &ranks.to_string()]);
    command
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split_whitespace()
}

/// The output of a command line on `ranks` ranks; 0 means without `mpirun`.
fn run(ranks: usize, line: &str, folder: &Path) -> Output {
    let mut command = match ranks {
        0 => Command::new(PAVANE),
        _ => mpirun(ranks),
    };
    if ranks > 0 {
        command.arg(PAVANE);
    }
    command.args(words(line)).current_dir(folder).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The number of steps of a schedule file that the judge accepts.
fn judged(folder: &Path, file: &str) -> u64 {
    let output = run(0, &format!("verify {file} --json"), folder);
    assert!(output.status.success(), "{}", text(&output.stdout));
    let file: serde_json::Value =
        strict_json::from_slice(&fs::read(folder.join(file)).unwrap()).unwrap();
    file["steps"].as_array().unwrap().len() as u64
}

#[test]
#[ignore = "needs mpirun; `./test mpi` runs it"]
fn islands_give_the_same_file_on_any_number_of_ranks() {
    let folder = TempDir::new().unwrap();
    for (problem, seed) in [("hypercube:4 aab --switching sf", 3), ("octagon:8 aas", 1)] {
        let line = |file: &str| {
            format!(
                "solve {problem} --engine hgsa --set islands=10,exchange=500 --seed {seed} --quiet -o {file}"
            )
        };
        assert!(run(0, &line("threads.json"), folder.path()).status.success());
        for ranks in [1, 2, 6] {
            let output = run(ranks, &line("ranks.json"), folder.path());
            assert!(output.status.success(), "{}", text(&output.stderr));
            let file = |name| fs::read(folder.path().join(name)).unwrap();
            assert_eq!(text(&file("threads.json")), text(&file("ranks.json")), "{ranks} {problem}");
        }
    }
    let names: Vec<PathBuf> =
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(names.len(), 2, "a checkpoint goes when the search is over: {names:?}");
}

#[test]
#[ignore = "needs mpirun; `./test mpi` runs it"]
fn islands_that_do_not_wait_reach_the_bound() {
    let folder = TempDir::new().unwrap();
    let line = "solve hypercube:4 aab --switching sf --engine hgsa --set islands=8,asynchronous=yes,exchange=500 -o it.json";
    let output = run(4, line, folder.path());
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(judged(folder.path(), "it.json"), 4);
}

#[test]
#[ignore = "needs mpirun; `./test mpi` runs it"]
fn the_first_schedule_at_the_bound_stops_all_ranks() {
    let folder = TempDir::new().unwrap();
    // There is no time limit, so a rank that is not stopped would run on.
    let output = run(4, "solve kautz:3,2 aas --engine annealing --json", folder.path());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let value: serde_json::Value = strict_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&value["steps"], &value["optimal"]), (&7.into(), &true.into()));
    let output = run(3, "bound hypercube:3 aas", folder.path());
    assert_eq!(output.stdout, run(0, "bound hypercube:3 aas", folder.path()).stdout);
    let output = run(3, "solve hypercube:3 nothing", folder.path());
    assert_eq!(text(&output.stderr).matches("error:").count(), 1, "{}", text(&output.stderr));
    assert_eq!(output.status.code(), Some(2));
}

#[test]
#[ignore = "needs mpirun; `./test mpi` runs it"]
fn sweeps_print_what_one_machine_prints() {
    let folder = TempDir::new().unwrap();
    for line in [
        "faults mesh:3x3 oab aas --json",
        "faults kautz:3,2 oab --of channels --save saved",
        "traffic compare hypercube:3 --missions 300 --optimal 5",
        "traffic sweep hypercube:3 --over density --values 0.3,0.9 --missions 100 --json",
        "traffic sweep hypercube:3 --over interval --values 20,60 --duration 3000 --warm-up 500",
        // Deadlocks: means over no missions and over some, and exit code 1.
        "traffic compare ring:5 --switching wormhole --routing shortest --missions 100 --window 30",
        "traffic sweep ring:5 --switching wormhole --routing shortest --over interval --values 20,60 --warm-up 0",
        "traffic sweep ring:5 --over rate --values 0.2,0.8 --duration 2000 --warm-up 500",
    ] {
        let alone = run(0, line, folder.path());
        let _ = fs::rename(folder.path().join("saved"), folder.path().join("alone"));
        let together = run(3, line, folder.path());
        let code = alone.status.code();
        assert_eq!(together.status.code(), code, "{line}: {}", text(&together.stderr));
        assert_eq!(code, Some(i32::from(line.contains("wormhole"))), "{line}");
        assert_eq!(text(&alone.stdout), text(&together.stdout), "{line}");
    }
    let (alone, saved) = (folder.path().join("alone"), folder.path().join("saved"));
    for entry in fs::read_dir(&alone).unwrap() {
        let name = entry.unwrap().file_name();
        assert_eq!(fs::read(alone.join(&name)).unwrap(), fs::read(saved.join(&name)).unwrap());
    }
    // Only times differ.
    let rows = |ranks: usize| {
        let output =
            run(ranks, "reproduce hgsa-text gecco-figure-7 --runs 2 --json", folder.path());
        let mut rows: serde_json::Value = strict_json::from_slice(&output.stdout).unwrap();
        for row in rows.as_array_mut().unwrap() {
            for tried in row["trials"].as_array_mut().unwrap() {
                tried["seconds"].take();
            }
        }
        rows
    };
    assert_eq!(rows(0), rows(2));
}

#[test]
#[ignore = "needs mpirun; `./test mpi` runs it"]
fn other_builds_and_other_arguments_are_refused() {
    let folder = TempDir::new().unwrap();
    let other = folder.path().join("other");
    fs::copy(PAVANE, &other).unwrap();
    let mut bytes = fs::read(&other).unwrap();
    bytes.push(b' ');
    fs::write(&other, bytes).unwrap();
    let other = other.display().to_string();
    let line = "solve octagon:8 aas";
    for (second, more, why) in
        [(other.as_str(), "", "runs another build"), (PAVANE, " --seed 2", "other arguments")]
    {
        let mut command = mpirun(1);
        command.arg(PAVANE).args(words(line)).args([":", "-n", "1", second]);
        let output = command.args(words(line)).args(words(more)).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        let told = text(&output.stderr);
        assert!(told.contains("error: rank 1 on ") && told.contains(why), "{told}");
        assert!(output.stdout.is_empty());
    }
}

/// A search that does not end by itself, after it has found a schedule.
struct Endless {
    folder: TempDir,
    mpirun: Child,
}

impl Endless {
    fn start(ranks: usize) -> Self {
        let folder = TempDir::new().unwrap();
        let mut command = mpirun(ranks);
        command.arg(PAVANE).args(words(ENDLESS)).args(["--time", "300s", "-o", "it.json"]);
        command.current_dir(folder.path()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let search = Self { mpirun: command.spawn().unwrap(), folder };
        while !search.folder.path().join("it.json.checkpoint").is_file() {
            sleep(Duration::from_millis(50));
        }
        search
    }

    /// The process of a rank.
    fn process(&self, rank: usize) -> String {
        let (parent, wanted) = (self.mpirun.id(), format!("OMPI_COMM_WORLD_RANK={rank}"));
        let is_it = |process: &PathBuf| {
            let read = |name| fs::read(process.join(name)).unwrap_or_default();
            text(&read("status")).contains(&format!("PPid:\t{parent}\n"))
                && read("environ").split(|&byte| byte == 0).any(|it| it == wanted.as_bytes())
        };
        let mut all = fs::read_dir("/proc").unwrap().map(|entry| entry.unwrap().path());
        let found = all.find(is_it).expect("the rank is running");
        found.file_name().unwrap().to_string_lossy().into_owned()
    }

    fn signal(&self, signal: &str, process: &str) {
        assert!(Command::new("kill").args([signal, process]).status().unwrap().success());
    }

    fn end(self) -> (Output, TempDir) {
        (self.mpirun.wait_with_output().unwrap(), self.folder)
    }
}

#[test]
#[ignore = "needs mpirun; `./test mpi` runs it"]
fn a_search_resumes_after_a_killed_rank() {
    for rank in [1, 0] {
        let search = Endless::start(3);
        search.signal("-KILL", &search.process(rank));
        let (output, folder) = search.end();
        assert!(!output.status.success());
        let told = text(&output.stderr);
        assert!(told.contains(&format!("rank {rank}")), "mpirun names the failed rank: {told}");
        // Rank 0 has time to explain how to resume, unless it is the one that was killed.
        assert_eq!(told.contains("--resume it.json.checkpoint"), rank == 1, "{told}");
        let path = folder.path().join("it.json.checkpoint");
        let kept: serde_json::Value = strict_json::from_slice(&fs::read(path).unwrap()).unwrap();
        let phase = &kept["phases"][0];
        fs::write(folder.path().join("kept.json"), phase["schedule"].to_string()).unwrap();
        let before = judged(folder.path(), "kept.json");
        let line = format!("{ENDLESS} --time 1s --resume it.json.checkpoint -o again.json --json");
        let output = run(2, &line, folder.path());
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert!(judged(folder.path(), "again.json") <= before);
        let value: serde_json::Value = strict_json::from_slice(&output.stdout).unwrap();
        assert!(value["evaluations"].as_u64() >= phase["evaluations"].as_u64());
        let line = "solve tree:2,4 aab --resume it.json.checkpoint";
        assert_eq!(run(0, line, folder.path()).status.code(), Some(2), "another search");
    }
}

#[test]
#[ignore = "needs mpirun; `./test mpi` runs it"]
fn a_signal_ends_all_ranks_with_the_best_schedule_written() {
    for signal in ["-INT", "-TERM"] {
        let search = Endless::start(3);
        search.signal(signal, &search.mpirun.id().to_string());
        let (output, folder) = search.end();
        let told = text(&output.stderr);
        assert!(told.contains("the search was ended by a signal"), "{signal}: {told}");
        assert!(judged(folder.path(), "it.json") >= 24);
    }
}

#[test]
#[ignore = "needs mpirun; `./test mpi` runs it"]
fn time_that_is_up_ends_all_ranks_with_the_best_schedule_written() {
    let folder = TempDir::new().unwrap();
    for (time, engine) in [("1ms", ""), ("4s", ""), ("1s", "--engine hgsa --set exchange=1000000")]
    {
        let line = format!("{ENDLESS} --time {time} {engine} --json -o it.json");
        let output = run(3, &line, folder.path());
        // Islands start without a schedule and may not have one yet.
        if engine.is_empty() {
            assert!(output.status.success(), "{}", text(&output.stderr));
            assert!(judged(folder.path(), "it.json") >= 24);
        }
        let value: serde_json::Value = strict_json::from_slice(&output.stdout).unwrap();
        assert!(value["bound"]["steps"].as_u64() >= Some(23), "{line}: {value}");
        let told = text(&output.stderr);
        assert_eq!(told.contains("3 ranks: ["), time == "4s", "progress shows ranks: {told}");
    }
}
