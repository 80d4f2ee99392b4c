//! Fuzz targets: one function per reader. Ordinary tests replay the corpora through the same
//! functions.

use pavane::readers;
use pavane_interop::import::{Imported, ImportedError, from_plan, from_sccl};
use pavane_interop::plan;
use pavane_interop::tdm::read_traffic;
use pavane_model::collective::{self, Groups};
use pavane_model::format::{self, PhaseView, Stored};
use pavane_model::tdm::{TdmRefutation, TdmRules};
use pavane_model::{
    Bound, Collective, Kind, Model, Network, Ports, Problem, ProcessorId, Switching, TdmProblem,
    TdmSchedule, ThroughputPlan, TimedSchedule, faults, tdm, throughput, timed,
};
use pavane_networks::import::{self, FileKind};
use pavane_networks::{export_network, topology};
use pavane_traffic::{Memory, Policy, RoutingMethod, Simulator};
use pavane_verify::{
    check_bound_with, check_refuted_period, exact, judge, judge_plan_within, judge_tdm_within,
    judge_timed_within,
};
use std::fs;
use std::io;
use std::str;
use std::sync::OnceLock;
use tempfile::TempDir;

/// A reader under test.
pub type Target = fn(&[u8]);

/// All readers, by the name of their target and corpus.
pub const TARGETS: &[(&str, Target)] = &[
    ("spec", spec),
    ("toml", |data| network(data, FileKind::Toml)),
    ("json", |data| network(data, FileKind::Json)),
    ("graphml", |data| network(data, FileKind::GraphMl)),
    ("dot", |data| network(data, FileKind::Dot)),
    ("edges", |data| network(data, FileKind::EdgeList)),
    ("matrix", |data| network(data, FileKind::Matrix)),
    ("nccl", |data| network(data, FileKind::Nccl)),
    ("poseidon", |data| network(data, FileKind::Poseidon)),
    ("smi", |data| network(data, FileKind::Smi)),
    ("infiniband", |data| network(data, FileKind::InfiniBand)),
    ("collective", collective),
    ("messages", messages),
    ("faults", fault_file),
    ("traffic", traffic),
    ("mission", mission),
    ("routing", routing_table),
    ("verify", schedule),
    ("plan", gpu_plan),
    ("sccl", sccl),
    ("lrat", lrat),
    ("log", traffic_log),
    ("checkpoint", readers::checkpoint),
    ("index", index),
    ("folder", folder),
    ("atlas", readers::atlas),
    ("request", |data| readers::request(data, &small_network())),
];

/// Runs the target with the given name.
pub fn run(name: &str, data: &[u8]) {
    let target = TARGETS.iter().find(|(known, _)| *known == name);
    target.expect("every target is in the table").1(data);
}

/// Larger networks are read, but not examined further.
const SMALL: usize = 64;

/// Maximum number of routers, channels or processors of a network that is built: the target tests
/// reading, not building.
const MOST: u64 = 1 << 17;

/// Network names such as `torus:4x4@2`.
fn spec(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    if let Ok(network) = topology::build_within(text, MOST) {
        look_at(&network);
    }
}

fn network(data: &[u8], kind: FileKind) {
    let Ok(text) = str::from_utf8(data) else { return };
    if let Ok(network) = import::parse(text, "file", kind) {
        look_at(&network);
    }
}

/// Writes a network in every format, reads it back, and requires the same network.
fn look_at(network: &Network) {
    let size = network.channel_count().max(network.processor_count());
    if network.router_count() > SMALL || size > 8 * SMALL {
        return;
    }
    for (name, write) in export_network::FORMATS {
        let mut bytes = Vec::new();
        match write(network, &mut bytes) {
            // XML cannot contain control characters, and the writer refuses them.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => continue,
            written => written.expect("memory takes everything"),
        }
        let text = String::from_utf8(bytes).expect("formats are text");
        let path = format!("file.{name}");
        let kind = FileKind::of(path.as_ref(), &text);
        let back = import::parse(&text, &path, kind);
        let back = back.unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
        assert!(is_same(network, &back), "{name} changes it:\n{text}");
    }
}

