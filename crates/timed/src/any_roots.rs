//! The throughput limit of an all-reduce whose roots are not given.

use crate::case::TimedCase;
use pavane_model::throughput::LimitCertificate;
use pavane_model::{Fraction, RouterId};

/// The limit of an all-reduce is that of equal shares for all roots, but another division may be
/// quicker. What the certificate proves for every division, in bytes: the least that must be carried if
/// one participant is the root of everything, as a multiple of what one byte for every root requires.
pub(crate) fn for_any_roots(case: &TimedCase, certificate: &LimitCertificate) -> Option<Fraction> {
    let phase = &case.phases[0];
    let collective = phase.problem.collective();
    let group = collective.senders.iter().chain(&collective.receivers);
    let mut homes: Vec<RouterId> = group.map(|&p| phase.problem.home(p)).collect();
    homes.sort_unstable();
    homes.dedup();
    let roots = phase.problem.messages().ids().map(|message| phase.origin(message.index()));
    let roots: Vec<RouterId> = roots.collect();
    let cuts: Vec<(usize, u64, &[RouterId])> = match certificate {
        LimitCertificate::Cut { routers } => {
            (0..case.phases.len()).map(|phase| (phase, 1, &routers[..])).collect()
        }
        LimitCertificate::Cuts { cuts, .. } => {
            cuts.iter().map(|cut| (cut.phase as usize, cut.weight, &cut.routers[..])).collect()
        }
        LimitCertificate::Prices { .. } => return None,
    };
    let mut by_home = vec![0u128; homes.len()];
    let mut of_all = 0u128;
    for (number, weight, routers) in cuts {
        let mut inside = vec![false; phase.routers()];
        routers.iter().for_each(|router| inside[router.index()] = true);
        let is_inside = |home: &RouterId| inside[home.index()];
        if homes.iter().all(is_inside) || !homes.iter().any(is_inside) {
            continue;
        }
        let crosses = |root: &RouterId| is_inside(root) != case.phases[number].is_backward;
        of_all += u128::from(weight) * roots.iter().filter(|root| crosses(root)).count() as u128;
        for (sum, _) in by_home.iter_mut().zip(&homes).filter(|(_, home)| crosses(home)) {
            *sum += u128::from(weight);
        }
    }
    let bytes: u64 = phase.sizes.iter().sum();
    let least = by_home.into_iter().min()?.checked_mul(bytes.into())?;
    Fraction::new(least, of_all)
}
