//! Measures the judge's speed and memory use on large schedules that are valid by construction:
//! `cargo bench -p pavane-verify`.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use pavane_model::format::{Phase, read_file, write};
use pavane_model::{
    ChannelId, Collective, Kind, MessageId, Model, Network, NetworkBuilder, Problem, ProcessorId,
    Schedule, Switching, Transfer,
};

type Build = fn() -> (Problem, Schedule);

const CASES: &[(&str, Build)] = &[
    ("all-to-all scatter, hypercube:10", || all_to_all_scatter(10)),
    ("all-to-all gather, hypercube:10", || all_to_all_gather(10)),
    ("all-to-all broadcast, store-and-forward, hypercube:10", || broadcast_store_and_forward(10)),
    ("one-to-all broadcast, hypercube:16", || broadcast_wormhole(16)),
];

/// All-to-all cases that are also written to a file and read back.
const FILES: &[(&str, u32)] = &[
    ("file of all-to-all scatter, hypercube:10", 10),
    ("file of all-to-all scatter, hypercube:12", 12),
];

/// Runs each case in its own process, so that its memory figures do not include other cases.
fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    if let Some((name, build)) = CASES.iter().find(|(name, _)| arguments.iter().any(|a| a == name))
    {
        let (problem, schedule) = build();
        measure(name, problem, schedule);
        return Ok(());
    }
    if let Some((name, dimensions)) =
        FILES.iter().find(|(name, _)| arguments.iter().any(|a| a == name))
    {
        return measure_file(name, *dimensions);
    }
    let names = CASES.iter().map(|case| case.0).chain(FILES.iter().map(|case| case.0));
    for name in names {
        std::process::Command::new(std::env::current_exe()?).arg(name).status()?;
    }
    Ok(())
}

/// Writes a schedule to a file, drops it, reads the file back and judges the schedule in it.
fn measure_file(name: &str, dimensions: u32) -> std::io::Result<()> {
    let place = tempfile::NamedTempFile::new()?;
    let (problem, schedule) = all_to_all_scatter(dimensions);
    let phase = Phase { problem, bound: None, schedule };
    let start = processor_seconds();
    let mut out = std::io::BufWriter::with_capacity(1 << 16, place.as_file());
    write(&mut out, "benchmark", &[phase.view()], &serde_json::Map::new())?;
    std::io::Write::flush(&mut out)?;
    let seconds = processor_seconds() - start;
    let megabytes = place.as_file().metadata()?.len() as f64 / 1e6;
    println!("{name}: {} transfers, {megabytes:.0} MB", phase.schedule.transfer_count());
    println!("  written in {seconds:.2} s of processor time, {:.0} MB/s", megabytes / seconds);
    drop((out, phase));
    reset_peak();
    let start = processor_seconds();
    let read = read_file(place.path(), u64::MAX).map_err(std::io::Error::other)?;
    let seconds = processor_seconds() - start;
    let peak = status("VmHWM") / 1024;
    println!("  read in {seconds:.2} s, {:.0} MB/s, {peak} MiB at the most", megabytes / seconds);
    let start = processor_seconds();
    for phase in read {
        let verdict = pavane_verify::judge(phase.problem, phase.schedule, None, &|name| {
            Err(std::io::Error::other(format!("{name}: there is no proof here")))
        });
        let peak = status("VmHWM") / 1024;
        let seconds = processor_seconds() - start;
        println!("  judged in {seconds:.2} s, {peak} MiB at the most: {}", verdict.is_valid());
    }
    Ok(())
}

fn measure(name: &str, problem: Problem, schedule: Schedule) {
    let (steps, transfers) = (schedule.step_count(), schedule.transfer_count());
    let uses = schedule.channel_uses();
    let before = status("VmRSS");
    reset_peak();
    let start = processor_seconds();
    let verdict = pavane_verify::verify(problem, schedule);
    let seconds = processor_seconds() - start;
    let more = status("VmHWM").saturating_sub(before) * 1024;
    let verdict = match verdict {
        Ok(_) => "valid".to_owned(),
        Err(violations) => violations[0].to_string(),
    };
    println!("{name}: {steps} steps, {transfers} transfers, {uses} channel uses: {verdict}");
    println!(
        "  {seconds:.3} s of processor time, {:.1} million channel uses per second, {:.1} bytes more per channel use",
        uses as f64 / seconds / 1e6,
        more as f64 / uses as f64
    );
}

/// CPU time of this process as reported by Linux. It is independent of other load on the machine.
fn processor_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let nanoseconds: f64 =
        text.split_whitespace().next().and_then(|number| number.parse().ok()).unwrap_or(f64::NAN);
    nanoseconds * 1e-9
}

/// A memory figure of this process in kilobytes, from `/proc/self/status`; 0 on other systems.
fn status(field: &str) -> usize {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(field)).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// Resets the peak memory use recorded by the kernel.
fn reset_peak() {
    if let Err(error) = std::fs::write("/proc/self/clear_refs", "5") {
        println!("  (the peak cannot be reset here, so it includes what came before: {error})");
    }
}

