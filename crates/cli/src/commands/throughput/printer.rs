//! A judged answer as text, as JSON and as a plan file.

use super::bottleneck::bottleneck;
use crate::commands::atlas::start::{AtlasUse, engine_of};
use crate::commands::draw::plan::PlanPicture;
use crate::output::{Failure, print_json, print_json_with, standard};
use crate::picture_file::draw_or_write;
use crate::report::throughput::{
    AttainedReport, LimitReport, PathCounts, PhaseReport, Rate, ThroughputReport,
};
use crate::route_text;
use crate::schedule_file::PROGRAM;
use crate::words::{self, counted};
use pavane_model::collective::Kind;
use pavane_model::{Fraction, Problem, throughput};
use pavane_render::picture::ShownRoutes;
use pavane_throughput::answer::Answer;
use pavane_throughput::explanation::{explanation, status};
use pavane_throughput::rates::{Payload, figure};
use serde_json::{Map, Value, json};
use std::io::{self, Write};
use std::path::Path;

/// A judged answer, with what the user asked for.
pub struct AnswerPrinter<'a> {
    /// The name of the collective.
    pub collective: &'a str,
    /// The size of the buffer, as in nccl-tests.
    pub bytes: Option<u64>,
    /// The most trees per root.
    pub trees: Option<u32>,
    /// The problems, one for each phase of the collective.
    pub problems: &'a [Problem],
    /// The answer.
    pub found: &'a Answer,
    /// With `--atlas`: the entry of an isomorphic problem.
    pub atlas: Option<&'a AtlasUse>,
    /// With sizes from a file: the bytes of a message of relative size 1.
    pub unit: Option<u64>,
}

