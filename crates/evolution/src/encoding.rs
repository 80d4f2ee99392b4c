//! The choice of a chromosome for a problem, and the parameters that determine it.

use crate::chromosome::{
    PathTables, Repair, ScatterGenome, StepEncoding, StoreAndForwardGenome, TreeGenome,
    can_count_hops,
};
use crate::search::{Frame, IndividualSearch, shortened};
use pavane_model::{Problem, Schedule, Switching};
use pavane_search::parameters::{Parameter, Parameters, Range};
use pavane_search::{Budget, Context, Interrupt, Rng};

/// How broadcasts that do not form a tree are repaired.
pub(crate) const REPAIR: Parameter = Parameter {
    name: "repair",
    meaning: "wormhole broadcast: a sender that lacks the message is replaced, or its transfer is delayed",
    range: Range::Word(&["replace", "delay"]),
    paper: 0.0,
    tuned: 1.0,
};

/// How the steps of a path are encoded under store-and-forward.
pub(crate) const TIMING: Parameter = Parameter {
    name: "timing",
    meaning: "store-and-forward: a step for every channel (window), or a start step only (start)",
    range: Range::Word(&["window", "start"]),
    paper: 0.0,
    tuned: 0.0,
};

/// Whether the first channels are always used in the first step.
pub(crate) const AT_ONCE: Parameter = Parameter {
    name: "at-once",
    meaning: "store-and-forward broadcast: every path starts in step 1 if ports allow it",
    range: Range::Word(&["no", "yes"]),
    paper: 1.0,
    tuned: 1.0,
};

/// Share of moves that join a path to the tree of the others.
pub(crate) const JOIN: Parameter = Parameter {
    name: "join",
    meaning: "store-and-forward broadcast: share of moves that join a path to a neighbour's",
    range: Range::Real(0.0, 1.0),
    paper: 0.0,
    tuned: 0.8,
};

/// How much longer paths may become by joining others.
pub(crate) const STRETCH: Parameter = Parameter {
    name: "stretch",
    meaning: "store-and-forward broadcast: hops by which joining may lengthen a path",
    range: Range::Whole(0, 1 << 20),
    paper: 0.0,
    tuned: 2.0,
};

/// Share of moves that swap the steps of two personalised messages.
pub(crate) const SWAP: Parameter = Parameter {
    name: "swap",
    meaning: "personalised messages, wormhole: share of moves that swap the steps of two messages of one sender",
    range: Range::Real(0.0, 1.0),
    paper: 0.0,
    tuned: 0.3,
};

/// Share of moves that change the step of a broadcast delivery.
pub(crate) const SLOTS: Parameter = Parameter {
    name: "slots",
    meaning: "broadcast by trees: share of moves that swap the steps of two messages of one receiver",
    range: Range::Real(0.0, 1.0),
    paper: 0.0,
    tuned: 0.9,
};

/// Whether store-and-forward all-gathers (AAB) are encoded as trees.
pub(crate) const TREES: Parameter = Parameter {
    name: "trees",
    meaning: "store-and-forward all-gather: a tree for every message instead of a path for every delivery",
    range: Range::Word(&["no", "yes"]),
    paper: 0.0,
    tuned: 1.0,
};

/// The choices determined by the parameters.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Encoding {
    repair: Repair,
    timing: StepEncoding,
    join: f64,
    swap: f64,
    slots: f64,
    stretch: u32,
    has_trees: bool,
}

impl Encoding {
    /// Reads the choices from the parameters.
    pub fn new(parameters: &Parameters) -> Self {
        let repair = if parameters.is(&REPAIR, "delay") { Repair::Delay } else { Repair::Replace };
        let timing = if parameters.is(&TIMING, "start") {
            StepEncoding::Start
        } else {
            StepEncoding::Window { at_once: parameters.is(&AT_ONCE, "yes") }
        };
        Self {
            repair,
            timing,
            join: parameters.value(&JOIN),
            swap: parameters.value(&SWAP),
            slots: parameters.value(&SLOTS),
            has_trees: parameters.is(&TREES, "yes"),
            stretch: parameters.whole(&STRETCH) as u32,
        }
    }

