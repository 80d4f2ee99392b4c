//! `pavane traffic run`: runs one mission, or a schedule without its steps, with a log.

use super::simulated_run::SimulatedRun;
use super::{RoutingChoice, check_lanes, exit_code, policy, simulator, switching};
use crate::args::problem::NetworkArgs;
use crate::args::traffic::RunArgs;
use crate::output::{Failure, check_place, is_standard, print_json, write_file};
use crate::picture_file::{PictureFormat, check_still};
use crate::progress::Ticker;
use pavane_model::format::{Phase, open_beside, read_file};
use pavane_model::{Duplex, Network, problem};
use pavane_render::mission::{FreeSchedule, from_schedule};
use pavane_render::picture::Theme;
use pavane_render::replay::replay;
use pavane_traffic::mission::{self, write_csv, write_json};
use pavane_traffic::{Mission, RoutingMethod, Simulator};
use pavane_verify::judge;
use std::path::Path;
use std::process::ExitCode;

/// Default length of the messages of a collective or schedule.
const LENGTH: f64 = 10.0;

/// Runs one mission, and prints or writes the result.
pub fn run(args: &RunArgs) -> Result<ExitCode, Failure> {
    for path in [&args.log, &args.save].into_iter().flatten() {
        check_place(path)?;
    }
    if let Some(path) = &args.gantt {
        check_still("--gantt", path)?;
    }
    let ticker = Ticker::saying("simulating the mission");
    let outcome = simulate(args)?;
    drop(ticker);
    if args.gantt.is_some() {
        outcome.check_gantt()?;
    }
    write_files(args, &outcome)?;
    match (args.json, is_standard([&args.log, &args.gantt, &args.save])) {
        (_, true) => {}
        (true, _) => print_json(&outcome.report(args))?,
        (false, _) => outcome.print(args)?,
    }
    let stuck = outcome.stuck().len();
    let unfinished = (stuck > 0)
        .then(|| format!("{stuck} of {} messages were not delivered", outcome.mission.len()));
    Ok(exit_code(unfinished, "makespan", || outcome.advice()))
}

fn simulate(args: &RunArgs) -> Result<SimulatedRun, Failure> {
    if args.schedule.is_some() {
        return simulated(None, args);
    }
    let name = args.network.clone().unwrap_or_default();
    let network = NetworkArgs { network: name, faults: args.faults.clone() }.load()?;
    simulate_on(&network, args)
}

/// Simulates a mission on this network; the arguments name no schedule.
pub fn simulate_on(network: &Network, args: &RunArgs) -> Result<SimulatedRun, Failure> {
    simulated(Some(network), args)
}

/// Simulates a mission on a network, or without a network the schedule that the arguments name.
fn simulated(network: Option<&Network>, args: &RunArgs) -> Result<SimulatedRun, Failure> {
    let switching = switching(&args.switching, &args.rules)?;
    check_lanes(&args.rules, &[switching])?;
    let policy = policy(&args.policy, &args.rules)?;
    let mut rules = args.rules.clone();
    let (mission, is_unicast, routing, simulator, schedule) = match network {
        None => {
            let path = args.schedule.as_deref().unwrap_or(Path::new(""));
            let (network, duplex, free) = judged_schedule(path, args.length.unwrap_or(LENGTH))?;
            rules.duplex = Some(duplex);
            let routes = RoutingMethod::Given(free.routes.clone());
            let simulator = Simulator::new(network, duplex, routes);
            let choice =
                RoutingChoice { name: "of the schedule".to_owned(), reason: None, risk: None };
            (free.mission.clone(), false, choice, simulator, Some(free))
        }
        Some(network) => {
            let (mission, is_unicast) = load_mission(args, network)?;
            let (routing, simulator) =
                simulator(network, args.routing.as_deref(), &rules, switching)?;
            (mission, is_unicast, routing, simulator, None)
        }
    };
    let run = simulator.observe(&mission, switching, policy, args.draw.seed, args.optimal);
    let run = run.map_err(Failure::bad_input)?;
    let duplex = rules.duplex();
    if run.makespan.is_some() {
        let network = simulator.network();
        replay(network, duplex, switching, &mission, &run.completions, &run.log)
            .map_err(Failure::Bug)?;
    }
    Ok(SimulatedRun {
        simulator,
        routing,
        switching,
        policy,
        duplex,
        mission,
        is_unicast,
        run,
        schedule,
    })
}

/// The requested mission: from a file, a collective, or random; and whether it replaces messages with
/// several destinations by one message for each.
fn load_mission(args: &RunArgs, network: &Network) -> Result<(Mission, bool), Failure> {
    if let (Some(path), None) = (&args.mission, args.length) {
        let mission = mission::read(path, network).map_err(Failure::bad_input)?;
        return Ok((mission, false));
    }
    let Some(name) = &args.collective else {
        if let Some(length) = args.length {
            return Err(Failure::bad_input(format!(
                "--length {length} applies to --collective and --schedule only; use --mean and --sigma for random messages"
            )));
        }
        let uniform = args.draw.uniform();
        uniform.check(network).map_err(Failure::bad_input)?;
        let mission = uniform.draw(network, args.draw.seed, 0).map_err(Failure::bad_input)?;
        return Ok((mission, false));
    };
    let (duplex, length) = (args.rules.duplex(), args.length.unwrap_or(LENGTH));
    mission::from_collective(network, name, duplex, length).map_err(Failure::bad_input)
}

/// Reads and judges a schedule, and drops its steps.
fn judged_schedule(path: &Path, length: f64) -> Result<(Network, Duplex, FreeSchedule), Failure> {
    let phases = read_file(path, problem::DELIVERIES).map_err(Failure::bad_input)?;
    let Ok([phase]) = <[Phase; 1]>::try_from(phases) else {
        return Err(Failure::bad_input(format!(
            "{} has several phases; use a schedule with one phase",
            path.display()
        )));
    };
    let open = |name: &str| open_beside(path, name);
    let verdict = judge(phase.problem, phase.schedule, None, &open);
    let Some(checked) = verdict.checked else {
        let first = verdict.violations.first().map(ToString::to_string).unwrap_or_default();
        return Err(Failure::bad_input(format!(
            "{} is not a valid schedule: {first} (`pavane verify` lists all violations)",
            path.display()
        )));
    };
    let free = from_schedule(&checked, length).map_err(Failure::bad_input)?;
    let problem = checked.problem();
    Ok((problem.network().clone(), problem.model().duplex, free))
}

fn write_files(args: &RunArgs, outcome: &SimulatedRun) -> Result<(), Failure> {
    if let Some(path) = &args.save {
        let is_json = path.extension().is_some_and(|ending| ending == "json");
        let write = if is_json { write_json } else { write_csv };
        write_file(path, |out| write(&outcome.mission, out))?;
    }
    if let Some(path) = &args.log {
        write_file(path, |out| outcome.write_log(out))?;
    }
    if let Some(path) = &args.gantt {
        let format = PictureFormat::of(path).unwrap_or(PictureFormat::Svg);
        let bytes = format.bytes(&outcome.gantt(), Theme::default(), &outcome.title())?;
        write_file(path, |out| out.write_all(&bytes))?;
    }
    Ok(())
}
