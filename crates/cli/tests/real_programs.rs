//! Exports run by the programs that they are for: OpenMPI, SimGrid, PyTorch and Verilator. These must
//! be installed, so the tests are ignored by default: `cargo test -p pavane --test integration -- --ignored`;
//! `./test exports` installs them and runs the tests.

#![allow(clippy::unwrap_used, reason = "helpers of tests stop the test, as tests themselves do")]

use crate::common::{exported, exported_with_own_bytes, pavane, solved};
use crate::tdm_exports::slot_table;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const NETWORKS: &[&str] = &["dgx-1v", "torus:4x4", "ring:8", "kautz:2,2", "fat-tree:2@2"];
const COLLECTIVES: &[&str] =
    &["broadcast", "all-gather", "all-to-all", "gather", "reduce-scatter", "all-reduce"];

/// Problems with one port, faults, several processors per router, store-and-forward and lists of
/// messages.
const OTHERS: &[&str] = &[
    "octagon:8@2 all-to-all --ports 1",
    "mesh:3x3 scatter --fault 1,1 --routing any --duplex half",
    "torus:3x3 all-reduce --switching sf --ports 1",
    "ring:8 all-reduce --senders 1-5",
    "ring:6 reduce --root 3 --senders 1,2",
    "ring:6 shift:2",
    "dgx-1v all-gather --chunks 6 --switching sf",
    "ring:5 all-reduce --chunks 2",
    "ring:5 reduce-scatter --chunks 3 --ports 1",
    "ring:5 all-to-all --chunks 2 --switching sf",
    "ring:5 gather --chunks 2",
];

fn problems() -> Vec<String> {
    let pairs = NETWORKS.iter().flat_map(|n| COLLECTIVES.iter().map(move |c| format!("{n} {c}")));
    pairs.chain(OTHERS.iter().map(|problem| (*problem).to_owned())).collect()
}

fn run(command: &mut Command) -> (Output, String) {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = [&output.stdout[..], &output.stderr].concat();
    (output, String::from_utf8_lossy(&text).into_owned())
}

#[test]
#[ignore = "needs OpenMPI"]
fn the_mpi_program_gets_every_byte_right() {
    let folder = tempfile::tempdir().unwrap();
    for problem in problems() {
        let source = exported(&solved(folder.path(), &problem), "mpi");
        let source = {
            let c = source.with_extension("c");
            std::fs::rename(&source, &c).unwrap();
            c
        };
        let program = source.with_extension("program");
        let mut compiler = Command::new("mpicc");
        let (output, text) =
            run(compiler.args(["-Wall", "-Werror"]).arg(&source).arg("-o").arg(&program));
        assert!(output.status.success(), "{problem}: {text}");
        let code = std::fs::read_to_string(&source).unwrap();
        let ranks = code.split("RANKS = ").nth(1).unwrap().split(',').next().unwrap();
        let (output, text) = run(mpirun(ranks).arg(&program).arg("256"));
        assert!(output.status.success(), "{problem}: {text}");
        assert!(text.contains("ok: ") && text.contains(" 0 wrong chunks"), "{problem}: {text}");
    }
}

fn mpirun(ranks: &str) -> Command {
    let mut command = Command::new("mpirun");
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    command.args(["--oversubscribe", "-np", ranks]);
    command
}

/// A program with a damaged table must detect it.
#[test]
#[ignore = "needs OpenMPI"]
fn the_mpi_program_notices_what_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let source = exported(&solved(folder.path(), "ring:4 reduce-scatter"), "mpi");
    let code = std::fs::read_to_string(&source).unwrap();
    let table = code.find("transfers[] = {").unwrap();
    let row = code[table + 15..].trim_start().split('}').next().unwrap().to_owned() + "}";
    let numbers: Vec<&str> = row.trim_matches(['{', '}']).split(", ").collect();
    let chunk = (numbers[3].parse::<u32>().unwrap() + 1) % 4;
    let other =
        format!("{{{}, {}, {}, {chunk}, {}}}", numbers[0], numbers[1], numbers[2], numbers[4]);
    let damaged = source.with_extension("damaged.c");
    std::fs::write(&damaged, code.replacen(&row, &other, 1)).unwrap();
    let program = source.with_extension("program");
    let (output, text) = run(Command::new("mpicc").arg(&damaged).arg("-o").arg(&program));
    assert!(output.status.success(), "{text}");
    let (output, text) = run(mpirun("4").arg(&program));
    assert!(!output.status.success() && text.contains("FAILED: 4 ranks"), "{text}");
}

