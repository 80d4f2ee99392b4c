//! The result of a mission as text, as JSON, as a log and as a chart.

use super::advice::{advice, advice_for_schedule};
use super::{RoutingChoice, rules_in_words, shown};
use crate::args::traffic::RunArgs;
use crate::output::{Failure, name_written, standard};
use crate::report::traffic::{LinkLoad, MakespanBounds, OptimumReport, TrafficRules, TrafficRun};
use crate::words;
use pavane_model::{Duplex, Network};
use pavane_networks::name_check;
use pavane_render::gantt::check_size;
use pavane_render::mission::FreeSchedule;
use pavane_render::picture::scene::Scene;
use pavane_render::traffic_chart;
use pavane_traffic::flits::FlitRules;
use pavane_traffic::mission::Message;
use pavane_traffic::{
    DeadlockRisk, Memory, Mission, ObservedRun, Policy, Simulator, SwitchingMethod, ticks,
};
use std::io::{self, Write};

/// A run and its result.
pub struct SimulatedRun {
    pub simulator: Simulator,
    pub routing: RoutingChoice,
    pub switching: SwitchingMethod,
    pub policy: Policy,
    pub duplex: Duplex,
    pub mission: Mission,
    /// Whether messages with several destinations are simulated as one message for each.
    pub is_unicast: bool,
    pub run: ObservedRun,
    pub schedule: Option<FreeSchedule>,
}

/// Maximum number of virtual channels that are tried for advice.
const MOST_LANES: u32 = 8;

/// Maximum number of links named in the text.
const SHOWN: usize = 5;

impl SimulatedRun {
    fn network(&self) -> &Network {
        self.simulator.network()
    }

    /// Messages that were never delivered.
    pub fn stuck(&self) -> Vec<u32> {
        self.run.stuck()
    }

    /// What to try after a deadlock.
    pub fn advice(&self) -> String {
        if self.schedule.is_none() {
            return advice(self.network(), self.duplex, self.switching, &self.routing.name);
        }
        let with_lanes = |lanes: u32| match self.switching {
            SwitchingMethod::Flits(rules) => SwitchingMethod::Flits(FlitRules { lanes, ..rules }),
            _ => SwitchingMethod::Wormhole(lanes),
        };
        let finishes = |lanes: &u32| {
            let mut memory = Memory::default();
            let (mission, switching) = (&self.mission, with_lanes(*lanes));
            let is_run = self.simulator.route(mission, 1, &mut memory.routes).is_ok()
                && self
                    .simulator
                    .run(mission, switching, self.policy, &mut memory, &mut ())
                    .is_ok();
            is_run && !memory.state.completions.contains(&u64::MAX)
        };
        advice_for_schedule((2..=MOST_LANES).find(finishes))
    }

    fn link_name(&self, link: u32) -> String {
        traffic_chart::link_name(&self.simulator, self.duplex, link)
    }

    /// The same as in pictures: `3–7` or `3 → 7`.
    fn link_label(&self, link: u32) -> String {
        traffic_chart::link_label(&self.simulator, self.duplex, link)
    }

    /// How long each link carried messages, in ticks.
    fn loads(&self) -> Vec<u64> {
        self.run.loads(self.simulator.links(), &self.mission, self.switching)
    }

    fn waits(&self) -> Vec<Option<u64>> {
        self.run.waits(&self.mission, self.switching)
    }

    fn in_steps(&self) -> Option<u64> {
        self.schedule.as_ref().map(|schedule| schedule.in_steps(self.switching))
    }

