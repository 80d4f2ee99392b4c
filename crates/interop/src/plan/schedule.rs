//! Converts GPU plans to schedules: what the sends carry becomes messages, and sums become a reduce
//! and a broadcast. Rank i is processor i.

use super::{Carried, Plan, Value};
use crate::import::{Demand, Foreign, Imported, ImportedError, Movement, problem_of, steps};
use pavane_model::{
    Collective, Kind, MessageId, Model, Network, NetworkBuilder, Problem, ProcessorId,
};
use std::collections::{BTreeMap, BTreeSet};

impl Foreign for Plan {
    fn convert(
        &self,
        network: Option<Network>,
        model: Model,
    ) -> Result<Vec<Imported>, ImportedError> {
        from_plan(self, network, model)
    }
}

/// Reads a plan in order to import it.
pub(crate) fn read_foreign(text: &str) -> Result<Box<dyn Foreign>, ImportedError> {
    let plan = super::read(text).map_err(|error| ImportedError::Unreadable(error.to_string()))?;
    Ok(Box::new(plan))
}

/// Converts a correct plan to schedules: one phase, or two if sums are distributed (a reduce, then
/// a broadcast). If no network is given, ranks that communicate are connected directly.
///
/// ```
/// use pavane_interop::plan::from_plan;
/// use pavane_model::Model;
///
/// let plan = pavane_interop::plan::read(
///     r#"<algo name="to" ngpus="2" coll="broadcast" proto="Simple">
///       <gpu id="0" i_chunks="1" o_chunks="1" s_chunks="0"><tb id="0" send="1" recv="-1" chan="0">
///         <step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
///         <step s="1" type="cpy" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
///       </tb></gpu>
///       <gpu id="1" i_chunks="1" o_chunks="1" s_chunks="0"><tb id="0" send="-1" recv="0" chan="0">
///         <step s="0" type="r" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
///       </tb></gpu></algo>"#,
/// )?;
/// let imported = from_plan(&plan, None, Model::default())?;
/// assert_eq!(imported[0].schedule.step_count(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn from_plan(
    plan: &Plan,
    network: Option<Network>,
    model: Model,
) -> Result<Vec<Imported>, ImportedError> {
    if let Some(fault) = plan.faults().first() {
        return Err(ImportedError::Unreadable(format!(
            "the plan is not correct, so it gives no schedule: {fault}"
        )));
    }
    let ranks = plan.rank_count() as u32;
    let run = plan.run();
    let network = match network {
        Some(network) => network,
        None => network_of(plan, &run.carried)?,
    };
    if network.living_processors().count() != ranks as usize
        || network.processor_count() != ranks as usize
    {
        return Err(ImportedError::Unreadable(format!(
            "the plan has {ranks} ranks, but {} has {} processors",
            network.name(),
            network.living_processors().count()
        )));
    }
    let outputs = plan.outputs(&run);
    if outputs.iter().any(|(_, value)| value.terms().len() > 1) {
        sums(&run.carried, &outputs, network, model)
    } else {
        Ok(vec![messages(plan, &run.carried, &outputs, network, model)?])
    }
}

/// A link between every two ranks that send to each other, a channel where only one of them sends.
fn network_of(plan: &Plan, carried: &[Carried]) -> Result<Network, ImportedError> {
    let pairs: BTreeSet<(u32, u32)> = carried.iter().map(|one| (one.from, one.to)).collect();
    let name = format!("connections of {}", plan.name);
    let mut builder = NetworkBuilder::new(name, plan.rank_count() as u32);
    for &(from, to) in &pairs {
        if !pairs.contains(&(to, from)) {
            builder.channel(from, to);
        } else if from < to {
            builder.link(from, to);
        }
    }
    builder.processor_on_each_router();
    Ok(builder.build()?)
}