fn replay(prefix: &Path, trace: &Path) -> (Output, String) {
    let file = |suffix: &str| format!("{}{suffix}", prefix.display());
    // The module belongs to the system's own Python.
    run(Command::new("/usr/bin/python3")
        .arg(file(".replay.py"))
        .arg(file(".platform.xml"))
        .arg(trace))
}

#[test]
#[ignore = "needs SimGrid"]
fn simgrid_takes_exactly_the_time_of_the_steps() {
    let folder = tempfile::tempdir().unwrap();
    for problem in problems() {
        let schedule = solved(folder.path(), &problem);
        let prefix = exported(&schedule, "simgrid");
        let trace = format!("{}.trace.csv", prefix.display());
        let (output, text) = replay(&prefix, Path::new(&trace));
        assert!(output.status.success(), "{problem}: {text}");
        let phases = pavane_model::format::read_file(&schedule, 1 << 20).unwrap();
        let steps: u32 = phases.iter().map(|phase| phase.schedule.step_count()).sum();
        // A chunk is an equal part of a message of 1000 bytes, rounded up to a multiple of 4.
        let chunks = phases[0].problem.collective().chunks.map_or(1, |chunks| chunks.count);
        let bytes = 1000_u32.div_ceil(chunks).next_multiple_of(4);
        let wanted = format!("conflicts 0 time {}", bytes * steps);
        assert!(text.contains(&wanted), "{problem}, {steps} steps: {text}");
    }
}

/// Two steps at once share channels or ports, and SimGrid reveals it.
#[test]
#[ignore = "needs SimGrid"]
fn simgrid_shows_conflicts() {
    let folder = tempfile::tempdir().unwrap();
    for problem in ["ring:8 all-to-all", "complete:6 all-to-all --ports 1"] {
        let prefix = exported(&solved(folder.path(), problem), "simgrid");
        let trace = std::fs::read_to_string(format!("{}.trace.csv", prefix.display())).unwrap();
        let damaged = prefix.with_extension("damaged.csv");
        std::fs::write(&damaged, trace.replace("\n1,", "\n0,")).unwrap();
        let (output, text) = replay(&prefix, &damaged);
        assert_eq!(output.status.code(), Some(1), "{problem}: {text}");
        assert!(text.contains("conflict: step 0"), "{problem}: {text}");
    }
}

/// Every send of a timed schedule arrives in SimGrid when the file says, on channels with their real
/// bandwidths and latencies; a send that starts too early is late.
#[test]
#[ignore = "needs SimGrid"]
fn simgrid_agrees_with_the_times_of_timed_schedules() {
    let folder = tempfile::tempdir().unwrap();
    for problem in [
        "ndv2:2 all-gather --bytes 1MB --chunks 2",
        "dgx2:2 all-to-all --bytes 64KB --chunks 1",
        "dgx-1v all-reduce --bytes 1MB --chunks 2 --latency 700ns",
        "torus:3x3 reduce-scatter --bytes 9KB --bandwidth 12.5GB/s --latency 0.5us --duplex half",
        "mesh:3x3 gather --bytes 100 --latency 3ns --fault 1,1",
    ] {
        let file = folder.path().join("timed.json");
        let mut arguments = vec!["solve"];
        arguments.extend(problem.split_whitespace());
        arguments.extend(["--minimize", "time", "--quiet", "--evaluations", "8", "-o"]);
        arguments.push(file.to_str().unwrap());
        pavane(&arguments);
        let prefix = exported_with_own_bytes(&file, "simgrid");
        let trace = format!("{}.trace.csv", prefix.display());
        let (output, text) = replay(&prefix, Path::new(&trace));
        assert!(output.status.success() && text.contains(" late 0 "), "{problem}: {text}");
        let schedule = pavane_model::timed::read_file(&file, 1 << 20).unwrap();
        let end = schedule.time.unwrap() as f64 * schedule.time_unit_ns.to_f64();
        let words: Vec<&str> = text.split_whitespace().collect();
        let found = words.iter().rposition(|word| *word == "time").map(|at| words[at + 1]);
        let found: f64 = found.unwrap().parse().unwrap();
        assert!((found - end).abs() <= 1e-6 * end, "{problem}: {found} ns, not {end} ns");
        // All sends at once share their channels.
        let text = std::fs::read_to_string(&trace).unwrap();
        let early: Vec<String> = text
            .lines()
            .map(|line| match line.split_once(',') {
                Some((start, rest)) if start != "start_ns" => format!("0,{rest}"),
                _ => line.to_owned(),
            })
            .collect();
        let damaged = prefix.with_extension("damaged.csv");
        std::fs::write(&damaged, early.join("\n")).unwrap();
        let (output, text) = replay(&prefix, &damaged);
        assert_eq!(output.status.code(), Some(1), "{problem}: {text}");
    }
}

