//! Describes the problem of a schedule file as the index does. The description is built again and
//! compared with the file, so it is right or refused.

use crate::error::AtlasError;
use crate::judge::{JudgedFile, difference};
use crate::problem::AtlasProblem;
use pavane_model::tdm::TdmRules;
use pavane_model::timed::BufferSize;
use pavane_model::{Fault, Fraction, Model, Network, Problem, ProcessorId};
use std::path::Path;

impl AtlasProblem {
    /// The description of the problem of a file. `network` is the name of the network if it is not the
    /// one in the file, and `folder` is that of the atlas.
    pub fn of_file(
        file: &JudgedFile,
        network: Option<&str>,
        folder: &Path,
    ) -> Result<Self, AtlasError> {
        let of_name = Self {
            network: network.unwrap_or(file.network().name()).to_owned(),
            ..Self::default()
        };
        let (healthy, _) = of_name.network(folder)?;
        let name = |text: &String| match Fault::parse_numbers(&healthy, text) {
            Ok(fault) => fault.name(&healthy),
            Err(_) => text.clone(),
        };
        let faults = file.network().faults().iter().map(name).collect();
        let mut problem = Self { faults, ..of_name };
        match file {
            JudgedFile::Tdm(checked) => problem.set_tdm_rules(checked.schedule().problem.rules()),
            JudgedFile::Steps(checked, _) => problem.set_rules(checked.problem()),
            JudgedFile::Throughput(_) => problem.set_timing(file.network(), false, folder)?,
            JudgedFile::Time(checked) => {
                problem.set_timing(file.network(), true, folder)?;
                let schedule = checked.schedule();
                if let BufferSize::Bytes(bytes) = schedule.size {
                    problem.bytes = Some(bytes);
                }
                let usual = Model::default().duplex;
                let duplex = schedule.duplex;
                problem.duplex = (duplex != usual).then(|| duplex.to_string());
            }
        }
        problem.set_collective(file);
        problem.with_groups(file, folder)
    }

    fn set_tdm_rules(&mut self, rules: TdmRules) {
        let usual = TdmRules::default();
        self.depth = (rules.depth != usual.depth).then_some(rules.depth);
        self.phits = (rules.phits != usual.phits).then_some(rules.phits);
        self.no_wrap = !rules.wraps;
        self.routing = (rules.routing != usual.routing).then(|| rules.routing.to_string());
    }

    fn set_rules(&mut self, problem: &Problem) {
        let (model, usual) = (problem.model(), Model::default());
        self.ports = (model.ports != usual.ports).then(|| model.ports.to_string());
        self.switching =
            (model.switching != usual.switching).then(|| model.switching.short().to_owned());
        self.routing = (model.routing != usual.routing).then(|| model.routing.to_string());
        self.duplex = (model.duplex != usual.duplex).then(|| model.duplex.to_string());
        let chunks = problem.collective().chunk_count();
        self.chunks = (chunks > 1).then_some(chunks);
    }

    /// One bandwidth and one latency for all channels, where they are not those of the named network.
    fn set_timing(
        &mut self,
        network: &Network,
        with_latencies: bool,
        folder: &Path,
    ) -> Result<(), AtlasError> {
        let (_, named) = self.network(folder)?;
        let common = |values: Option<Vec<Fraction>>| values.and_then(|all| all.first().copied());
        if named.bandwidths().ok() != network.bandwidths().ok() {
            self.bandwidth = common(network.bandwidths().ok());
        }
        if with_latencies && named.latencies().ok() != network.latencies().ok() {
            self.latency = common(network.latencies().ok());
        }
        Ok(())
    }

    fn set_collective(&mut self, file: &JudgedFile) {
        self.collective = match file {
            JudgedFile::Tdm(_) => String::new(),
            JudgedFile::Throughput(plan) if plan.plan().phases.len() > 1 => "all-reduce".to_owned(),
            JudgedFile::Time(timed) if timed.schedule().phases.len() > 1 => "all-reduce".to_owned(),
            _ => file.problems()[0].collective().name.clone(),
        };
    }

    /// Adds the root or the groups where the collective needs them.
    fn with_groups(self, file: &JudgedFile, folder: &Path) -> Result<Self, AtlasError> {
        let mut refusal = None;
        for candidate in self.candidates(file) {
            match candidate.build(file.model(), folder) {
                Ok(built) => match difference(&built, file) {
                    None => return Ok(candidate),
                    Some(why) => _ = refusal.get_or_insert(why),
                },
                Err(error) => _ = refusal.get_or_insert(error.to_string()),
            }
        }
        let (command, why) = (self.command(file.model()), refusal.unwrap_or_default());
        Err(AtlasError::Problem(format!("the file is not for the problem of `{command}`: {why}")))
    }

    /// The same description with the ways to name the processors.
    fn candidates(&self, file: &JudgedFile) -> Vec<Self> {
        let mut candidates = vec![self.clone()];
        let [problem] = file.problems()[..] else { return candidates };
        let collective = problem.collective();
        let (roots, others) = if collective.is_backward() {
            (&collective.receivers, &collective.senders)
        } else {
            (&collective.senders, &collective.receivers)
        };
        if let [root] = roots[..] {
            let name = problem.network().router_name(problem.home(root));
            for text in [name, root.to_string()] {
                candidates.push(Self { root: Some(text.clone()), ..self.clone() });
                let group = Some(text_of(others));
                let (senders, receivers) =
                    if collective.is_backward() { (group, None) } else { (None, group) };
                candidates.push(Self { root: Some(text), senders, receivers, ..self.clone() });
            }
        }
        let (senders, receivers) = (&collective.senders, &collective.receivers);
        candidates.push(Self {
            senders: Some(text_of(senders)),
            receivers: Some(text_of(receivers)),
            ..self.clone()
        });
        candidates
    }
}

/// A group as the command line takes it: numbers and ranges.
fn text_of(group: &[ProcessorId]) -> String {
    let runs = group.chunk_by(|one, next| one.0 + 1 == next.0);
    let text = |run: &[ProcessorId]| match run {
        [one] => one.to_string(),
        _ => format!("{}-{}", run[0], run[run.len() - 1]),
    };
    runs.map(text).collect::<Vec<_>>().join(",")
}
