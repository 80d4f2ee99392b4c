//! The heat of every part of a network: the mean loss over the sets of faults that contain it.

use crate::heat_map::Heat;
use pavane_model::{Fault, Network};

/// The effect of a set of faults.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effect {
    /// What it costs, as a share; `None` if there is no result.
    pub loss: Option<f64>,
    /// Whether it disconnects processors.
    pub is_cut: bool,
}

/// The heat of every part that a set with a result contains. `sets` are the sets of faults, as indices of
/// parts, each with its effect; `in_words` describes a loss.
pub fn heats<'a>(
    network: &Network,
    parts: &[Fault],
    sets: impl Iterator<Item = (&'a [u32], Effect)>,
    in_words: &dyn Fn(f64) -> String,
) -> Vec<Heat> {
    // By part: sum of losses, number of sets with a loss, number of sets that disconnect
    // processors.
    let mut heat = vec![(0.0, 0usize, 0usize); parts.len()];
    for (set, Effect { loss, is_cut }) in sets {
        for &part in set {
            let (sum, with, cut) = &mut heat[part as usize];
            match loss {
                Some(loss) => {
                    *sum += loss;
                    *with += 1;
                }
                None => *cut += usize::from(is_cut),
            }
        }
    }
    let heats = parts.iter().zip(heat).filter(|(_, (_, with, cut))| with + cut > 0);
    let heats = heats.map(|(&fault, (sum, with, cut))| {
        let loss = (with > 0 && cut <= with).then(|| sum / with as f64);
        let router = |router| network.router_name(router);
        let name = match fault {
            Fault::Link(tail, head) => format!("link {} – {}", router(tail), router(head)),
            Fault::Channel(tail, head) => format!("channel {} → {}", router(tail), router(head)),
            Fault::Router(lost) => format!("router {}", router(lost)),
        };
        let note = match (loss, cut) {
            (Some(loss), 0) => format!("{name}: {}", in_words(loss)),
            (Some(loss), cut) => format!(
                "{name}: {}, {cut} of {} sets of faults disconnect processors",
                in_words(loss),
                with + cut
            ),
            (None, _) => format!("{name}: disconnects processors"),
        };
        Heat { fault, loss: loss.map(|loss| loss.max(0.0)), note }
    });
    heats.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pavane_model::RouterId;

    #[test]
    fn losses_are_means_and_cuts_are_counted() {
        let parts: Vec<Fault> = (0..4).map(|router| Fault::Router(RouterId(router))).collect();
        let effect = |loss, is_cut| Effect { loss, is_cut };
        let sets = [
            (&[0, 1][..], effect(Some(0.5), false)),
            (&[0, 2], effect(Some(0.1), false)),
            (&[1, 2], effect(None, true)),
            (&[2, 3], effect(None, true)),
            (&[3], effect(None, false)),
        ];
        let network = pavane_networks::topology::build("ring:4").unwrap();
        let in_words = |loss: f64| format!("{loss:.1}");
        let found = heats(&network, &parts, sets.into_iter(), &in_words);
        let links =
            [Fault::Link(RouterId(0), RouterId(1)), Fault::Channel(RouterId(1), RouterId(2))];
        let sets = [(&[0][..], effect(Some(0.0), false)), (&[1], effect(Some(0.0), false))];
        let named = heats(&network, &links, sets.into_iter(), &in_words);
        assert_eq!([&*named[0].note, &*named[1].note], ["link 0 – 1: 0.0", "channel 1 → 2: 0.0"]);
        let notes: Vec<&str> = found.iter().map(|heat| heat.note.as_str()).collect();
        assert_eq!(
            notes,
            [
                "router 0: 0.3",
                "router 1: 0.5, 1 of 2 sets of faults disconnect processors",
                "router 2: disconnects processors",
                "router 3: disconnects processors"
            ]
        );
        assert_eq!(found[0].loss, Some(0.3));
        assert_eq!(found[2].loss, None);
    }
}
