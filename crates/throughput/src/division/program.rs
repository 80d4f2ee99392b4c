//! The linear program of a division. Its dual is solved: a row for every load, a column for every
//! channel (its price), switch and cut, and a last row for the sum of bandwidth times price, which is
//! the unit. The multipliers of the rows are the loads, that of the last row is the time.

use super::exact::{Equation, Signed, solve};
use super::simplex::{Column, Simplex};
use super::{Relays, WeightedCut, WeightedSwitch};
use crate::graph::{Link, Ratio};
use crate::integer::gcd;
use crate::limit::breadth_first;
use crate::maxflow::Flow;
use crate::trees::Broadcasts;
use std::collections::{BTreeMap, BTreeSet};

/// The most rows of a program.
const MOST_ROWS: usize = 2048;
/// The most rounds of adding cuts.
const MOST_ROUNDS: usize = 1000;
/// Units of a flow in one message.
const UNITS: u128 = 1 << 40;
/// A flow that misses less than one part in this number is complete.
const PRECISION: u128 = 1 << 30;
/// Weights that are not computed exactly are rounded to at most this number.
const ROUNDED: f64 = 1_000_000.0;

/// What a column stands for.
enum Meaning {
    Price,
    Switch { phase: usize, router: u32 },
    Cut { phase: usize, inside: Vec<bool> },
}

/// The program of some phases with the cuts found so far.
pub struct Program<'a> {
    phases: &'a [Broadcasts<'a>],
    /// The routers that must get all messages, by phase.
    receivers: Vec<Vec<u32>>,
    /// The opposite channel of each channel, if the first phase is the mirror image of the second one.
    /// Then only the second phase is in the program.
    mirror: Option<Vec<usize>>,
    simplex: Simplex,
    /// What each column after the slacks stands for.
    meanings: Vec<Meaning>,
    cuts: BTreeSet<(usize, Vec<bool>)>,
}

/// Routers that may copy but do not receive.
pub fn relays<'a>(phase: &'a Broadcasts) -> impl Iterator<Item = u32> + 'a {
    let is_relay = |&router: &u32| {
        phase.copying[router as usize]
            && !phase.receivers.contains(&router)
            && !phase.senders.contains(&router)
    };
    (0..phase.graph.routers).filter(is_relay)
}