fn is_same(one: &Network, other: &Network) -> bool {
    one.router_count() == other.router_count()
        && one.living_processors().eq(other.living_processors())
        && one.channels() == other.channels()
        && one.routers().all(|router| one.router_name(router) == other.router_name(router))
}

/// A small network with several processors per router, for inputs that refer to a network.
fn small_network() -> Network {
    topology::build("mesh:3x2@2").expect("a family of ours")
}

/// Names of collectives and groups, one per line: `NAME`, `ROOT`, `SENDERS`, `RECEIVERS`.
fn collective(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    let mut lines = text.lines().map(|line| Some(line.to_owned()).filter(|line| !line.is_empty()));
    let Some(Some(name)) = lines.next() else { return };
    // A name with a dot or a slash may be a file on this machine.
    if name.contains(['.', '/']) || std::path::Path::new(&name).exists() {
        return;
    }
    let mut next = || lines.next().flatten();
    let groups = Groups { root: next(), senders: next(), receivers: next() };
    let network = small_network();
    if let Ok(phases) = collective::build(&name, &network, &groups) {
        for phase in phases {
            let _ = Problem::new(network.clone(), phase, Model::default());
        }
    }
}

fn messages(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    let network = small_network();
    if let Ok(collective) = collective::message_file::parse("file", text, &network) {
        let _ = Problem::new(network, collective, Model::default());
    }
}

/// Traffic of TDM problems: CSV, or XML of poseidon.
fn traffic(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    let network = topology::build("mesh:3x2").expect("a family of ours");
    if let Ok(read) = read_traffic(text, "file", &network) {
        let _ = TdmProblem::new(network, read.demand, TdmRules::default(), 1000);
    }
}

fn fault_file(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    let network = small_network();
    let Ok(faults) = faults::parse_file("file", text, &network) else { return };
    if let Ok(broken) = network.without(&faults) {
        look_at(&broken);
    }
}

fn mission(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    let network = small_network();
    if let Ok(mission) = pavane_traffic::mission::parse("file", text, &network) {
        let routing = RoutingMethod::find("e-cube", &network).expect("a mesh has it");
        simulate(network, routing, &mission);
    }
}

fn routing_table(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    let network = small_network();
    if let Ok(table) = pavane_traffic::routing::parse_table("file", text, &network) {
        let mission = pavane_traffic::mission::parse("file", "0,0,11,5\n0,3,8,2\n", &network);
        simulate(network, RoutingMethod::Table(table), &mission.expect("it is one"));
    }
}

fn simulate(network: Network, routing: RoutingMethod, mission: &pavane_traffic::Mission) {
    let simulator = Simulator::new(network, pavane_model::Duplex::Half, routing);
    let mut memory = Memory::default();
    if simulator.route(mission, 1, &mut memory.routes).is_err() {
        return;
    }
    let policy = Policy::find("lbf").expect("one of ours");
    for switching in [
        pavane_traffic::SwitchingMethod::StoreAndForward,
        pavane_traffic::SwitchingMethod::Circuit,
        pavane_traffic::SwitchingMethod::CutThrough,
        pavane_traffic::SwitchingMethod::Wormhole(1),
    ] {
        let _ = simulator.run(mission, switching, policy, &mut memory, &mut ());
    }
}

/// Schedule files and refutations. Reads and judges them, with a proof that is correct for one
/// problem. Valid schedules are written, read back and compared.
fn schedule(data: &[u8]) {
    let open = |_: &str| Ok(Box::new(PROOF) as Box<dyn io::BufRead>);
    let phases = match format::read_stored(data, "file", 10_000) {
        Err(_) => return,
        Ok(Stored::Schedule(phases, _)) => phases,
        Ok(Stored::Refutation(refutation)) => {
            let _ = check_bound_with(&refutation.problem, &refutation.bound, &open);
            return;
        }
        Ok(Stored::Throughput(plan)) => return throughput_plan(&plan),
        Ok(Stored::Timed(schedule)) => return timed_schedule(&schedule),
        Ok(Stored::Tdm(schedule)) => return tdm_schedule(&schedule),
        Ok(Stored::TdmRefutation(refutation)) => return refuted_period(&refutation),
    };
    for phase in phases {
        let (problem, schedule) = (phase.problem, phase.schedule);
        let verdict = judge(problem, schedule, phase.bound.as_ref(), &open);
        for violation in &verdict.violations {
            assert!(!violation.to_string().is_empty());
        }
        let Some(checked) = verdict.checked else { continue };
        assert!(
            verdict.proved <= verdict.steps,
            "{} steps, at least {}",
            verdict.steps,
            verdict.proved
        );
        write_and_read(&checked, phase.bound.as_ref());
    }
}