/// Every input chunk that another rank wants is a message.
fn messages(
    plan: &Plan,
    carried: &[Carried],
    outputs: &[(u32, Value)],
    network: Network,
    model: Model,
) -> Result<Imported, ImportedError> {
    let mut wanted: BTreeMap<(u32, u32), BTreeSet<u32>> = BTreeMap::new();
    for (rank, value) in outputs {
        if let [(origin, chunk, 1)] = *value.terms()
            && origin != *rank
        {
            wanted.entry((origin, chunk)).or_default().insert(*rank);
        }
    }
    let demand = |key: &(u32, u32)| -> Option<Demand> {
        wanted.get(key).map(|to| (key.0, to.iter().copied().collect()))
    };
    let demands: Vec<Demand> = wanted.keys().filter_map(demand).collect();
    let (problem, numbers) = problem_of(network, model, &plan.collective, &demands)?;
    let mut message_of: BTreeMap<(u32, u32), MessageId> = BTreeMap::new();
    let mut used: BTreeMap<Demand, usize> = BTreeMap::new();
    for key in wanted.keys() {
        let Some(demand) = demand(key) else { continue };
        let place = used.entry(demand.clone()).or_default();
        message_of.insert(*key, numbers[&demand][*place]);
        *place += 1;
    }
    let mut movements: Vec<Movement> = Vec::new();
    for one in carried {
        for value in &one.values {
            let [(origin, chunk, _)] = *value.terms() else { continue };
            let Some(&message) = message_of.get(&(origin, chunk)) else {
                return Err(ImportedError::DoesNotFit(format!(
                    "chunk {chunk} of rank {origin} is sent, but no other rank needs it"
                )));
            };
            movements.push((message, ProcessorId(one.from), ProcessorId(one.to)));
        }
    }
    let schedule = steps::place(&problem, &movements)?;
    Ok(Imported { problem, schedule })
}

/// A transfer of a sum or partial sum: chunk, sender, receiver.
type Part = (u32, u32, u32);

/// Converts transfers of partial sums to a reduce, and transfers of complete sums to the broadcast
/// that follows.
fn sums(
    carried: &[Carried],
    outputs: &[(u32, Value)],
    network: Network,
    model: Model,
) -> Result<Vec<Imported>, ImportedError> {
    let wholes_of = contributors(outputs)?;
    let size = |chunk: u32| wholes_of.get(&chunk).map_or(0, BTreeSet::len);
    let (mut parts, mut wholes): (Vec<Part>, Vec<Part>) = (Vec::new(), Vec::new());
    for one in carried {
        for value in &one.values {
            let chunk = chunk_of(value)?;
            let is_whole = value.terms().len() == size(chunk);
            let list = if is_whole { &mut wholes } else { &mut parts };
            list.push((chunk, one.from, one.to));
        }
    }
    let roots = roots(&parts)?;
    let mut order: Vec<u32> = roots.values().copied().collect();
    order.sort_unstable();
    let counts: Vec<usize> = order.chunk_by(|a, b| a == b).map(<[u32]>::len).collect();
    order.dedup();
    let chunks = counts.first().copied().unwrap_or(1) as u32;
    if let Some(at) = counts.iter().position(|&count| count as u32 != chunks) {
        return Err(ImportedError::DoesNotFit(format!(
            "{chunks} sums are completed at rank {}, but {} at rank {}; all roots must have equally many",
            order[0], counts[at], order[at]
        )));
    }
    let senders = senders(&wholes_of, &roots)?;
    let group = |all: &[u32]| all.iter().copied().map(ProcessorId).collect::<Vec<_>>();
    let is_all = order == senders;
    let reduce = if is_all { "reduce-scatter" } else { "reduce" };
    let collective = Collective::between(Kind::Reduce, reduce, group(&senders), group(&order));
    let collective = collective.in_chunks(chunks);
    let problem = Problem::new(network.clone(), collective, model)?;
    let mut phases = vec![phase(problem, &roots, &parts)?];
    if !wholes.is_empty() {
        let has_whole = |(rank, value): &&(u32, Value)| {
            order != [*rank]
                && chunk_of(value).is_ok_and(|chunk| value.terms().len() == size(chunk))
        };
        let receivers: BTreeSet<u32> =
            outputs.iter().filter(has_whole).map(|(rank, _)| *rank).collect();
        let receivers: Vec<u32> = receivers.into_iter().collect();
        let spread = if is_all { "all-gather" } else { "broadcast" };
        let collective =
            Collective::between(Kind::Broadcast, spread, group(&order), group(&receivers))
                .in_chunks(chunks);
        phases.push(phase(Problem::new(network, collective, model)?, &roots, &wholes)?);
    }
    Ok(phases)
}