impl<'a> Program<'a> {
    /// A program with the cuts around single routers. None if it has too many rows.
    pub fn new(phases: &'a [Broadcasts<'a>], demand: Relays) -> Option<Self> {
        let mirror = mirror(phases);
        let channels = phases.first()?.graph.links.len();
        let rows = if mirror.is_some() { channels } else { channels * phases.len() };
        if rows >= MOST_ROWS {
            return None;
        }
        let bandwidths = phases[0].graph.links.iter().map(|link| link.bandwidth as f64);
        let unit = bandwidths.sum::<f64>() / channels.max(1) as f64;
        let receivers = phases.iter().map(|phase| {
            let mut receivers = phase.receivers.to_vec();
            if demand == Relays::Receive {
                receivers.extend(relays(phase));
            }
            receivers.sort_unstable();
            receivers.dedup();
            receivers
        });
        let mut program = Program {
            phases,
            receivers: receivers.collect(),
            mirror,
            simplex: Simplex::new(rows + 1, unit, channels as f64),
            meanings: Vec::new(),
            cuts: BTreeSet::new(),
        };
        program.add_prices(rows)?;
        for phase in program.own_phases() {
            program.add_switches(phase, demand);
            program.add_simple_cuts(phase);
        }
        Some(program)
    }

    /// Adds cuts until none is violated. False if `stop` says so or rounding errors prevent it.
    pub fn solve(&mut self, stop: &dyn Fn() -> bool) -> bool {
        for _ in 0..MOST_ROUNDS {
            if self.simplex.maximise(stop).is_none() {
                return false;
            }
            let mut is_complete = true;
            for phase in self.own_phases() {
                for inside in self.violated(phase) {
                    is_complete &= !self.add_cut(phase, inside);
                }
            }
            if is_complete || stop() {
                return is_complete;
            }
        }
        false
    }

    /// The phases that are in the program.
    fn own_phases(&self) -> std::ops::Range<usize> {
        let first = if self.mirror.is_some() { 1 } else { 0 };
        first..self.phases.len()
    }

    /// The row of the load of a channel in a phase.
    fn row(&self, phase: usize, channel: usize) -> usize {
        match (&self.mirror, phase) {
            (None, _) => phase * self.phases[0].graph.links.len() + channel,
            (Some(mirror), 0) => mirror[channel],
            (Some(_), _) => channel,
        }
    }

    fn add(&mut self, column: Column, meaning: Meaning) {
        self.simplex.add(column);
        self.meanings.push(meaning);
    }

    /// The prices of the channels: one for both directions if the phases are mirror images. `last` is
    /// the last row.
    fn add_prices(&mut self, last: usize) -> Option<()> {
        for (channel, link) in self.phases[0].graph.links.iter().enumerate() {
            let is_second = self.mirror.as_ref().is_some_and(|mirror| mirror[channel] < channel);
            if link.tail == link.head || is_second {
                continue;
            }
            let loads = (0..self.phases.len()).map(|phase| (self.row(phase, channel), -1));
            let mut entries: Vec<(usize, i64)> = loads.collect();
            entries.push((last, i64::try_from(link.bandwidth).ok()?));
            self.add(Column { entries, gain: 0 }, Meaning::Price);
        }
        Some(())
    }

    fn add_switches(&mut self, phase: usize, demand: Relays) {
        let Broadcasts { graph, copying, .. } = self.phases[phase];
        let mut forwards: Vec<bool> = copying.iter().map(|copies| !copies).collect();
        if demand == Relays::Forward {
            relays(&self.phases[phase]).for_each(|router| forwards[router as usize] = true);
        }
        for router in (0..graph.routers).filter(|&router| forwards[router as usize]) {
            let links = graph.links.iter().enumerate().filter(|(_, link)| link.tail != link.head);
            let side =
                |link: &Link| i64::from(link.head == router) - i64::from(link.tail == router);
            let entries = links.map(|(channel, link)| (self.row(phase, channel), side(link)));
            let entries = entries.filter(|&(_, side)| side != 0).collect();
            self.add(Column { entries, gain: 0 }, Meaning::Switch { phase, router });
        }
    }

    /// Cuts around single receivers and single senders.
    fn add_simple_cuts(&mut self, phase: usize) {
        let routers = self.phases[phase].graph.routers;
        for receiver in self.receivers[phase].clone() {
            self.add_cut(phase, (0..routers).map(|router| router != receiver).collect());
        }
        for &sender in self.phases[phase].senders {
            if self.receivers[phase].iter().any(|&receiver| receiver != sender) {
                self.add_cut(phase, (0..routers).map(|router| router == sender).collect());
            }
        }
    }

    /// Adds a cut that misses a receiver. False if it is known already or no message must leave it.
    fn add_cut(&mut self, phase: usize, inside: Vec<bool>) -> bool {
        let Broadcasts { graph, senders, .. } = self.phases[phase];
        let is_inside = |router: u32| inside[router as usize];
        let messages = senders.iter().filter(|&&sender| is_inside(sender)).count() as i64;
        if messages == 0 || !self.cuts.insert((phase, inside.clone())) {
            return false;
        }
        let links = graph.links.iter().enumerate();
        let leaving = links.filter(|(_, link)| is_inside(link.tail) && !is_inside(link.head));
        let entries = leaving.map(|(channel, _)| (self.row(phase, channel), 1)).collect();
        self.add(Column { entries, gain: messages }, Meaning::Cut { phase, inside });
        true
    }

    /// Cuts whose channels have too little load, found by flows into every receiver.
    fn violated(&self, phase: usize) -> Vec<Vec<bool>> {
        let Broadcasts { graph, senders, .. } = self.phases[phase];
        let mut flow = Flow::new(graph.routers as usize + 1);
        for (channel, link) in graph.links.iter().enumerate() {
            let load = self.simplex.multipliers()[self.row(phase, channel)];
            flow.add_arc(link.tail, link.head, (load.max(0.0) * UNITS as f64).round() as u128);
        }
        for &sender in senders {
            flow.add_arc(graph.routers, sender, UNITS);
        }
        flow.set_source(graph.routers, true);
        let enough = senders.len() as u128 * UNITS;
        let mut cuts = Vec::new();
        for receiver in breadth_first(graph, &self.receivers[phase]) {
            let amount = flow.flow_into(receiver, enough);
            if amount < enough - enough / PRECISION {
                cuts.push((0..graph.routers).map(|router| !flow.is_below_cut(router)).collect());
            } else {
                flow.set_source(receiver, true);
            }
        }
        cuts
    }

    /// The exact loads of each phase. None if they need too large numbers.
    pub fn loads(&self, stop: &dyn Fn() -> bool) -> Option<Vec<Vec<Ratio>>> {
        let equation = |(_, column): (usize, &Column)| (column.entries.clone(), column.gain);
        let equations: Vec<Equation> = self.simplex.basis().map(equation).collect();
        let solution = solve(&equations, stop)?;
        let load = |row: usize| {
            let Signed { is_negative, numerator, denominator } = solution[row];
            (!is_negative).then(|| Ratio::new(numerator, denominator))
        };
        let channels = self.phases[0].graph.links.len();
        let phases = 0..self.phases.len();
        let of_phase =
            |phase| (0..channels).map(|channel| load(self.row(phase, channel))).collect();
        phases.map(of_phase).collect()
    }

    /// The weights of the cuts and switches, as whole numbers.
    pub fn weights(&self, stop: &dyn Fn() -> bool) -> (Vec<WeightedCut>, Vec<WeightedSwitch>) {
        let weights = self.exact_weights(stop).unwrap_or_else(|| self.rounded_weights());
        let (mut cuts, mut switches) = (Vec::new(), Vec::new());
        let slacks = self.simplex.rows();
        for ((column, _), weight) in self.simplex.basis().zip(weights) {
            let meaning = column.checked_sub(slacks).map(|at| &self.meanings[at]);
            let Some(meaning) = meaning.filter(|_| weight > 0) else { continue };
            let own = match meaning {
                Meaning::Price => continue,
                Meaning::Switch { phase, .. } | Meaning::Cut { phase, .. } => *phase,
            };
            let phases = if self.mirror.is_some() { 0..self.phases.len() } else { own..own + 1 };
            for phase in phases {
                match meaning {
                    Meaning::Price => {}
                    &Meaning::Switch { router, .. } => {
                        switches.push(WeightedSwitch { phase, weight, router });
                    }
                    Meaning::Cut { inside, .. } => {
                        cuts.push(WeightedCut { phase, weight, inside: inside.clone() });
                    }
                }
            }
        }
        (cuts, switches)
    }

    /// The values of the basic columns in proportion, as whole numbers; 0 for prices and slacks.
    fn exact_weights(&self, stop: &dyn Fn() -> bool) -> Option<Vec<u64>> {
        let rows = self.simplex.rows();
        let mut equations: Vec<Equation> = vec![(Vec::new(), 0); rows];
        equations[rows - 1].1 = 1;
        for (at, (_, column)) in self.simplex.basis().enumerate() {
            column.entries.iter().for_each(|&(row, value)| equations[row].0.push((at, value)));
        }
        let mut solution = solve(&equations, stop)?;
        for ((column, _), value) in self.simplex.basis().zip(&mut solution) {
            let meaning = column.checked_sub(rows).map(|at| &self.meanings[at]);
            // Rounding errors let a weight of 0 pass that should be slightly below.
            if value.is_negative || matches!(meaning, None | Some(Meaning::Price)) {
                *value = Signed { is_negative: false, numerator: 0, denominator: 1 };
            }
        }
        let common = solution.iter().try_fold(1u128, |common, value| {
            (common / gcd(common, value.denominator)).checked_mul(value.denominator)
        })?;
        let whole = |value: &Signed| value.numerator.checked_mul(common / value.denominator);
        let whole: Vec<u128> = solution.iter().map(whole).collect::<Option<_>>()?;
        let divisor = whole.iter().copied().fold(0, gcd).max(1);
        let fits = |weight: u128| u64::try_from(weight / divisor).ok().filter(|&it| it >> 63 == 0);
        whole.into_iter().map(fits).collect()
    }

    fn rounded_weights(&self) -> Vec<u64> {
        let values = self.simplex.values();
        let largest = values.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        values.iter().map(|value| (value.max(0.0) / largest * ROUNDED).round() as u64).collect()
    }
}

/// The opposite channel of each channel, if there are two phases of the same processors on opposite
/// graphs and every channel has an opposite one of the same bandwidth.
fn mirror(phases: &[Broadcasts]) -> Option<Vec<usize>> {
    let [first, second] = phases else { return None };
    let sorted = |routers: &[u32]| {
        let mut routers = routers.to_vec();
        routers.sort_unstable();
        routers
    };
    let is_alike = first.graph.reversed() == *second.graph
        && first.copying == second.copying
        && sorted(first.senders) == sorted(second.senders)
        && sorted(first.receivers) == sorted(second.receivers);
    if !is_alike {
        return None;
    }
    let mut channels: BTreeMap<(u32, u32, u64), Vec<usize>> = BTreeMap::new();
    for (channel, link) in second.graph.links.iter().enumerate() {
        channels.entry((link.tail, link.head, link.bandwidth)).or_default().push(channel);
    }
    let mut mirror = vec![0; second.graph.links.len()];
    for (&(tail, head, bandwidth), here) in &channels {
        let opposite = channels.get(&(head, tail, bandwidth))?;
        if opposite.len() != here.len() {
            return None;
        }
        here.iter().zip(opposite).for_each(|(&one, &other)| mirror[one] = other);
    }
    Some(mirror)
}
