//! Missions per second on one core, including their generation, under e-cube routing and LBF:
//! `traffic_bench [NETWORK…] [store-and-forward|cs|vct…]`. Measures CPU time, not wall-clock time.

#![expect(clippy::print_stdout, reason = "an example prints its figures")]

use pavane_model::Duplex;
use pavane_networks::topology;
use pavane_traffic::mission::Uniform;
use pavane_traffic::{Memory, Policy, RoutingMethod, Simulator, SwitchingMethod, ticks};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let is_switching = |word: &String| SwitchingMethod::ALL.iter().any(|(name, _)| name == word);
    let (wanted, mut names): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(is_switching);
    if names.is_empty() {
        names = [4, 6, 8, 10].iter().map(|dimension| format!("hypercube:{dimension}")).collect();
    }
    println!("network       switching          missions/s    events/s  mean makespan");
    for name in names {
        let network = topology::build(&name)?;
        let routing = RoutingMethod::find("e-cube", &network)?;
        let simulator = Simulator::new(network, Duplex::Half, routing);
        for &(word, switching) in SwitchingMethod::ALL {
            if !wanted.is_empty() && !wanted.iter().any(|name| name == word) {
                continue;
            }
            measure(&name, word, &simulator, switching)?;
        }
    }
    Ok(())
}

/// Runs missions for two seconds of CPU time.
fn measure(
    name: &str,
    word: &str,
    simulator: &Simulator,
    switching: SwitchingMethod,
) -> Result<(), Box<dyn Error>> {
    let (uniform, policy) = (Uniform::default(), Policy::find("lbf")?);
    let mut memory = Memory::default();
    let start = processor_seconds();
    let (mut missions, mut events, mut makespan, mut seconds) = (0u64, 0u64, 0.0, 0.0);
    while missions < 2 || seconds < 2.0 {
        for _ in 0..if missions > 100 { 100 } else { 1 } {
            let mission = uniform.draw(simulator.network(), 1, missions)?;
            simulator.route(&mission, 1, &mut memory.routes)?;
            let run = simulator.run(&mission, switching, policy, &mut memory, &mut ())?;
            missions += 1;
            events += run.events;
            makespan += ticks::to_units(run.end);
        }
        seconds = processor_seconds() - start;
    }
    println!(
        "{name:13} {word:17} {:11.2} {:11.0} {:14.2}",
        missions as f64 / seconds,
        events as f64 / seconds,
        makespan / missions as f64
    );
    Ok(())
}

/// CPU time of this thread in seconds; wall-clock time on systems that do not report it.
fn processor_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let counted = text.split(' ').next().and_then(|word| word.parse::<f64>().ok());
    match counted {
        Some(nanoseconds) => nanoseconds / 1e9,
        None => std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .map_or(0.0, |time| time.as_secs_f64()),
    }
}
