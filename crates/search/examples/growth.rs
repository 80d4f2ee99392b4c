//! How time and memory of the constructive engines grow with the channel uses of what they build, on
//! networks of doubling size. `growth DIRECTORY` measures everything, every case in a process of its
//! own, and writes `growth.md` and `growth.svg` there. It reads `/proc`, so it runs on Linux only.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program for measuring by hand")]

use pavane_model::collective::{self, Groups};
use pavane_model::{Model, Problem, Routing, Switching};
use pavane_networks::topology;
use pavane_search::broadcast::{HopByHop, Layered, NestedSets};
use pavane_search::gossip::Gossip;
use pavane_search::scatter::store_and_forward::RelayOrbits;
use pavane_search::scatter::subtrees::Subtrees;
use pavane_search::scatter::wormhole::{Ejection, Orbits};
use pavane_search::{Attempt, Budget, Context, Engine, Rng, bounds};
use pavane_verify::verify;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Name, engine, collective, networks of doubling size.
struct Series {
    name: &'static str,
    collective: &'static str,
    kind: Kind,
    networks: &'static [&'static str],
}

/// The engine, under which rules, and whether it is to reach the bound or just to build.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    BroadcastBuilt,
    BroadcastMinimal,
    ScatterTiled,
    BroadcastAny,
    BroadcastStored,
    GossipStored,
    ScatterBuilt,
    ScatterStored,
    ScatterOfOne,
}

const SERIES: &[Series] = &[
    Series {
        name: "oab, wormhole, minimal routing, hypercubes, first schedule",
        collective: "oab",
        kind: Kind::BroadcastBuilt,
        networks: &[
            "hypercube:10",
            "hypercube:11",
            "hypercube:12",
            "hypercube:13",
            "hypercube:14",
            "hypercube:15",
            "hypercube:16",
        ],
    },
    Series {
        name: "oab, wormhole, minimal routing, hypercubes, at the bound (a search)",
        collective: "oab",
        kind: Kind::BroadcastMinimal,
        networks: &[
            "hypercube:8",
            "hypercube:9",
            "hypercube:10",
            "hypercube:11",
            "hypercube:12",
            "hypercube:13",
            "hypercube:14",
            "hypercube:15",
            "hypercube:16",
        ],
    },
    Series {
        name: "oab, wormhole, any routing, tori, at the bound",
        collective: "oab",
        kind: Kind::BroadcastAny,
        networks: &[
            "torus:16x32",
            "torus:32x32",
            "torus:32x64",
            "torus:64x64",
            "torus:64x128",
            "torus:128x128",
            "torus:128x256",
            "torus:256x256",
            "torus:256x512",
            "torus:512x512",
        ],
    },
    Series {
        name: "oab, store-and-forward, tori",
        collective: "oab",
        kind: Kind::BroadcastStored,
        networks: &[
            "torus:32x32",
            "torus:32x64",
            "torus:64x64",
            "torus:64x128",
            "torus:128x128",
            "torus:128x256",
            "torus:256x256",
        ],
    },
    Series {
        name: "aab, store-and-forward, hypercubes (by symmetry from 512 routers on)",
        collective: "aab",
        kind: Kind::GossipStored,
        networks: &[
            "hypercube:5",
            "hypercube:6",
            "hypercube:7",
            "hypercube:8",
            "hypercube:9",
            "hypercube:10",
            "hypercube:11",
            "hypercube:12",
        ],
    },
    Series {
        name: "aab, store-and-forward, random 4-regular networks",
        collective: "aab",
        kind: Kind::GossipStored,
        networks: &[
            "random-regular:32,4,1",
            "random-regular:64,4,1",
            "random-regular:128,4,1",
            "random-regular:256,4,1",
            "random-regular:512,4,1",
            "random-regular:1024,4,1",
            "random-regular:2048,4,1",
        ],
    },
    Series {
        name: "aas, wormhole, first schedule, tori",
        collective: "aas",
        kind: Kind::ScatterBuilt,
        networks: &[
            "torus:4x4",
            "torus:4x8",
            "torus:8x8",
            "torus:8x16",
            "torus:16x16",
            "torus:16x32",
        ],
    },
    Series {
        name: "aas, wormhole, tori by tiles, at the bound",
        collective: "aas",
        kind: Kind::ScatterTiled,
        networks: &[
            "torus:10x10",
            "torus:12x12",
            "torus:14x14",
            "torus:16x16",
            "torus:20x20",
            "torus:24x24",
            "torus:32x32",
        ],
    },
    Series {
        name: "aas, wormhole, first schedule, random 4-regular networks",
        collective: "aas",
        kind: Kind::ScatterBuilt,
        networks: &[
            "random-regular:32,4,1",
            "random-regular:64,4,1",
            "random-regular:128,4,1",
            "random-regular:256,4,1",
            "random-regular:512,4,1",
        ],
    },
    Series {
        name: "aas, store-and-forward, hypercubes by symmetry, first schedule",
        collective: "aas",
        kind: Kind::ScatterStored,
        networks: &[
            "hypercube:5",
            "hypercube:6",
            "hypercube:7",
            "hypercube:8",
            "hypercube:9",
            "hypercube:10",
        ],
    },
    Series {
        name: "oas, wormhole, tori, one tree of even branches",
        collective: "oas",
        kind: Kind::ScatterOfOne,
        networks: &[
            "torus:8x8",
            "torus:8x16",
            "torus:16x16",
            "torus:16x32",
            "torus:32x32",
            "torus:32x64",
            "torus:64x64",
            "torus:64x128",
            "torus:128x128",
        ],
    },
];

