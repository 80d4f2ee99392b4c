//! `pavane traffic run`: runs one mission, or a schedule without its steps, with a log.

use super::replay::replay;
use super::{RoutingChoice, check_buffer, exit_code, policy, shown, simulator, switching};
use crate::args::problem::NetworkArgs;
use crate::args::traffic::RunArgs;
use crate::output::{Failure, check_place, is_standard, print_json, standard, write_file};
use crate::picture_file::PictureFormat;
use crate::progress::Ticker;
use crate::report::traffic::{LinkLoad, MakespanBounds, OptimumReport, TrafficRun};
use crate::words;
use pavane_model::collective::{self, Groups};
use pavane_model::format::{Phase, open_beside, read_file};
use pavane_model::{Duplex, Model, Network, Ports, Problem, Routing as Paths, problem};
use pavane_networks::name_check;
use pavane_render::gantt::{self, Bar};
use pavane_render::mission::{FreeSchedule, from_schedule};
use pavane_render::picture::Theme;
use pavane_render::picture::scene::Scene;
use pavane_traffic::mission::{self, write_csv, write_json};
use pavane_traffic::optimal::{Effort, MissionBounds, Optimum, OptimumProblem, optimum};
use pavane_traffic::{Log, Memory, Mission, RoutingMethod, Simulator, SwitchingMethod, ticks};
use pavane_verify::judge;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

/// A run and its result.
pub struct SimulatedRun {
    simulator: Simulator,
    routing: RoutingChoice,
    switching: SwitchingMethod,
    policy: &'static str,
    duplex: Duplex,
    mission: Mission,
    /// Whether messages with several destinations are simulated as one message for each.
    is_unicast: bool,
    log: Log,
    completions: Vec<u64>,
    /// `None` if it deadlocked.
    makespan: Option<u64>,
    bounds: Option<MissionBounds>,
    best: Option<Optimum>,
    schedule: Option<FreeSchedule>,
}

/// Maximum number of links named in the text.
const SHOWN: usize = 5;

/// Default length of the messages of a collective or schedule.
const LENGTH: f64 = 10.0;