    /// Writes when messages occupy channels, as CSV.
    pub fn write_log(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "message,source,destination,length,channel,tail,head,start,end")?;
        for hold in &self.run.log.holds {
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

    /// Fails if the chart would be too large to be of use.
    pub fn check_gantt(&self) -> Result<(), Failure> {
        let checked = check_size(self.simulator.links().count(), self.run.log.holds.len());
        checked.map_err(|problem| {
            Failure::bad_input(format!(
                "--gantt: {problem}; simulate fewer messages or a smaller network, or write all uses of links with --log"
            ))
        })
    }

    /// When every link carries which message.
    pub fn gantt(&self) -> Scene {
        let (simulator, mission, log) = (&self.simulator, &self.mission, &self.run.log);
        traffic_chart::scene(&self.title(), simulator, self.duplex, mission, log)
    }

    /// Whether the user named the network, or the name in a schedule file is correct.
    fn is_network_checked(&self) -> bool {
        self.schedule.is_none() || name_check::is_network_right(self.network())
    }

    fn network_in_words(&self) -> String {
        match self.schedule {
            Some(_) => words::stored_network(self.network(), None),
            None => {
                let network = self.network();
                format!("{}{}", words::printable(network.name()), words::without(network))
            }
        }
    }

    /// The title of the chart.
    pub fn title(&self) -> String {
        format!(
            "{} on {}: {}, routing {}, {}",
            words::counted(self.mission.len(), "message"),
            self.network_in_words(),
            self.switching.name(),
            self.routing.name,
            match self.run.makespan {
                Some(makespan) => format!("makespan {:.2}", ticks::to_units(makespan)),
                None => format!("deadlock: {} not delivered", self.stuck().len()),
            }
        )
    }

    /// The whole result as JSON.
    pub fn report<'a>(&'a self, args: &'a RunArgs) -> TrafficRun<'a> {
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
            policy: self.policy.name,
            rules: self.rules(args),
            can_deadlock: self.routing.risk.map(|risk| risk != DeadlockRisk::Free),
            seed: args.draw.seed,
            messages: self.mission.len(),
            unicasts: self.is_unicast,
            makespan: self.run.makespan.map(units),
            bounds: self.run.bounds.map(|bounds| MakespanBounds {
                link: units(bounds.link),
                machine: units(bounds.machine),
                node: units(bounds.node),
                path: units(bounds.path),
            }),
            optimum: self.run.best.map(|best| OptimumReport {
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

    fn rules(&self, args: &RunArgs) -> TrafficRules {
        TrafficRules { duplex: self.duplex, ..args.rules.report(&[self.switching]) }
    }

    /// The mission in one line.
    pub fn heading(&self, args: &RunArgs) -> String {
        format!(
            "{} on {}: {}, routing {}, {}{}, {}, seed {}",
            words::counted(self.mission.len(), "message"),
            self.network_in_words(),
            self.switching.name(),
            self.routing.in_words(),
            self.policy.name,
            if args.rules.edd { " with earliest due date" } else { "" },
            rules_in_words(&self.rules(args)),
            args.draw.seed
        )
    }

    /// The parts of the result, each with its name.
    pub fn lines(&self, args: &RunArgs) -> Vec<(&'static str, String)> {
        let units = ticks::to_units;
        let mut lines = Vec::new();
        if let Some(reason) = self.routing.explanation(self.switching) {
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
        lines.push(("makespan", shown(self.run.makespan.map(units), 3)));
        if let Some(bounds) = self.run.bounds {
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
        if let Some(best) = self.run.best {
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

    /// Prints the result.
    pub fn print(&self, args: &RunArgs) -> Result<(), Failure> {
        let mut out = standard();
        writeln!(out, "{}", self.heading(args))?;
        for (name, text) in self.lines(args) {
            writeln!(out, "  {name:<8}  {text}")?;
        }
        name_written(&mut out, [&args.save, &args.log, &args.gantt])?;
        out.flush()?;
        Ok(())
    }

    /// `0,0 → 2,1`.
    fn ends_in_words(&self, message: Message) -> String {
        words::pair(self.network(), (message.source, message.destination))
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
                "; longest {:.3}, message {number}: {}",
                ticks::to_units(wait),
                self.ends_in_words(message)
            );
        }
        text
    }

    fn loads_in_words(&self) -> Vec<(&'static str, String)> {
        let loads = self.loads();
        let total: u64 = loads.iter().sum();
        let mean = ticks::to_units(total) / loads.len().max(1) as f64;
        let share = 100.0 * mean / ticks::to_units(self.run.makespan.unwrap_or(0).max(1));
        let links = format!("carry messages for {mean:.3} on average, {share:.0} % of the time");
        let mut busiest: Vec<(u64, u32)> = loads.into_iter().zip(0..).collect();
        busiest.sort_unstable_by(|one, other| (other.0, one.1).cmp(&(one.0, other.1)));
        if busiest.is_empty() {
            return Vec::new();
        }
        let some = busiest.iter().take(SHOWN);
        let some = some
            .map(|&(load, link)| format!("{} {:.3}", self.link_label(link), ticks::to_units(load)));
        vec![("links", links), ("busiest", some.collect::<Vec<_>>().join(", "))]
    }
}