/// What one case came to.
#[derive(Clone, Copy)]
struct Measured {
    uses: f64,
    milliseconds: f64,
    mebibytes: f64,
    steps: u32,
    bound: u32,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [series, network] => measure(series.parse().unwrap(), network),
        [directory] => write_all(Path::new(directory)),
        _ => println!("growth DIRECTORY: write growth.md and growth.svg there"),
    }
}

/// Nanoseconds of processor time of this thread; engines work on the thread that calls them.
fn processor_time() -> f64 {
    // The count is brought up to date when the thread leaves the processor.
    std::thread::sleep(std::time::Duration::from_millis(1));
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    text.split(' ').next().unwrap().parse().unwrap()
}

/// The most memory that was in use so far, in mebibytes.
fn peak_memory() -> f64 {
    let text = fs::read_to_string("/proc/self/status").unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<f64>().unwrap() / 1024.0
}

/// One case, in this process: prints channel uses, time, memory, steps and bound.
fn measure(series: usize, network: &str) {
    let Series { kind, collective, .. } = SERIES[series];
    let memory_before = peak_memory();
    let network = topology::build(network).unwrap();
    let collective = collective::build(collective, &network, &Groups::default()).unwrap().remove(0);
    let model = Model {
        switching: match kind {
            Kind::BroadcastStored | Kind::GossipStored | Kind::ScatterStored => {
                Switching::StoreAndForward
            }
            _ => Switching::Wormhole,
        },
        routing: if kind == Kind::BroadcastAny { Routing::Any } else { Routing::Minimal },
        ..Model::default()
    };
    let engine: &dyn Engine = match kind {
        Kind::BroadcastBuilt | Kind::BroadcastMinimal => &Layered,
        Kind::BroadcastAny => &NestedSets,
        Kind::BroadcastStored => &HopByHop,
        Kind::GossipStored => &Gossip,
        Kind::ScatterBuilt => &Ejection,
        Kind::ScatterTiled => &Orbits,
        Kind::ScatterStored => &RelayOrbits,
        Kind::ScatterOfOne => &Subtrees,
    };
    let problem = Problem::with_limit(network, collective, model, u64::MAX).unwrap();
    let bound = match kind {
        // The bound of a scatter is a computation of its own, and nothing here depends on it.
        Kind::ScatterBuilt | Kind::ScatterStored => 0,
        _ => bounds::all(&problem).unwrap().best.steps,
    };
    let context = Context::new(problem);
    if kind == Kind::ScatterBuilt {
        // So are prices, whose rounds are limited whatever the size.
        let even = vec![1.0; context.problem().network().channel_count()];
        context.set_prices(Some(&even));
    }
    let rng = &mut Rng::seeded(1);
    let mut budget = Budget::evaluations(u64::MAX);
    let start = processor_time();
    let schedule = match kind {
        Kind::BroadcastMinimal | Kind::BroadcastAny | Kind::ScatterTiled => {
            let Attempt::Found(schedule) = engine.attempt(&context, bound, &mut budget, rng) else {
                unreachable!("without a limit it goes on until it is found")
            };
            schedule
        }
        _ => engine.construct(&context, &mut budget, rng).unwrap(),
    };
    let milliseconds = (processor_time() - start) / 1e6;
    let mebibytes = peak_memory() - memory_before;
    let checked = verify(context.problem().clone(), schedule).unwrap();
    let (uses, steps) = (checked.schedule().channel_uses(), checked.schedule().step_count());
    println!("{uses} {milliseconds} {mebibytes} {steps} {bound}");
}