/// Judges a timed schedule: no valid one beats a proved bound. Writes it and reads it back.
fn timed_schedule(schedule: &TimedSchedule) {
    if let Ok(verdict) = judge_timed_within(schedule, Some(1_000_000)) {
        for violation in &verdict.violations {
            assert!(!violation.to_string().is_empty());
        }
        let is_beaten = verdict.proved_ns.is_some_and(|proved| proved > verdict.time_ns);
        assert!(!verdict.is_valid() || !is_beaten);
    }
    let mut bytes = Vec::new();
    timed::write(&mut bytes, schedule, &Default::default()).expect("memory can be written");
    let back = timed::read(&bytes[..], "written", 10_000).expect("what is written is read");
    assert_eq!(&back.phases, &schedule.phases);
}

/// Judges a TDM schedule: no valid one beats a proved bound. Writes it and reads it back.
fn tdm_schedule(schedule: &TdmSchedule) {
    let verdict =
        judge_tdm_within(schedule, &|_| Err(io::ErrorKind::NotFound.into()), Some(1_000_000));
    for violation in &verdict.violations {
        assert!(!violation.to_string().is_empty());
    }
    assert!(!verdict.is_valid() || verdict.proved.is_none_or(|proved| proved <= verdict.period));
    let mut bytes = Vec::new();
    tdm::write(&mut bytes, schedule, &Default::default()).expect("memory can be written");
    let back = tdm::read(&bytes[..], "written", 10_000).expect("what is written is read");
    assert_eq!(&back, schedule);
}

/// Judges a refuted period. Writes it and reads it back.
fn refuted_period(refutation: &TdmRefutation) {
    let no_proof = |_: &str| Err(io::ErrorKind::NotFound.into());
    let _ = check_refuted_period(refutation, &no_proof, Some(1_000_000));
    let mut bytes = Vec::new();
    let more = Default::default();
    tdm::write_refutation(&mut bytes, refutation, &more).expect("memory can be written");
    let back = tdm::read_refutation(&bytes[..], "written", 10_000);
    assert_eq!(&back.expect("what is written is read"), refutation);
}

/// Judges a throughput plan: no valid one beats a proved limit. Writes it and reads it back.
fn throughput_plan(plan: &ThroughputPlan) {
    if let Ok(verdict) = judge_plan_within(plan, Some(1_000_000)) {
        for violation in &verdict.violations {
            assert!(!violation.to_string().is_empty());
        }
        assert!(!verdict.is_valid() || verdict.proved.is_none_or(|proved| proved <= verdict.time));
    }
    let mut bytes = Vec::new();
    throughput::write(&mut bytes, plan, &Default::default()).expect("memory can be written");
    let back = throughput::read(&bytes[..], "written", 10_000).expect("what is written is read");
    assert_eq!(&back.phases, &plan.phases);
}

fn write_and_read(checked: &pavane_verify::CheckedSchedule, bound: Option<&Bound>) {
    let (problem, schedule) = (checked.problem(), checked.schedule());
    let mut bytes = Vec::new();
    let views = [PhaseView { problem, schedule, bound }];
    format::write(&mut bytes, "name", &views, &Default::default())
        .expect("memory takes everything");
    let back = format::read(&bytes[..], "written", 10_000).unwrap_or_else(|error| {
        panic!("{error}\n{}", String::from_utf8_lossy(&bytes));
    });
    assert_eq!(back.len(), 1);
    assert_eq!(&back[0].schedule, schedule, "{}", String::from_utf8_lossy(&bytes));
}