/// Runs a Python program on several ranks under PyTorch, with the backend for processors.
fn ranks_of_torch(ranks: usize, program: &Path, argument: &Path) -> Vec<(Output, String)> {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let rank = |rank: usize| {
        // The module belongs to the system's own Python.
        let mut command = Command::new("/usr/bin/python3");
        command.arg(program).arg(argument).env("OMP_NUM_THREADS", "1");
        command.env("RANK", rank.to_string()).env("WORLD_SIZE", ranks.to_string());
        command.env("MASTER_ADDR", "127.0.0.1").env("MASTER_PORT", port.to_string());
        std::thread::spawn(move || run(&mut command))
    };
    let started: Vec<_> = (0..ranks).map(rank).collect();
    started.into_iter().map(|rank| rank.join().unwrap()).collect()
}

#[test]
#[ignore = "needs PyTorch"]
fn the_torch_module_gets_every_byte_right() {
    let folder = tempfile::tempdir().unwrap();
    for (problem, ranks) in [
        ("dgx-1v all-gather --chunks 6 --switching sf", 8),
        ("ring:5 all-reduce --chunks 2", 5),
        ("mesh:3x3 scatter --fault 1,1 --routing any --duplex half", 8),
    ] {
        let module = exported(&solved(folder.path(), problem), "torch");
        let backend = Path::new("--backend=gloo");
        let outputs = ranks_of_torch(ranks, &module, backend);
        assert!(
            outputs.iter().all(|(output, _)| output.status.success()),
            "{problem}: {outputs:?}"
        );
        let text = &outputs[0].1;
        assert!(text.contains("ok: ") && text.contains(" 0 wrong"), "{problem}: {text}");
    }
    // A module that stores a chunk in the wrong place notices it.
    let module = exported(&solved(folder.path(), "ring:4 all-gather"), "torch");
    let text = std::fs::read_to_string(&module).unwrap();
    let damaged = text.replacen("('o', 0), None),", "('o', 1), None),", 1);
    assert!(damaged != text);
    std::fs::write(&module, damaged).unwrap();
    let outputs = ranks_of_torch(4, &module, Path::new("--backend=gloo"));
    assert!(outputs.iter().all(|(output, _)| output.status.code() == Some(1)), "{outputs:?}");
    assert!(outputs[0].1.contains("FAILED: 4 ranks"), "{outputs:?}");
}

#[test]
#[ignore = "needs PyTorch"]
fn the_functions_of_torch_modules_agree_with_those_of_torch() {
    let folder = tempfile::tempdir().unwrap();
    for problem in [
        "all-gather --chunks 2",
        "all-to-all",
        "all-reduce",
        "broadcast --root 1",
        "reduce --root 2",
        "reduce-scatter --chunks 3",
    ] {
        let module = exported(&solved(folder.path(), &format!("ring:4 {problem}")), "torch");
        let name = problem.split(' ').next().unwrap();
        std::fs::rename(module, folder.path().join(name).with_extension("py")).unwrap();
    }
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/torch_functions.py");
    let outputs = ranks_of_torch(4, &program, folder.path());
    assert!(outputs.iter().all(|(output, _)| output.status.success()), "{outputs:?}");
    assert!(outputs[0].1.contains("ok"), "{outputs:?}");
}

