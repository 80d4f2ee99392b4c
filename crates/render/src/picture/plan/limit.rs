//! What limits the throughput, as the judge has proved it: the channels that the certificate names,
//! the routers of a cut, and a sentence.

use super::super::bandwidth::label;
use super::phase_name;
use pavane_model::throughput::LimitCertificate;
use pavane_model::{Channel, ChannelId, Fraction, RouterId, words};
use pavane_verify::CheckedPlan;

/// The channels and routers to mark.
pub struct Limit {
    /// By channel: whether it is marked.
    pub is_marked: Vec<bool>,
    /// The routers on the smaller side of a single cut, without lost ones.
    pub routers: Vec<RouterId>,
    /// What is marked.
    pub text: String,
}

impl Limit {
    /// What the certificate of a plan names; `None` if no limit is proved.
    pub fn of(checked: &CheckedPlan) -> Option<Self> {
        let (proved, certificate) = checked.proved()?;
        match certificate {
            LimitCertificate::Cut { routers } => Some(Self::cut(checked, proved, routers, "cut")),
            LimitCertificate::Cuts { cuts, .. } => match &cuts[..] {
                [only] => {
                    let phase = phase_name(checked, only.phase as usize);
                    Some(Self::cut(checked, proved, &only.routers, &format!("cut in {phase}")))
                }
                _ => Some(Self::cuts(checked, cuts.iter().map(|cut| &cut.routers[..]))),
            },
            LimitCertificate::Prices { prices } => Some(Self::prices(checked, proved, prices)),
        }
    }

    fn cut(checked: &CheckedPlan, proved: Fraction, routers: &[RouterId], name: &str) -> Self {
        let network = checked.network();
        let is_inside = inside(checked, routers);
        let is_marked = leaving(checked, &is_inside);
        let bandwidth = total(checked, |channel| u64::from(is_marked[channel]));
        // The judge has divided what must cross by this bandwidth.
        let amount = bandwidth.and_then(|bandwidth| bandwidth.checked_mul(proved));
        let living = || network.routers().filter(|&router| !network.is_lost(router));
        let (inner, outer): (Vec<RouterId>, Vec<RouterId>) =
            living().partition(|router| is_inside[router.index()]);
        let (verb, routers) =
            if inner.len() <= outer.len() { ("leave", inner) } else { ("enter", outer) };
        let count = is_marked.iter().filter(|&&is_marked| is_marked).count();
        let text = format!(
            "{name}: {} must {verb} the shaded area over {}{}",
            amount.map_or("what is sent".to_owned(), |amount| things(checked, amount)),
            words::counted(count, "channel"),
            bandwidth.map_or(String::new(), |sum| format!(" with {}", label(sum.to_f64())))
        );
        Self { is_marked, routers, text }
    }

    fn cuts<'a>(checked: &CheckedPlan, cuts: impl Iterator<Item = &'a [RouterId]>) -> Self {
        let mut is_marked = vec![false; checked.network().channel_count()];
        let mut number = 0usize;
        for routers in cuts {
            number += 1;
            let leaves = leaving(checked, &inside(checked, routers));
            is_marked.iter_mut().zip(leaves).for_each(|(marked, leaves)| *marked |= leaves);
        }
        let count = is_marked.iter().filter(|&&is_marked| is_marked).count();
        let text = format!(
            "{} with {} that leave them prove the limit together",
            words::counted(number, "weighted cut"),
            words::counted(count, "channel")
        );
        Self { is_marked, routers: Vec::new(), text }
    }

    fn prices(checked: &CheckedPlan, proved: Fraction, prices: &[u64]) -> Self {
        let is_marked: Vec<bool> = prices.iter().map(|&price| price > 0).collect();
        let count = is_marked.iter().filter(|&&is_marked| is_marked).count();
        let offered = total(checked, |channel| prices[channel]);
        let cost = offered.and_then(|offered| offered.checked_mul(proved));
        let amounts = offered.zip(cost).map_or(String::new(), |(offered, cost)| {
            format!(
                ": all messages cost {cost} per byte, and the channels provide {offered} per ns"
            )
        });
        let text = format!("prices on {}{amounts}", words::counted(count, "channel"));
        Self { is_marked, routers: Vec::new(), text }
    }
}

/// What must cross a cut: `15 shards`, `the message`.
fn things(checked: &CheckedPlan, amount: Fraction) -> String {
    let phases = &checked.plan().phases;
    match &phases[..] {
        [only] if !only.sizes.is_empty() => format!("messages of total size {amount}"),
        [only] if only.problem.messages().len() == 1 && only.problem.is_backward() => {
            "the sum".to_owned()
        }
        [only] if only.problem.messages().len() == 1 => "the message".to_owned(),
        [only] if only.has_paths() => format!("{amount} messages"),
        _ if amount == Fraction::from(1) => "1 shard".to_owned(),
        _ => format!("{amount} shards"),
    }
}

/// By router, whether it is in a list.
fn inside(checked: &CheckedPlan, routers: &[RouterId]) -> Vec<bool> {
    let mut is_inside = vec![false; checked.network().router_count()];
    routers.iter().for_each(|router| is_inside[router.index()] = true);
    is_inside
}

/// By channel, whether it leaves these routers.
fn leaving(checked: &CheckedPlan, is_inside: &[bool]) -> Vec<bool> {
    let leaves = |ends: &Channel| is_inside[ends.tail.index()] && !is_inside[ends.head.index()];
    checked.network().channels().iter().map(leaves).collect()
}

/// The sum of bandwidth times a factor; `None` if it needs more than 128 bits.
fn total(checked: &CheckedPlan, factor: impl Fn(usize) -> u64) -> Option<Fraction> {
    let bandwidths = checked.network().bandwidths().ok()?;
    let channels = (0..bandwidths.len() as u32).map(ChannelId);
    channels.zip(bandwidths).try_fold(Fraction::ZERO, |sum, (channel, bandwidth)| {
        sum.checked_add(bandwidth.checked_mul(Fraction::from(factor(channel.index())))?)
    })
}