/// The sum that a value is a part of. Fails unless the value adds the same chunk of each input at
/// most once.
fn chunk_of(value: &Value) -> Result<u32, ImportedError> {
    let terms = value.terms();
    let chunk = terms.first().map_or(0, |term| term.1);
    if terms.iter().all(|term| (term.1, term.2) == (chunk, 1)) {
        Ok(chunk)
    } else {
        Err(ImportedError::DoesNotFit(format!("{value} is a part of several sums")))
    }
}

/// The ranks that contribute to each sum: those of its largest value in an output.
fn contributors(outputs: &[(u32, Value)]) -> Result<BTreeMap<u32, BTreeSet<u32>>, ImportedError> {
    let mut wholes: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    for (_, value) in outputs.iter().filter(|(_, value)| value.terms().len() > 1) {
        let known = wholes.entry(chunk_of(value)?).or_default();
        if value.terms().len() > known.len() {
            *known = value.terms().iter().map(|term| term.0).collect();
        }
    }
    Ok(wholes)
}

/// The ranks that contribute to the sums, without the contributions of roots to their own sums.
/// Fails if a rank contributes to some sums only.
fn senders(
    wholes: &BTreeMap<u32, BTreeSet<u32>>,
    roots: &BTreeMap<u32, u32>,
) -> Result<Vec<u32>, ImportedError> {
    let others = |(chunk, root): (&u32, &u32)| {
        let mut ranks = wholes.get(chunk).cloned().unwrap_or_default();
        ranks.remove(root);
        ranks
    };
    let all: BTreeSet<u32> = roots.iter().flat_map(others).collect();
    for (chunk, root) in roots {
        let whole = wholes.get(chunk);
        let has = |rank: &u32| rank == root || whole.is_some_and(|whole| whole.contains(rank));
        if let Some(rank) = all.iter().find(|rank| !has(rank)) {
            return Err(ImportedError::DoesNotFit(format!(
                "rank {rank} contributes to some sums, but not to the one of rank {root}"
            )));
        }
    }
    Ok(all.into_iter().collect())
}

/// The rank at which each sum is completed: the one that receives parts and sends none. Fails if it
/// is not unique.
fn roots(parts: &[Part]) -> Result<BTreeMap<u32, u32>, ImportedError> {
    let mut roots: BTreeMap<u32, u32> = BTreeMap::new();
    let givers: BTreeSet<(u32, u32)> =
        parts.iter().map(|&(chunk, from, _)| (chunk, from)).collect();
    for &(chunk, _, to) in parts.iter().filter(|(chunk, _, to)| !givers.contains(&(*chunk, *to))) {
        if *roots.entry(chunk).or_insert(to) != to {
            return Err(ImportedError::DoesNotFit(format!(
                "sum {chunk} is completed at several ranks, {} and {to}; a reduce has one root",
                roots[&chunk]
            )));
        }
    }
    match givers.iter().find(|(chunk, _)| !roots.contains_key(chunk)) {
        Some((chunk, _)) => Err(ImportedError::DoesNotFit(format!(
            "sum {chunk} has no root: every rank that receives parts of it also sends some"
        ))),
        None => Ok(roots),
    }
}

fn phase(
    problem: Problem,
    roots: &BTreeMap<u32, u32>,
    parts: &[Part],
) -> Result<Imported, ImportedError> {
    let messages = problem.messages();
    let mut free: BTreeMap<u32, Vec<MessageId>> = BTreeMap::new();
    messages.ids().rev().for_each(|m| free.entry(messages.origin(m).0).or_default().push(m));
    let next = |(&chunk, root): (&u32, &u32)| Some((chunk, free.get_mut(root)?.pop()?));
    let numbers: BTreeMap<u32, MessageId> = roots.iter().filter_map(next).collect();
    let mut movements = Vec::new();
    for &(chunk, from, to) in parts {
        let Some(&message) = numbers.get(&chunk) else {
            return Err(ImportedError::DoesNotFit(format!("sum {chunk} has no root")));
        };
        movements.push((message, ProcessorId(from), ProcessorId(to)));
    }
    let schedule = steps::place(&problem, &movements)?;
    Ok(Imported { problem, schedule })
}