struct Hypercube {
    dimensions: u32,
    network: Network,
    /// The channel that leaves router `x` in dimension `d` is at `x * dimensions + d`.
    channel: Vec<ChannelId>,
}

fn hypercube(dimensions: u32) -> Hypercube {
    let routers = 1u32 << dimensions;
    let mut builder = NetworkBuilder::new(format!("hypercube:{dimensions}"), routers);
    let mut channel = vec![ChannelId(0); (routers * dimensions) as usize];
    for router in 0..routers {
        for dimension in 0..dimensions {
            let other = router ^ 1 << dimension;
            if router < other {
                let first = builder.channel_count() as u32;
                builder.link(router, other);
                channel[(router * dimensions + dimension) as usize] = ChannelId(first);
                channel[(other * dimensions + dimension) as usize] = ChannelId(first + 1);
            }
        }
    }
    builder.processor_on_each_router();
    let network = builder.build().expect("a hypercube is well formed");
    Hypercube { dimensions, network, channel }
}

impl Hypercube {
    /// Path that corrects the differing bits from lowest to highest (e-cube routing).
    fn path(&self, from: u32, to: u32, path: &mut Vec<ChannelId>) {
        path.clear();
        let mut at = from;
        for dimension in (0..self.dimensions).filter(|dimension| (from ^ to) >> dimension & 1 == 1)
        {
            path.push(self.channel[(at * self.dimensions + dimension) as usize]);
            at ^= 1 << dimension;
        }
    }

    fn problem(&self, kind: Kind, senders: u32, model: Model) -> Problem {
        let processors = |count| (0..count).map(ProcessorId).collect();
        let all = self.network.processor_count() as u32;
        let collective =
            Collective::between(kind, "benchmark", processors(senders), processors(all));
        Problem::new(self.network.clone(), collective, model).expect("all reach all")
    }
}

/// In step `v`, every processor sends to the two processors whose numbers differ from its own in
/// exactly the bits of `v` and in exactly the other bits. Together that is one transfer per
/// dimension from every router.
fn all_to_all_scatter(dimensions: u32) -> (Problem, Schedule) {
    let cube = hypercube(dimensions);
    let all = 1u32 << dimensions;
    let problem = cube.problem(Kind::Scatter, all, Model::default());
    let mut schedule = Schedule::new();
    let mut path = Vec::new();
    for difference in 0..all / 2 {
        schedule.start_step();
        for from in 0..all {
            for to in [from ^ difference, from ^ (all - 1 - difference)] {
                if from != to {
                    let place = if to > from { to - 1 } else { to };
                    cube.path(from, to, &mut path);
                    let message = MessageId(from * (all - 1) + place);
                    let (from, to) = (ProcessorId(from), ProcessorId(to));
                    schedule.push(Transfer { message, from, to, path: &path });
                }
            }
        }
    }
    (problem, schedule)
}

fn all_to_all_gather(dimensions: u32) -> (Problem, Schedule) {
    let (scatter, schedule) = all_to_all_scatter(dimensions);
    let collective = scatter.collective().turned_round();
    let gather = Problem::new(scatter.network().reversed(), collective, scatter.model());
    (gather.expect("all reach all in a hypercube"), schedule.reversed())
}

/// Every processor forwards every message in one dimension per step. The tree of a message with
/// origin `o` is the tree of origin 0 translated by `o`, so one edge of the tree takes a whole
/// step.
fn broadcast_store_and_forward(dimensions: u32) -> (Problem, Schedule) {
    let cube = hypercube(dimensions);
    let all = 1u32 << dimensions;
    let model = Model { switching: Switching::StoreAndForward, ..Model::default() };
    let problem = cube.problem(Kind::Broadcast, all, model);
    let mut schedule = Schedule::new();
    let mut path = Vec::new();
    for offset in 1..all {
        let parent = offset & (offset - 1);
        schedule.start_step();
        for origin in 0..all {
            let (from, to) = (origin ^ parent, origin ^ offset);
            cube.path(from, to, &mut path);
            let (message, from, to) = (MessageId(origin), ProcessorId(from), ProcessorId(to));
            schedule.push(Transfer { message, from, to, path: &path });
        }
    }
    (problem, schedule)
}

/// Covers four dimensions per round. In each round every holder sends, one after another, to the 15
/// processors that differ within those dimensions, and also flips all lower bits to make the paths
/// long.
fn broadcast_wormhole(dimensions: u32) -> (Problem, Schedule) {
    let cube = hypercube(dimensions);
    let problem = cube.problem(Kind::Broadcast, 1, Model::default());
    let mut schedule = Schedule::new();
    let mut path = Vec::new();
    for low in (0..dimensions).step_by(4) {
        for difference in 1..16u32 {
            schedule.start_step();
            for from in 0..1u32 << low {
                let to = from ^ ((difference << low) | ((1 << low) - 1));
                cube.path(from, to, &mut path);
                let (message, from, to) = (MessageId(0), ProcessorId(from), ProcessorId(to));
                schedule.push(Transfer { message, from, to, path: &path });
            }
        }
    }
    (problem, schedule)
}