impl AnswerPrinter<'_> {
    fn problem(&self) -> &Problem {
        &self.problems[0]
    }

    fn payload(&self) -> Payload<'_> {
        Payload { problems: self.problems, bytes: self.bytes, unit: self.unit }
    }

    fn rate(&self, time: Fraction) -> Result<Rate, Failure> {
        self.payload().rate(time).map(Rate::from).map_err(Failure::bad_input)
    }

    fn status(&self) -> String {
        status(self.found, self.trees)
    }

    /// The fields of the file that are not part of the plan.
    fn more(&self) -> Map<String, Value> {
        let mut more = Map::new();
        more.insert("status".into(), self.status().into());
        let made_by = match self.atlas.and_then(AtlasUse::result) {
            None => json!({"program": PROGRAM}),
            Some(entry) => json!({"program": PROGRAM, "engine": engine_of(entry)}),
        };
        more.insert("made_by".into(), made_by);
        more
    }

    /// Writes the plan to a file.
    pub fn save(&self, path: &Path) -> Result<(), Failure> {
        let plan = &self.found.plan;
        let draw = |format| PlanPicture::new(plan.clone(), ShownRoutes::default())?.bytes(format);
        draw_or_write(path, draw, |out| throughput::write(out, plan, &self.more()))
    }

    /// The content of the plan file.
    pub fn plan_file(&self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        throughput::write(&mut bytes, &self.found.plan, &self.more())?;
        Ok(bytes)
    }

    /// Prints the report of a computation that took some seconds as JSON, with the plan unless it was written
    /// to `output`.
    pub fn print_json(&self, seconds: f64, output: Option<&Path>) -> Result<(), Failure> {
        let report = self.json(seconds, output)?;
        match output {
            Some(_) => print_json(&report),
            None => print_json_with(&report, "plan", |out| {
                throughput::write(out, &self.found.plan, &self.more())
            }),
        }
    }

    fn trees(&self) -> usize {
        if self.found.phases.is_empty() {
            return self.stored_trees().0;
        }
        self.found.phases.iter().map(|phase| phase.plan.trees.len()).sum()
    }

    /// The trees of a plan from a file, and the most of one root in a phase.
    fn stored_trees(&self) -> (usize, usize) {
        let (mut trees, mut most) = (0, 0);
        if self.found.has_paths() {
            return (trees, most);
        }
        for phase in &self.found.plan.phases {
            let mut counts = vec![0; phase.problem.messages().len()];
            for route in &phase.routes {
                counts[route.message.index()] += 1;
                trees += 1;
            }
            most = most.max(counts.into_iter().max().unwrap_or(0));
        }
        (trees, most)
    }

    fn trees_per_root(&self) -> usize {
        if self.found.phases.is_empty() {
            return self.stored_trees().1;
        }
        let each = self.found.phases.iter().map(|phase| phase.plan.trees_per_sender());
        each.max().unwrap_or(0)
    }

    fn depth(&self) -> u32 {
        self.found.phases.iter().map(|phase| phase.plan.depth()).max().unwrap_or(0)
    }

    /// The number of paths, the most of one message, and the most channels of one path.
    fn paths(&self) -> PathCounts {
        let routes = self.found.plan.phases.iter().flat_map(|phase| &phase.routes);
        let mut counts = vec![0; self.payload().messages() as usize];
        let (mut paths, mut longest) = (0, 0);
        for route in routes {
            counts[route.message.index()] += 1;
            paths += 1;
            longest = longest.max(route.channels.len());
        }
        PathCounts { paths, paths_per_message: counts.into_iter().max().unwrap_or(0), longest }
    }

    /// The size of the plan in words.
    fn plan_size(&self) -> String {
        let at_most =
            |count: usize| if count == 1 { "1".to_owned() } else { format!("at most {count}") };
        if self.found.has_paths() {
            let PathCounts { paths, paths_per_message, longest } = self.paths();
            return format!(
                "{}, {} per message, {} long",
                counted(paths as u64, "path"),
                at_most(paths_per_message),
                at_most(longest)
            );
        }
        let trees = counted(self.trees() as u64, "tree");
        let size = format!("{trees}, {} per root", at_most(self.trees_per_root()));
        if self.found.phases.is_empty() { size } else { format!("{size}, depth {}", self.depth()) }
    }

    /// The report without the plan.
    fn json(&self, seconds: f64, output: Option<&Path>) -> Result<ThroughputReport<'_>, Failure> {
        let Self { problems, found, .. } = self;
        let network = self.problem().network();
        let phases = problems.iter().zip(&found.phases).map(|(problem, phase)| PhaseReport {
            kind: problem.collective().kind,
            limit_ns_per_byte: phase.limit.to_string(),
            ns_per_byte: phase.time.to_string(),
            trees: phase.plan.trees.len(),
            depth: phase.plan.depth(),
        });
        Ok(ThroughputReport {
            network: network.name(),
            faults: network.fault_names(),
            collective: self.collective,
            processors: self.payload().processors().len(),
            messages: self.payload().messages() as usize,
            bytes: self.bytes,
            unit_bytes: self.unit,
            limit: LimitReport {
                rate: self.rate(found.limit)?,
                explanation: explanation(problems, found, self.unit),
                bottleneck: bottleneck(network, found),
            },
            attained: AttainedReport {
                rate: self.rate(found.time)?,
                trees: self.trees(),
                trees_per_root: self.trees_per_root(),
                depth: self.depth(),
                paths: self.found.has_paths().then(|| self.paths()),
                optimal: found.is_optimal(),
                excess_percent: found.excess_percent(),
                status: self.status(),
            },
            phases: (problems.len() > 1 && !found.phases.is_empty()).then(|| phases.collect()),
            atlas: self.atlas.map(AtlasUse::report),
            seconds,
            file: output.map(|path| path.display().to_string()),
            plan: None,
        })
    }

    /// One line: the problem.
    pub fn title(&self) -> String {
        words::problem_line(self.collective, self.problem())
    }

    /// The answer in words: the names of its parts with their texts.
    pub fn lines(&self) -> Result<Vec<(&'static str, String)>, Failure> {
        let found = self.found;
        let (limit, time) = (self.rate(found.limit)?, self.rate(found.time)?);
        let mut lines = vec![
            ("limit", self.rate_in_words(&limit)),
            ("why", explanation(self.problems, found, self.unit)),
        ];
        if let [reduce, gather] = &found.phases[..] {
            let text = format!(
                "reduce-scatter {} and all-gather {} ns per byte at least if each had all channels; \
                 they share the channels at the same time, and the limit holds for all such plans",
                reduce.limit, gather.limit
            );
            lines.push(("phases", text));
        }
        lines.push(("plan", format!("{}; {}", self.plan_size(), self.status())));
        if !found.is_optimal() {
            lines.push(("attained", self.rate_in_words(&time)));
        }
        if let (Some(bytes), Some(at_limit), Some(planned)) =
            (self.bytes, limit.microseconds, time.microseconds)
        {
            lines.push(("time", self.time_in_words(bytes, at_limit, planned)));
        }
        Ok(lines)
    }

    /// The time of the plan and that of the limit in microseconds, in words.
    fn time_in_words(&self, bytes: u64, at_limit: f64, planned: f64) -> String {
        let bytes = counted(bytes, "byte");
        let text = format!("{} µs for {bytes}, without latencies", figure(planned));
        if self.found.is_optimal() {
            text
        } else {
            format!("{text}; at the limit {} µs", figure(at_limit))
        }
    }

    /// Prints the answer as text, with the file of the plan, and all trees or paths if asked for.
    pub fn print(&self, output: Option<&Path>, is_all: bool) -> Result<(), Failure> {
        let mut out = standard();
        writeln!(out, "{}", self.title())?;
        for (name, text) in self.lines()? {
            writeln!(out, "  {name:<10}{text}")?;
        }
        if let Some(used) = self.atlas {
            writeln!(out, "  atlas     {}", used.in_words())?;
        }
        if let Some(note) = words::default_bandwidth(self.problem().network(), "--bandwidth") {
            writeln!(out, "  note      {note}")?;
        }
        if let Some(path) = output {
            writeln!(out, "  written   {}", path.display())?;
        }
        if is_all {
            route_text::write_plan(&self.found.plan, &mut out)?;
        }
        out.flush()?;
        Ok(())
    }

    fn rate_in_words(&self, rate: &Rate) -> String {
        match (self.total_bytes(), rate.microseconds) {
            (Some(bytes), Some(microseconds)) => {
                let bandwidth = bytes as f64 / (1000.0 * microseconds);
                let (time, bandwidth) = (figure(microseconds), figure(bandwidth));
                format!("{time} µs for the {bytes} bytes of all messages: {bandwidth} GB/s in all")
            }
            _ => rate_in_words(rate, a_message(self.problem(), self.found.has_paths())),
        }
    }

    /// With sizes from a file: the sum of all sizes.
    fn total_bytes(&self) -> Option<u128> {
        let sizes = self.found.plan.phases.iter().flat_map(|phase| &phase.sizes);
        let units: u128 = sizes.copied().map(u128::from).sum();
        self.unit.map(|unit| units * u128::from(unit))
    }
}

/// A message of a collective, by its customary name.
pub fn a_message(problem: &Problem, has_paths: bool) -> &'static str {
    if problem.messages().len() == 1 {
        "the message"
    } else if problem.collective().kind == Kind::Messages {
        "a message"
    } else if has_paths {
        "a block"
    } else {
        "a shard"
    }
}

/// A time in words: `3/65 ns per byte of a shard; algorithm bandwidth 346.67 GB/s, …`.
pub fn rate_in_words(rate: &Rate, what: &str) -> String {
    let mut text = format!("{} ns per byte of {what}", rate.ns_per_byte);
    if let Some(bandwidth) = rate.algorithm_gbytes {
        text += &format!("; algorithm bandwidth {} GB/s", figure(bandwidth));
    }
    if let Some(bandwidth) = rate.bus_gbytes {
        text += &format!(", bus bandwidth {} GB/s", figure(bandwidth));
    }
    text
}
