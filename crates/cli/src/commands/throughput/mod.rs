//! `pavane throughput NETWORK COLLECTIVE`: the throughput limit with its reason, and a plan that the
//! judge has accepted.

mod bottleneck;
mod sizes;

use crate::args::throughput::ThroughputArgs;
use crate::commands::interrupt;
use crate::output::{DONE, Failure, check_place, is_standard, print_json, standard, write_file};
use crate::progress::Ticker;
use crate::report::throughput::{
    AttainedReport, LimitReport, PathCounts, PhaseReport, Rate, ThroughputReport,
};
use crate::schedule_file::{PROGRAM, gzipped_by_name};
use crate::words::{self, counted};
use bottleneck::bottleneck;
use pavane_cluster::Cluster;
use pavane_model::collective::Kind;
use pavane_model::strict_json;
use pavane_model::{Fraction, Problem, throughput};
use pavane_search::budget::{Clock, Interrupt};
use pavane_throughput::answer::{Answer, Request, answer};
use pavane_throughput::automorphisms::generators;
use pavane_throughput::explanation::{explanation, status};
use pavane_throughput::rates::{Payload, figure};
use pavane_throughput::reached::ThroughputError;
use pavane_verify::judge_plan_within;
use serde_json::{Map, Value, json};
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

/// Computes the limit and a plan, has the plan judged, and prints or writes them.
pub fn run(args: &ThroughputArgs, cluster: &Cluster) -> Result<ExitCode, Failure> {
    let clock = Clock::start();
    let problems = args.load()?;
    if let Some(path) = &args.output {
        check_place(path)?;
    }
    let stop = interrupt::stop_on_interrupt(cluster);
    let deadline = args.time.and_then(|time| clock.after(time));
    let interrupt = Interrupt::never().until(deadline).unless(stop);
    let ticker = Ticker::saying("searching for a plan");
    let sizes = args.sizes.as_deref().map(|path| sizes::read(path, &problems)).transpose()?;
    let generators = generators(&problems, &|| interrupt.is_raised());
    let request = Request {
        trees: args.trees,
        sizes: sizes.as_ref().map_or(&[], |sizes| &sizes.relative),
        generators: &generators,
        stop: &|| interrupt.is_raised(),
    };
    let found = answer(&args.collective, &problems, &request)?;
    judge(&found)?;
    drop(ticker);
    let unit = sizes.as_ref().map(|sizes| sizes.unit);
    let report = AnswerPrinter { args, problems: &problems, found: &found, clock, unit };
    if let Some(path) = &args.output {
        report.save(path)?;
    }
    // The plan may have taken standard output.
    if is_standard([&args.output]) {
        return Ok(DONE);
    }
    if args.json {
        print_json(&report.json()?)?;
    } else {
        report.print()?;
    }
    Ok(DONE)
}

/// Has the plan and its limit judged. Nothing is printed or written that the judge rejects.
fn judge(found: &Answer) -> Result<(), Failure> {
    let verdict = judge_plan_within(&found.plan, Some(u64::MAX)).map_err(Failure::bad_input)?;
    let problem = match (verdict.violations.first(), &verdict.limit_error) {
        (Some(violation), _) => violation.to_string(),
        (None, Some(error)) => error.to_string(),
        (None, None) if verdict.time != found.time => "the plan takes another time".to_owned(),
        (None, None) if verdict.is_optimal() != (found.reason.is_some() && found.is_optimal()) => {
            "the plan does not take the time of the limit".to_owned()
        }
        (None, None) => return Ok(()),
    };
    Err(Failure::Bug(format!("the judge rejected a throughput plan: {problem}")))
}

impl From<ThroughputError> for Failure {
    fn from(error: ThroughputError) -> Self {
        Self::bad_input(error)
    }
}

struct AnswerPrinter<'a> {
    args: &'a ThroughputArgs,
    problems: &'a [Problem],
    found: &'a Answer,
    clock: Clock,
    /// With sizes from a file: the bytes of a message of relative size 1.
    unit: Option<u64>,
}