/// MSCCL XML and MSCCL++ JSON: read, run, compared with the definition, and imported as a schedule.
fn gpu_plan(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    let Ok(plan) = plan::read(text) else { return };
    for fault in plan.faults() {
        assert!(!fault.to_string().is_empty());
    }
    let complete = Some(topology::build("complete:4").expect("a family of ours"));
    judge_imported(from_plan(&plan, complete, Model::default()));
}

fn sccl(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    let stored = Model { switching: Switching::StoreAndForward, ..Model::default() };
    judge_imported(from_sccl(text, None, stored));
    let complete = Some(topology::build("complete:4").expect("a family of ours"));
    judge_imported(from_sccl(text, complete, Model::default()));
}

fn judge_imported(imported: Result<Vec<Imported>, ImportedError>) {
    for phase in imported.into_iter().flatten() {
        let _ = pavane_verify::verify(phase.problem, phase.schedule);
    }
}

/// Proofs about a problem that takes five steps: a proof that five are too few must be refused.
fn lrat(data: &[u8]) {
    let network = topology::build("path:4").expect("a family of ours");
    let all: Vec<ProcessorId> = network.living_processors().collect();
    let collective = Collective::between(Kind::Broadcast, "aab", all.clone(), all);
    let switching = Switching::StoreAndForward;
    let model = Model { ports: Ports::Limited(1), switching, ..Model::default() };
    let problem = Problem::new(network, collective, model).expect("every processor is reached");
    let _ = exact::check_refutation(&problem, STEPS - 1, &mut &data[..]);
    assert!(exact::check_refutation(&problem, STEPS, &mut &data[..]).is_err(), "it is possible");
}

/// Proof that all-gather on a path of four takes more than four steps, with one port and
/// store-and-forward.
const PROOF: &[u8] = include_bytes!("../corpus/lrat/path4");

/// The number of steps that it takes.
const STEPS: u32 = 5;

fn traffic_log(data: &[u8]) {
    if let Ok(text) = str::from_utf8(data) {
        readers::traffic_log(text);
    }
}

/// Schedules for an index to refer to, for a ring of three and a path of three with faults.
const SCHEDULES: [(&str, &[u8]); 10] = [
    ("ring-1.json", include_bytes!("../folder/ring-1.json")),
    ("ring-2.json", include_bytes!("../folder/ring-2.json")),
    ("ring-3.json", include_bytes!("../folder/ring-3.json")),
    ("ring-4.json", include_bytes!("../folder/ring-4.json")),
    ("ring-no-fault.json", include_bytes!("../folder/ring-no-fault.json")),
    ("path-aas-1.json", include_bytes!("../folder/path-aas-1.json")),
    ("path-aas-no-fault.json", include_bytes!("../folder/path-aas-no-fault.json")),
    ("path-oas-1.json", include_bytes!("../folder/path-oas-1.json")),
    ("path-oas-3.json", include_bytes!("../folder/path-oas-3.json")),
    ("path-oas-no-fault.json", include_bytes!("../folder/path-oas-no-fault.json")),
];

/// Indexes of a folder with those schedules.
fn index(data: &[u8]) {
    static FOLDER: OnceLock<TempDir> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let folder = TempDir::new().expect("there is room for a folder");
        for (name, bytes) in SCHEDULES {
            fs::write(folder.path().join(name), bytes).expect("there is room for a file");
        }
        folder
    });
    readers::index(data, folder.path());
}

/// Folders of `pavane faults --save`: the index and the files that it names, each after a line
/// `=== NAME`.
fn folder(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    let place = TempDir::new().expect("there is room for a folder");
    let mut index = None;
    for part in text.split("=== ").skip(1) {
        let Some((name, content)) = part.split_once('\n') else { continue };
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-.".contains(letter);
        if name == "index.json" {
            index = Some(content);
        } else if name.starts_with(char::is_alphanumeric)
            && name.len() < 64
            && name.chars().all(is_plain)
        {
            fs::write(place.path().join(name), content).expect("there is room for a file");
        }
    }
    if let Some(index) = index {
        readers::index(index.as_bytes(), place.path());
    }
}
