//! Bounds in words.

use pavane_model::TdmProblem;
use pavane_model::tdm::{PortDirection, TdmBound, TdmCertificate, TdmMessage};
use pavane_model::words::counted;

/// Why no schedule has a shorter period, in a sentence.
pub fn in_words(problem: &TdmProblem, bound: &TdmBound) -> String {
    let rules = problem.rules();
    let slots = counted(bound.period, "slot");
    let phits = if rules.phits == 1 { String::new() } else { format!(" of {} slots", rules.phits) };
    let edges = if rules.wraps {
        String::new()
    } else {
        format!(", and channels are idle for {} slots of a period", 2 * rules.depth)
    };
    match &bound.certificate {
        TdmCertificate::Ports { processor, direction, hops } => {
            let (verb, count) = port_words(problem, *processor, *direction, *hops);
            let name = problem.network().processor_name(*processor);
            let words = format!("processor {name} {verb} {}{phits}", counted(count, "word"));
            if rules.wraps {
                format!("{words}, one at a time: at least {slots}")
            } else {
                format!(
                    "{words} over at least {}, and the last one must arrive within the period: at \
                     least {slots}",
                    counted(*hops, "hop")
                )
            }
        }
        TdmCertificate::Capacity {} => {
            let channels = problem.network().channel_count();
            format!(
                "the hops of all words{phits} need at least {slots} of all {}{edges}",
                counted(channels as u64, "channel")
            )
        }
        TdmCertificate::Cut { routers } => {
            let network = problem.network();
            let mut inside = vec![false; network.router_count()];
            routers.iter().for_each(|router| inside[router.index()] = true);
            let is_inside = |router: Option<pavane_model::RouterId>| {
                router.is_some_and(|router| inside[router.index()])
            };
            let leaves = |message: &&TdmMessage| {
                is_inside(network.home(message.from)) && !is_inside(network.home(message.to))
            };
            let words: u64 =
                problem.messages().iter().filter(leaves).map(|m| u64::from(m.weight)).sum();
            let out = |ends: &&pavane_model::Channel| {
                inside[ends.tail.index()] && !inside[ends.head.index()]
            };
            let channels = network.channels().iter().filter(out).count();
            format!(
                "{}{phits} must leave a set of {} over {}{edges}: at least {slots}",
                counted(words, "word"),
                counted(routers.len() as u64, "router"),
                counted(channels as u64, "channel")
            )
        }
        TdmCertificate::Prices { .. } => {
            format!(
                "weighted congestion: every routing loads some channels for at least {slots}{edges}"
            )
        }
        TdmCertificate::Exact(exact) => {
            let (from, to) = (exact.from, exact.to);
            let refuted =
                if from == to { counted(to, "slot") } else { format!("{from} to {to} slots") };
            let are = if (from, to) == (1, 1) { "is" } else { "are" };
            format!(
                "{refuted} {are} impossible, by a proof that the judge has checked: at least {slots}"
            )
        }
        TdmCertificate::Offsets { hops } => {
            let far = match hops {
                0 | 1 => String::new(),
                hops => format!(" with at least {}", counted(*hops, "hop")),
            };
            format!(
                "words{far} are injected one after the other from the first slot on and ejected up to the \
                 last one, and their ways need the time between: at least {slots}"
            )
        }
        TdmCertificate::Latency { from, to } => {
            format!(
                "the demanded latency of message {from} -> {to} refutes a period, but is no bound"
            )
        }
        TdmCertificate::Residue {} if rules.phits > 1 => {
            let (before, phits) = (bound.period - 1, rules.phits);
            format!(
                "with {before} slots the busiest ports would be busy in every slot, so all words of such a port \
                 would begin with the same residue modulo {phits}, which their ways do not allow: at least {slots}"
            )
        }
        TdmCertificate::Residue {} => {
            let before = bound.period - 1;
            format!(
                "with {before} slots every port would be busy in every slot, and the offsets between \
                 injections and ejections would add up to a multiple of {before}; they do not: at least \
                 {slots}"
            )
        }
    }
}

fn port_words(
    problem: &TdmProblem,
    processor: pavane_model::ProcessorId,
    direction: PortDirection,
    hops: u32,
) -> (&'static str, u64) {
    let network = problem.network();
    let (verb, is_at): (_, fn(&TdmMessage) -> pavane_model::ProcessorId) = match direction {
        PortDirection::Send => ("sends", |message| message.from),
        PortDirection::Receive => ("receives", |message| message.to),
    };
    let distance = |message: &TdmMessage| {
        let (from, to) = (network.home(message.from)?, network.home(message.to)?);
        Some(network.distances_from(from)[to.index()])
    };
    let messages = problem.messages().iter().filter(|message| is_at(message) == processor);
    let far = messages.filter(|message| hops == 0 || distance(message).is_some_and(|d| d >= hops));
    (verb, far.map(|message| u64::from(message.weight)).sum())
}