/// Runs one mission, and prints or writes the result.
pub fn run(args: &RunArgs) -> Result<ExitCode, Failure> {
    for path in [&args.log, &args.gantt, &args.save].into_iter().flatten() {
        check_place(path)?;
    }
    let ticker = Ticker::saying("simulating the mission");
    let outcome = simulate(args)?;
    drop(ticker);
    write_files(args, &outcome)?;
    match (args.json, is_standard([&args.log, &args.gantt, &args.save])) {
        (_, true) => {}
        (true, _) => print_json(&outcome.report(args))?,
        (false, _) => outcome.print(args)?,
    }
    let stuck = outcome.stuck().len();
    let unfinished = (stuck > 0)
        .then(|| format!("{stuck} of {} messages were not delivered", outcome.mission.len()));
    Ok(exit_code(unfinished, "makespan", outcome.duplex))
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
    check_buffer(&args.rules, &[switching])?;
    let policy = policy(&args.policy, &args.rules)?;
    let mut rules = args.rules.clone();
    let (mission, is_unicast, routing, simulator, schedule) = match network {
        None => {
            let path = args.schedule.as_deref().unwrap_or(Path::new(""));
            let (network, duplex, free) = judged_schedule(path, args.length.unwrap_or(LENGTH))?;
            rules.duplex = Some(duplex);
            let routes = RoutingMethod::Given(free.routes.clone());
            let simulator = Simulator::new(network, duplex, routes);
            let choice = RoutingChoice { name: "of the schedule".to_owned(), reason: None };
            (free.mission.clone(), false, choice, simulator, Some(free))
        }
        Some(network) => {
            let (mission, is_unicast) = load_mission(args, network)?;
            let (routing, simulator) =
                simulator(network, args.routing.as_deref(), &rules, &[switching])?;
            (mission, is_unicast, routing, simulator, None)
        }
    };
    let mut memory = Memory::default();
    let mut log = Log::default();
    let seed = args.draw.seed;
    let is_fixed =
        simulator.route(&mission, seed, &mut memory.routes).map_err(Failure::bad_input)?;
    let run = simulator.run(&mission, switching, policy, &mut memory, &mut log);
    let run = run.map_err(Failure::bad_input)?;
    log.by_message();
    let completions = std::mem::take(&mut memory.state.completions);
    let is_done = !completions.contains(&u64::MAX);
    if is_done {
        replay(simulator.network(), rules.duplex(), switching, &mission, &completions, &log)?;
    }
    let task = OptimumProblem {
        mission: &mission,
        links: simulator.links(),
        routes: &memory.routes,
        order: simulator.order(),
        switching,
    };
    let can_bound = is_fixed && !mission.has_waits();
    let bounds = can_bound.then(|| MissionBounds::of(&task));
    let is_asked = args.optimal && can_bound && switching.has_optimum();
    let best = is_asked.then(|| optimum(&task, Effort::default(), seed, &mut memory.state));
    let makespan = is_done.then(|| run.end.saturating_sub(mission.start()));
    let duplex = rules.duplex();
    Ok(SimulatedRun {
        simulator,
        routing,
        switching,
        policy: policy.name,
        duplex,
        mission,
        is_unicast,
        log,
        completions,
        makespan,
        bounds,
        best,
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
    let phases =
        collective::build(name, network, &Groups::default()).map_err(Failure::bad_input)?;
    let [phase] = &phases[..] else {
        return Err(Failure::bad_input(format!(
            "{name} has several phases; use the collective of one phase"
        )));
    };
    let model = Model {
        switching: pavane_model::Switching::Wormhole,
        routing: Paths::Any,
        duplex: args.rules.duplex(),
        ports: Ports::All,
    };
    let problem =
        Problem::new(network.clone(), phase.clone(), model).map_err(Failure::bad_input)?;
    if problem.is_backward() {
        return Err(Failure::bad_input(format!(
            "--collective {name}: gather and reduce are not supported; use a broadcast, a scatter or a permutation, or a --schedule of {name}"
        )));
    }
    let messages = problem.messages();
    let is_unicast = messages.ids().any(|message| messages.destinations(message).len() > 1);
    let mission = mission::from_messages(network, messages, args.length.unwrap_or(LENGTH));
    Ok((mission.map_err(Failure::bad_input)?, is_unicast))
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

impl SimulatedRun {
    fn network(&self) -> &Network {
        self.simulator.network()
    }

    /// Messages that were never delivered.
    fn stuck(&self) -> Vec<u32> {
        let ends = self.completions.iter().zip(0..);
        ends.filter(|(end, _)| **end == u64::MAX).map(|(_, number)| number).collect()
    }

    /// `3-7`, or `3>7` if the other direction is a separate link.
    fn link_name(&self, link: u32) -> String {
        let channel = self.network().channel(self.simulator.links().channel(link));
        let names = [channel.tail, channel.head].map(|router| self.network().router_name(router));
        words::printable(&names.join(if self.duplex == Duplex::Half { "-" } else { ">" }))
            .into_owned()
    }

    /// How long each link carried messages, in ticks.
    fn loads(&self) -> Vec<u64> {
        let links = self.simulator.links();
        if !matches!(self.switching, SwitchingMethod::Flits(_)) {
            return self.log.link_loads(links);
        }
        // Several messages share a link, which carries one flit of one of them in a cycle.
        let mut loads = vec![0; links.count()];
        for hold in &self.log.holds {
            let length = self.mission.messages()[hold.message as usize].length;
            loads[links.of(hold.channel) as usize] += length.next_multiple_of(ticks::UNIT);
        }
        loads
    }

    /// The earliest time at which each message could be sent.
    fn ready(&self) -> Vec<u64> {
        let mut ready: Vec<u64> = self.mission.messages().iter().map(|m| m.arrival).collect();
        for earlier in 0..self.mission.len() as u32 {
            for &later in self.mission.followers(earlier) {
                let end = self.completions[earlier as usize];
                ready[later as usize] = ready[later as usize].max(end);
            }
        }
        ready
    }

    /// Waiting time of each message: from the time at which it could be sent to its delivery, minus
    /// its time in an idle network. `None` if it was never delivered.
    fn waits(&self) -> Vec<Option<u64>> {
        let mut hops = vec![0u64; self.mission.len()];
        for hold in &self.log.holds {
            hops[hold.message as usize] += 1;
        }
        let messages = self.mission.messages().iter().zip(self.ready());
        let ends = self.completions.iter().zip(hops);
        messages
            .zip(ends)
            .map(|((message, ready), (&end, hops))| {
                let alone = match self.switching {
                    SwitchingMethod::StoreAndForward => hops * message.length,
                    // From the processor to its router, every hop, and to the processor, with one
                    // cycle for each flit; it starts with a whole cycle.
                    SwitchingMethod::Flits(_) => {
                        let flits = message.length.div_ceil(ticks::UNIT);
                        ready.next_multiple_of(ticks::UNIT) - ready
                            + (hops + 1 + flits) * ticks::UNIT
                    }
                    _ => hops.min(1) * message.length,
                };
                (end != u64::MAX).then(|| end.saturating_sub(ready + alone))
            })
            .collect()
    }

    /// Duration of the schedule if run in steps, each as long as its longest path requires.
    fn in_steps(&self) -> Option<u64> {
        let schedule = self.schedule.as_ref()?;
        let length = self.mission.messages().first().map_or(0, |message| message.length);
        let hops = schedule.hops_of_steps.iter().map(|&hops| match self.switching {
            SwitchingMethod::StoreAndForward => hops as u64,
            _ => hops.min(1) as u64,
        });
        Some(hops.sum::<u64>() * length)
    }

    /// Writes when messages occupy channels, as CSV.
    pub fn write_log(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "message,source,destination,length,channel,tail,head,start,end")?;
        for hold in &self.log.holds {
            let message = self.mission.messages()[hold.message as usize];
            let channel = self.network().channel(hold.channel);
            writeln!(
                out,
                "{},{},{},{},{},{},{},{},{}",
                hold.message,
                message.source,
                message.destination,
                ticks::to_units(message.length),
                hold.channel,
                channel.tail,
                channel.head,
                ticks::to_units(hold.start),
                ticks::to_units(hold.end)
            )?;
        }
        Ok(())
    }

    /// When every link carries which message.
    pub fn gantt(&self) -> Scene {
        let links = self.simulator.links();
        let rows: Vec<String> =
            (0..links.count() as u32).map(|link| self.link_name(link)).collect();
        let bars = self.log.holds.iter().map(|hold| {
            let message = self.mission.messages()[hold.message as usize];
            Bar {
                row: links.of(hold.channel) as usize,
                start: ticks::to_units(hold.start),
                end: ticks::to_units(hold.end),
                label: format!(
                    "message {}: {} to {}",
                    hold.message, message.source, message.destination
                ),
                group: hold.message,
            }
        });
        let bars: Vec<Bar> = bars.collect();
        gantt::scene(&self.title(), &rows, &bars)
    }

    /// Whether the user named the network, or the name in a schedule file is correct.
    fn is_network_checked(&self) -> bool {
        self.schedule.is_none() || name_check::is_network_right(self.network())
    }

    fn network_in_words(&self) -> String {
        match self.schedule {
            Some(_) => words::stored_network(self.network(), None),
            None => words::printable(self.network().name()).into_owned(),
        }
    }

    fn title(&self) -> String {
        format!(
            "{} on {}: {}, routing {}, {}",
            words::counted(self.mission.len(), "message"),
            self.network_in_words(),
            self.switching.name(),
            self.routing.name,
            match self.makespan {
                Some(makespan) => format!("makespan {:.2}", ticks::to_units(makespan)),
                None => format!("deadlock: {} not delivered", self.stuck().len()),
            }
        )
    }

    fn report<'a>(&'a self, args: &'a RunArgs) -> TrafficRun<'a> {
        let units = ticks::to_units;
        let loads = self.loads();
        let load = |(&load, link)| LinkLoad { link: self.link_name(link), load: units(load) };
        let waits = self.waits();
        TrafficRun {
            network: self.network().name(),
            network_checked: self.is_network_checked(),
            switching: self.switching.name(),
            routing: &self.routing.name,
            routing_reason: self.routing.reason,
            policy: self.policy,
            duplex: self.duplex,
            seed: args.draw.seed,
            messages: self.mission.len(),
            unicasts: self.is_unicast,
            makespan: self.makespan.map(units),
            bounds: self.bounds.map(|bounds| MakespanBounds {
                link: units(bounds.link),
                machine: units(bounds.machine),
                node: units(bounds.node),
                path: units(bounds.path),
            }),
            optimum: self.best.map(|best| OptimumReport {
                makespan: units(best.makespan),
                bound: units(best.bound),
                proved: best.is_proved(),
            }),
            in_steps: self.in_steps().map(units),
            waited: waits.iter().flatten().filter(|wait| **wait > 0).count(),
            waits: waits.iter().map(|wait| wait.map(units)).collect(),
            unfinished: self.stuck().len(),
            deadlock: self.stuck(),
            links: loads.iter().zip(0..).map(load).collect(),
        }
    }

    /// The mission in one line.
    pub fn heading(&self, args: &RunArgs) -> String {
        format!(
            "{} on {}: {}, routing {}, {}{}, {} duplex, seed {}",
            words::counted(self.mission.len(), "message"),
            self.network_in_words(),
            self.switching.name(),
            self.routing.name,
            self.policy,
            if args.rules.edd { " with earliest due date" } else { "" },
            self.duplex,
            args.draw.seed
        )
    }

    /// The parts of the result, each with its name.
    pub fn lines(&self, args: &RunArgs) -> Vec<(&'static str, String)> {
        let units = ticks::to_units;
        let mut lines = Vec::new();
        if let Some(reason) = self.routing.reason {
            lines.push(("routing", reason.to_string()));
        }
        if self.is_unicast {
            let unicasts =
                "every delivery is a message of its own; --schedule simulates trees".to_owned();
            lines.push(("unicasts", unicasts));
        }
        let stuck = self.stuck();
        if !stuck.is_empty() {
            let some: Vec<String> = stuck.iter().take(SHOWN).map(u32::to_string).collect();
            let deadlock = format!(
                "{} of {} not delivered: {}{}",
                stuck.len(),
                words::counted(self.mission.len(), "message"),
                some.join(", "),
                if stuck.len() > SHOWN { ", …" } else { "" }
            );
            lines.push(("deadlock", deadlock));
            return lines;
        }
        lines.push(("makespan", shown(self.makespan.map(units), 3)));
        if let Some(bounds) = self.bounds {
            let bound = format!(
                "{:.3} (link load {:.3}, with heads and tails {:.3}, processor {:.3}, path {:.3})",
                units(bounds.best()),
                units(bounds.link),
                units(bounds.machine),
                units(bounds.node),
                units(bounds.path)
            );
            lines.push(("bound", bound));
        }
        if let Some(best) = self.best {
            let proof = if best.is_proved() { "proved" } else { "not proved" };
            lines.push(("optimum", format!("{:.3}, {proof}", units(best.makespan))));
        } else if args.optimal {
            let why = "not searched: it requires fixed paths, store-and-forward, cs or vct, and \
                       messages that do not depend on others";
            lines.push(("optimum", why.to_owned()));
        }
        if let (Some(steps), Some(schedule)) = (self.in_steps(), &self.schedule) {
            let count = words::counted(schedule.hops_of_steps.len(), "step");
            let steps = format!("{:.3}: {count}, each as long as its longest path", units(steps));
            lines.push(("in steps", steps));
        }
        lines.push(("waited", self.waits_in_words()));
        lines.extend(self.loads_in_words());
        lines
    }

    fn print(&self, args: &RunArgs) -> Result<(), Failure> {
        let mut out = standard();
        writeln!(out, "{}", self.heading(args))?;
        for (name, text) in self.lines(args) {
            writeln!(out, "  {name:<8}  {text}")?;
        }
        out.flush()?;
        Ok(())
    }

    fn waits_in_words(&self) -> String {
        let waits: Vec<u64> = self.waits().into_iter().flatten().collect();
        let waited = waits.iter().filter(|wait| **wait > 0).count();
        let total: u64 = waits.iter().sum();
        let mean = ticks::to_units(total) / waits.len().max(1) as f64;
        let mut text = format!("{waited} of {}, {mean:.3} on average", waits.len());
        let mut longest: Vec<(u64, usize)> = waits.into_iter().zip(0..).collect();
        longest.sort_unstable_by(|one, other| other.cmp(one));
        if let Some(&(wait, number)) = longest.first().filter(|(wait, _)| *wait > 0) {
            let message = self.mission.messages()[number];
            text += &format!(
                "; longest {:.3}, message {number} from {} to {}",
                ticks::to_units(wait),
                message.source,
                message.destination
            );
        }
        text
    }

    fn loads_in_words(&self) -> [(&'static str, String); 2] {
        let loads = self.loads();
        let total: u64 = loads.iter().sum();
        let mean = ticks::to_units(total) / loads.len().max(1) as f64;
        let share = 100.0 * mean / ticks::to_units(self.makespan.unwrap_or(0).max(1));
        let links = format!("busy for {mean:.3} on average, {share:.0} % of the time");
        let mut busiest: Vec<(u64, u32)> = loads.into_iter().zip(0..).collect();
        busiest.sort_unstable_by(|one, other| (other.0, one.1).cmp(&(one.0, other.1)));
        let some = busiest.iter().take(SHOWN);
        let some = some
            .map(|&(load, link)| format!("{} {:.3}", self.link_name(link), ticks::to_units(load)));
        [("links", links), ("busiest", some.collect::<Vec<_>>().join(", "))]
    }
}