impl AnswerPrinter<'_> {
    fn problem(&self) -> &Problem {
        &self.problems[0]
    }

    fn payload(&self) -> Payload<'_> {
        Payload { problems: self.problems, bytes: self.args.bytes, unit: self.unit }
    }

    fn rate(&self, time: Fraction) -> Result<Rate, Failure> {
        self.payload().rate(time).map(Rate::from).map_err(Failure::bad_input)
    }

    fn status(&self) -> String {
        status(self.found, self.args.trees)
    }

    /// The fields of the file that are not part of the plan.
    fn more(&self) -> Map<String, Value> {
        let mut more = Map::new();
        more.insert("status".into(), self.status().into());
        more.insert("made_by".into(), json!({"program": PROGRAM}));
        more
    }

    fn save(&self, path: &Path) -> Result<(), Failure> {
        let write = |out: &mut dyn Write| throughput::write(out, &self.found.plan, &self.more());
        write_file(path, |out| gzipped_by_name(path, out, write))
    }

    fn trees(&self) -> usize {
        self.found.phases.iter().map(|phase| phase.plan.trees.len()).sum()
    }

    fn trees_per_root(&self) -> usize {
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
        format!("{trees}, {} per root, depth {}", at_most(self.trees_per_root()), self.depth())
    }

    fn json(&self) -> Result<ThroughputReport<'_>, Failure> {
        let Self { args, problems, found, clock, .. } = self;
        let network = self.problem().network();
        let phases = problems.iter().zip(&found.phases).map(|(problem, phase)| PhaseReport {
            kind: problem.collective().kind,
            limit_ns_per_byte: phase.limit.to_string(),
            ns_per_byte: phase.time.to_string(),
            trees: phase.plan.trees.len(),
            depth: phase.plan.depth(),
        });
        let plan = match &args.output {
            Some(_) => None,
            None => {
                let mut bytes = Vec::new();
                throughput::write(&mut bytes, &found.plan, &self.more())?;
                Some(strict_json::from_slice(&bytes).map_err(io::Error::from)?)
            }
        };
        Ok(ThroughputReport {
            network: network.name(),
            faults: network.faults(),
            collective: &args.collective,
            processors: self.payload().processors().len(),
            messages: self.payload().messages() as usize,
            bytes: args.bytes,
            limit: LimitReport {
                rate: self.rate(found.limit)?,
                explanation: explanation(problems, found),
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
            phases: (problems.len() > 1).then(|| phases.collect()),
            seconds: clock.elapsed().as_secs_f64(),
            file: args.output.as_ref().map(|path| path.display().to_string()),
            plan,
        })
    }

    fn print(&self) -> Result<(), Failure> {
        let Self { args, problems, found, .. } = self;
        let mut out = standard();
        let limit = self.rate(found.limit)?;
        let time = self.rate(found.time)?;
        writeln!(out, "{}", words::problem_line(&args.collective, self.problem()))?;
        writeln!(out, "  limit     {}", self.rate_in_words(&limit))?;
        writeln!(out, "  why       {}", explanation(problems, found))?;
        if let [reduce, gather] = &found.phases[..] {
            writeln!(
                out,
                "  phases    reduce-scatter {} and all-gather {} ns per byte at least if each had all channels; \
                 they share the channels at the same time, and the limit holds for all such plans",
                reduce.limit, gather.limit
            )?;
        }
        writeln!(out, "  plan      {}; {}", self.plan_size(), self.status())?;
        if !found.is_optimal() {
            writeln!(out, "  attained  {}", self.rate_in_words(&time))?;
        }
        if let (Some(at_limit), Some(planned)) = (limit.microseconds, time.microseconds) {
            let given = || "the sizes of the file".to_owned();
            let bytes = args.bytes.map_or_else(given, |bytes| counted(bytes, "byte"));
            let at_limit = figure(at_limit);
            if found.is_optimal() {
                writeln!(out, "  time      {at_limit} µs for {bytes}, without latencies")?
            } else {
                writeln!(
                    out,
                    "  time      {} µs for {bytes}, without latencies; at the limit {at_limit} µs",
                    figure(planned)
                )?
            }
        }
        let network = self.problem().network();
        if network.channel_count() > 0 && has_no_bandwidths(self.problem()) {
            writeln!(
                out,
                "  note      the network has no bandwidths, so every channel has 1 GB/s; \
                 --bandwidth sets another"
            )?;
        }
        if let Some(path) = &args.output {
            writeln!(out, "  written   {}", path.display())?;
        }
        out.flush()?;
        Ok(())
    }

    fn rate_in_words(&self, rate: &Rate) -> String {
        let what = match self.unit {
            Some(1) => "all messages".to_owned(),
            Some(unit) => format!("all messages, in units of {unit} bytes"),
            None if self.payload().messages() == 1 => "the message".to_owned(),
            None if self.problem().collective().kind == Kind::Messages => "a message".to_owned(),
            None if self.found.has_paths() => "a block".to_owned(),
            None => "a shard".to_owned(),
        };
        let mut text = format!("{} ns per byte of {what}", rate.ns_per_byte);
        if let Some(bandwidth) = rate.algorithm_gbytes {
            text += &format!("; algorithm bandwidth {} GB/s", figure(bandwidth));
        }
        if let Some(bandwidth) = rate.bus_gbytes {
            text += &format!(", bus bandwidth {} GB/s", figure(bandwidth));
        }
        text
    }
}

fn has_no_bandwidths(problem: &Problem) -> bool {
    let network = problem.network();
    let mut channels = (0..network.channel_count() as u32).map(pavane_model::ChannelId);
    channels.all(|channel| network.timing(channel).bandwidth_gbytes.is_none())
}