fn measured_apart(series: usize, network: &str) -> Measured {
    let program = std::env::current_exe().unwrap();
    let output = Command::new(program).args([&series.to_string(), network]).output().unwrap();
    assert!(output.status.success(), "{network}: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let numbers: Vec<f64> = text.split_whitespace().map(|n| n.parse().unwrap()).collect();
    Measured {
        uses: numbers[0],
        milliseconds: numbers[1],
        mebibytes: numbers[2],
        steps: numbers[3] as u32,
        bound: numbers[4] as u32,
    }
}

fn write_all(directory: &Path) {
    let mut results: Vec<Vec<Measured>> = Vec::new();
    for (number, series) in SERIES.iter().enumerate() {
        let measured = series.networks.iter().map(|network| {
            // Of three runs the quickest was disturbed least.
            let runs = (0..3).map(|_| measured_apart(number, network));
            let measured = runs.min_by(|a, b| a.milliseconds.total_cmp(&b.milliseconds)).unwrap();
            println!("{}: {network} {:.0} ms", series.name, measured.milliseconds);
            measured
        });
        results.push(measured.collect());
    }
    fs::write(directory.join("growth.md"), table(&results)).unwrap();
    fs::write(directory.join("growth.svg"), plot(&results)).unwrap();
}

/// The slope of the best line through the logarithms. Cases too small to be measured are left out.
fn exponent(points: &[(f64, f64)], least: f64) -> f64 {
    let points: Vec<(f64, f64)> =
        points.iter().filter(|p| p.1 >= least).map(|p| (p.0.ln(), p.1.ln())).collect();
    let count = points.len() as f64;
    let (x, y) =
        points.iter().fold((0.0, 0.0), |sum, p| (sum.0 + p.0 / count, sum.1 + p.1 / count));
    let above: f64 = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    let below: f64 = points.iter().map(|p| (p.0 - x) * (p.0 - x)).sum();
    above / below
}

/// Less than this is too little to be measured.
const LEAST_MILLISECONDS: f64 = 0.5;
const LEAST_MEBIBYTES: f64 = 1.0;

fn times(results: &[Measured]) -> Vec<(f64, f64)> {
    results.iter().map(|m| (m.uses, m.milliseconds)).collect()
}

fn memories(results: &[Measured]) -> Vec<(f64, f64)> {
    results.iter().map(|m| (m.uses, m.mebibytes)).collect()
}

fn table(results: &[Vec<Measured>]) -> String {
    let mut text = String::from(
        "# Growth

Processor time and memory of the constructive engines, plotted against the channel uses of the schedules they build, on
networks of doubling size: one thread, one seed, the fastest of three runs. The exponent is the slope of a least-squares line through the
logarithms (cases under half a millisecond or one mebibyte are excluded): 1 means that time or memory
doubles with the channel uses. Time is that of the engine alone; memory is the peak of the whole process
minus its memory at start-up. For the first schedules of all-to-all (bound –) the bound is not computed, and under
wormhole switching the prices are all equal. The rows that reach the bound
of a broadcast under minimal routing are a randomised search, listed for comparison: near the bound its time depends on the seed.

![growth](growth.svg)

Generated by `cargo run --release -p pavane-search --example growth -- docs`. Times differ between
machines, exponents hardly.

| what | exponent of time | exponent of memory |
|---|---|---|
",
    );
    for (series, results) in SERIES.iter().zip(results) {
        let time = exponent(&times(results), LEAST_MILLISECONDS);
        let memory = exponent(&memories(results), LEAST_MEBIBYTES);
        writeln!(text, "| {} | {time:.2} | {memory:.2} |", series.name).unwrap();
    }
    for (series, results) in SERIES.iter().zip(results) {
        write!(text, "\n## {}\n\n", series.name).unwrap();
        text.push_str("| network | steps | bound | channel uses | ms | MiB |\n");
        text.push_str("|---|---|---|---|---|---|\n");
        for (network, m) in series.networks.iter().zip(results) {
            let bound = if m.bound > 0 { m.bound.to_string() } else { "–".to_owned() };
            let (steps, uses, ms, mib) = (m.steps, m.uses, m.milliseconds, m.mebibytes);
            writeln!(text, "| {network} | {steps} | {bound} | {uses} | {ms:.1} | {mib:.1} |")
                .unwrap();
        }
    }
    text
}

const COLOURS: [&str; 9] = [
    "#1b6ca8", "#c8553d", "#3a7d44", "#8e5ea2", "#b8860b", "#444444", "#d14d8b", "#00868b",
    "#7a5230",
];

fn plot(results: &[Vec<Measured>]) -> String {
    let mut svg = String::from(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 960 560\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"960\" height=\"560\" fill=\"white\"/>\n",
    );
    let all: Vec<Vec<(f64, f64)>> = results.iter().map(|r| times(r)).collect();
    panel(&mut svg, 60.0, "processor time, ms", &all, LEAST_MILLISECONDS);
    let all: Vec<Vec<(f64, f64)>> = results.iter().map(|r| memories(r)).collect();
    panel(&mut svg, 540.0, "peak memory, MiB", &all, LEAST_MEBIBYTES);
    for (number, (series, colour)) in SERIES.iter().zip(COLOURS).enumerate() {
        let y = 440 + 17 * number;
        let (text_y, name) = (y + 4, series.name);
        writeln!(
            svg,
            "<rect x=\"60\" y=\"{}\" width=\"16\" height=\"4\" fill=\"{colour}\"/>",
            y - 2
        )
        .unwrap();
        writeln!(svg, "<text x=\"84\" y=\"{text_y}\">{name}</text>").unwrap();
    }
    svg.push_str("</svg>\n");
    svg
}

/// One plot on logarithmic scales, 380 by 340, with its left edge at `left`.
fn panel(svg: &mut String, left: f64, title: &str, lines: &[Vec<(f64, f64)>], least: f64) {
    let points = || lines.iter().flatten().filter(|p| p.1 >= least);
    let decades = |value: &dyn Fn(&(f64, f64)) -> f64| {
        let low = points().map(value).fold(f64::INFINITY, f64::min).log10().floor();
        let high = points().map(value).fold(0.0, f64::max).log10().ceil();
        (low, high)
    };
    let ((x_low, x_high), (y_low, y_high)) = (decades(&|p| p.0), decades(&|p| p.1));
    let x = |value: f64| left + 380.0 * (value.log10() - x_low) / (x_high - x_low);
    let y = |value: f64| 380.0 - 340.0 * (value.log10() - y_low) / (y_high - y_low);
    writeln!(svg, "<text x=\"{left}\" y=\"24\" font-weight=\"bold\">{title}</text>").unwrap();
    for decade in x_low as i32..=x_high as i32 {
        let at = x(10f64.powi(decade));
        writeln!(svg, "<path d=\"M{at:.1} 40V380\" stroke=\"#ddd\"/>").unwrap();
        writeln!(svg, "<text x=\"{at:.1}\" y=\"396\" text-anchor=\"middle\">1e{decade}</text>")
            .unwrap();
    }
    for decade in y_low as i32..=y_high as i32 {
        let at = y(10f64.powi(decade));
        writeln!(svg, "<path d=\"M{left} {at:.1}h380\" stroke=\"#ddd\"/>").unwrap();
        let (text_x, text_y) = (left - 6.0, at + 4.0);
        let text = 10f64.powi(decade);
        writeln!(svg, "<text x=\"{text_x}\" y=\"{text_y:.1}\" text-anchor=\"end\">{text}</text>")
            .unwrap();
    }
    let middle = left + 190.0;
    writeln!(svg, "<text x=\"{middle}\" y=\"414\" text-anchor=\"middle\">channel uses</text>")
        .unwrap();
    for (line, colour) in lines.iter().zip(COLOURS) {
        let shown: Vec<_> = line.iter().filter(|p| p.1 >= least).collect();
        let corners: Vec<String> =
            shown.iter().map(|p| format!("{:.1},{:.1}", x(p.0), y(p.1))).collect();
        let corners = corners.join(" ");
        writeln!(svg, "<polyline points=\"{corners}\" fill=\"none\" stroke=\"{colour}\"/>")
            .unwrap();
        for p in shown {
            let (x, y) = (x(p.0), y(p.1));
            writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>")
                .unwrap();
        }
    }
}
