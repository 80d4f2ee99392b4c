//! The result of a mission as text, as JSON, as a log and as a chart.

use super::advice::{advice, advice_for_schedule};
use super::{RoutingChoice, shown};
use crate::args::traffic::RunArgs;
use crate::output::{Failure, name_written, standard};
use crate::report::traffic::{LinkLoad, MakespanBounds, OptimumReport, TrafficRun};
use crate::words;
use pavane_model::{Channel, Duplex, Fault, Network};
use pavane_networks::name_check;
use pavane_render::gantt::{self, Bar};
use pavane_render::mission::FreeSchedule;
use pavane_render::picture::scene::Scene;
use pavane_traffic::flits::FlitRules;
use pavane_traffic::mission::Message;
use pavane_traffic::optimal::{MissionBounds, Optimum};
use pavane_traffic::{Log, Memory, Mission, Policy, Simulator, SwitchingMethod, ticks};
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
    pub log: Log,
    pub completions: Vec<u64>,
    /// `None` if it deadlocked.
    pub makespan: Option<u64>,
    pub bounds: Option<MissionBounds>,
    pub best: Option<Optimum>,
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
        let ends = self.completions.iter().zip(0..);
        ends.filter(|(end, _)| **end == u64::MAX).map(|(_, number)| number).collect()
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

    /// `3-7`, or `3>7` if the other direction is a separate link.
    fn link_name(&self, link: u32) -> String {
        let channel = self.network().channel(self.simulator.links().channel(link));
        let names = [channel.tail, channel.head].map(|router| self.network().router_name(router));
        words::printable(&names.join(if self.duplex == Duplex::Half { "-" } else { ">" }))
            .into_owned()
    }

    /// The same as in pictures: `3–7` or `3 → 7`.
    fn link_label(&self, link: u32) -> String {
        let Channel { tail, head, .. } =
            self.network().channel(self.simulator.links().channel(link));
        let link = match self.duplex {
            Duplex::Half => Fault::Link(tail, head),
            Duplex::Full => Fault::Channel(tail, head),
        };
        words::printable(&link.label(self.network())).into_owned()
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
            (0..links.count() as u32).map(|link| self.link_label(link)).collect();
        let bars = self.log.holds.iter().map(|hold| {
            let message = self.mission.messages()[hold.message as usize];
            Bar {
                row: links.of(hold.channel) as usize,
                start: ticks::to_units(hold.start),
                end: ticks::to_units(hold.end),
                label: format!("message {}: {}", hold.message, self.ends_in_words(message)),
                group: hold.message,
            }
        });
        let bars: Vec<Bar> = bars.collect();
        gantt::scene(&self.title(), gantt::LINKS_IN_UNITS, &rows, &bars)
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
            match self.makespan {
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
            self.policy.name,
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
            .map(|&(load, link)| format!("{} {:.3}", self.link_label(link), ticks::to_units(load)));
        [("links", links), ("busiest", some.collect::<Vec<_>>().join(", "))]
    }
}