/// Networks on chip that Verilator compiles and runs: the shortest periods of a torus and a mesh, two
/// processors per router with weights, several stages and phits, and words that do not wrap.
const CHIPS: &[&str] = &[
    "torus:4x4",
    "mesh:3x3",
    "ring:5@2 --depth 2 --phits 2",
    "unidirectional-torus:3x3 --no-wrap --fault 1,1 --routing any",
];

/// Compiles a design with its test bench. The objects of Verilator's own library are taken from `library`.
fn verilated(design: &Path, test_bench: &Path, library: Option<&Path>) -> PathBuf {
    let folder = design.with_extension("verilated");
    fs::create_dir_all(&folder).unwrap();
    for object in ["verilated.o", "verilated_threads.o", "verilated_timing.o"] {
        if let Some(library) = library {
            fs::copy(library.join(object), folder.join(object)).unwrap();
        }
    }
    let mut verilator = Command::new("verilator");
    verilator.args(["--binary", "--timing", "-j", "2", "--top-module", "tdm_test"]);
    verilator.args(["-MAKEFLAGS", "OPT_FAST=-O0", "-MAKEFLAGS", "OPT_GLOBAL=-O0", "--Mdir"]);
    let (output, text) = run(verilator.arg(&folder).arg(design).arg(test_bench));
    assert!(output.status.success(), "{}: {text}", design.display());
    folder
}

#[test]
#[ignore = "needs Verilator"]
fn every_word_arrives_in_the_network_on_chip() {
    let folder = tempfile::tempdir().unwrap();
    let mut library = None;
    for chip in CHIPS {
        let schedule = slot_table(folder.path(), chip);
        let name = exported(&schedule, "systemverilog");
        let file = |suffix: &str| PathBuf::from(format!("{}{suffix}", name.display()));
        let (design, test_bench) = (file(".sv"), file(".test.sv"));
        let program = verilated(&design, &test_bench, library.as_deref());
        let (output, text) = run(&mut Command::new(program.join("Vtdm_test")));
        assert!(output.status.success(), "{chip}: {text}");
        let stored = pavane_model::tdm::read_file(&schedule, 1 << 20).unwrap();
        let phits = stored.words.len() as u32 * stored.problem.rules().phits;
        let wanted = format!("PASS: {} phits in 3 periods of {} slots", 3 * phits, stored.period);
        assert!(text.contains(&wanted), "{chip}: {text}");
        if library.is_none() {
            damaged_chips_fail(&design, &test_bench, &program);
        }
        library.get_or_insert(program);
    }
}

/// A ROM with a changed entry, and a network interface that sends to another processor, must fail.
fn damaged_chips_fail(design: &Path, test_bench: &Path, library: &Path) {
    let text = fs::read_to_string(design).unwrap();
    let rom = text.lines().find(|line| line.contains(": select = {3'd1, ")).unwrap();
    let other_input = rom.replacen("{3'd1, ", "{3'd2, ", 1);
    let entry = text.lines().find(|line| line.contains("} = {1'd1, 4'd1, ")).unwrap();
    let other_receiver = entry.replacen("{1'd1, 4'd1, ", "{1'd1, 4'd2, ", 1);
    for (name, line, damaged) in
        [("rom.sv", rom, other_input), ("interface.sv", entry, other_receiver)]
    {
        let place = design.with_extension(name);
        fs::write(&place, text.replacen(line, &damaged, 1)).unwrap();
        let program = verilated(&place, test_bench, Some(library));
        let (output, told) = run(&mut Command::new(program.join("Vtdm_test")));
        assert!(!output.status.success() && told.contains("FAIL: "), "{name}: {told}");
    }
}