    fn trees<'a>(&self, genome: TreeGenome<'a>) -> Genome<'a> {
        Genome::Tree(genome.changing_slots(self.slots))
    }
}

/// The genome of a problem, in one of its encodings.
pub(crate) enum Genome<'a> {
    Scatter(ScatterGenome<'a>),
    Tree(TreeGenome<'a>),
    StoreAndForward(StoreAndForwardGenome<'a>, f64),
}

impl Genome<'_> {
    /// Runs a search and returns the schedule of the individual it found.
    pub fn search(
        &self,
        search: &impl IndividualSearch,
        frame: Frame,
        quota: u64,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Option<Schedule> {
        match self {
            Self::Scatter(genome) => {
                let random = |rng: &mut Rng| genome.random(rng);
                let found = search.run(frame, random, quota, budget, rng)?;
                shortened(&found, budget, rng)
            }
            Self::Tree(genome) => {
                let random = |rng: &mut Rng| genome.random(rng);
                let found = search.run(frame, random, quota, budget, rng)?;
                shortened(&found, budget, rng)
            }
            Self::StoreAndForward(genome, join) => {
                let random = |rng: &mut Rng| genome.random(rng).joining(*join);
                let found = search.run(frame, random, quota, budget, rng)?;
                shortened(&found, budget, rng)
            }
        }
    }
}

/// Calls `with` with the genome of a problem. Returns `None` if there are too few steps for its
/// paths, or at an interrupt before these are listed.
pub(crate) fn encodings<T>(
    context: &Context,
    Frame { steps, detour }: Frame,
    encoding: &Encoding,
    interrupt: &Interrupt,
    with: impl FnOnce(&Genome<'_>) -> Option<T>,
) -> Option<T> {
    let problem = context.problem();
    let tables = context.facts_of::<PathTables>();
    let paths = tables.get_until(problem, detour, interrupt)?;
    let hops = || {
        let genome = StoreAndForwardGenome::new(problem, steps, paths, encoding.timing)?;
        Some(Genome::StoreAndForward(genome.stretching(encoding.stretch), encoding.join))
    };
    let trees = |genome| encoding.trees(genome);
    let by_hops = || {
        if encoding.has_trees {
            let paths = tables.get_until(problem, 0, interrupt)?;
            TreeGenome::by_hops(problem, steps, paths).map(trees).or_else(hops)
        } else {
            hops()
        }
    };
    let messages = problem.messages();
    let genome = if problem.model().switching == Switching::StoreAndForward {
        by_hops()?
    } else if messages.ids().all(|message| messages.is_personalised(message)) {
        Genome::Scatter(ScatterGenome::new(problem, steps, paths).swapping(encoding.swap))
    } else {
        let is_by_hops =
            is_best_by_hops(problem) && !(encoding.has_trees && has_few_ports(problem));
        let genome = if is_by_hops { by_hops() } else { None };
        genome.unwrap_or_else(|| trees(TreeGenome::new(problem, steps, paths, encoding.repair)))
    };
    with(&genome)
}

/// Whether a wormhole broadcast is scheduled with paths of one hop: several messages, each with
/// several destinations, and one processor on every router. Throughput is then limited by ports and
/// channels, of which longer paths only use more.
fn is_best_by_hops(problem: &Problem) -> bool {
    let (messages, network) = (problem.messages(), problem.network());
    messages.len() > 1
        && messages.ids().all(|message| !messages.is_personalised(message))
        && network.routers().all(|r| network.is_lost(r) || network.residents(r).len() == 1)
}

/// Whether some processor has fewer ports than its router has channels. Wormhole trees are then
/// better, because neighbours are often busy.
fn has_few_ports(problem: &Problem) -> bool {
    let network = problem.network();
    network.living_processors().any(|processor| {
        let home = problem.home(processor);
        (problem.send_ports(processor) as usize) < network.out_channels(home).len()
            || (problem.receive_ports(processor) as usize) < network.in_channels(home).len()
    })
}

/// Whether individuals of the problem fit into memory.
pub(crate) fn fits(problem: &Problem) -> bool {
    problem.model().switching == Switching::Wormhole || can_count_hops(problem)
}
