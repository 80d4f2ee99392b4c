//! The result of a search as text, as JSON and as a file.

use super::proving;
use crate::commands::atlas::start::{AtlasUse, engine_of};
use crate::commands::draw::tdm::TdmPicture;
use crate::commands::proof;
use crate::output::{Failure, print_json, standard, write_file};
use crate::picture_file::{PictureFormat, draw_or_write};
use crate::report::tdm::{GuaranteeReport, RulesReport, TdmBoundReport, TdmReport};
use crate::route_text;
use crate::schedule_file::{PROGRAM, gzipped_by_name};
use crate::words;
use pavane_model::tdm::{self, TdmBound, TdmCertificate, TdmDemand, TdmGuarantee, TdmRefutation};
use pavane_model::words::counted;
use pavane_model::{TdmProblem, TdmSchedule};
use pavane_tdm::bounds::in_words;
use pavane_tdm::{TdmOutcome, TdmProof, UnmetLatency};
use serde_json::{Map, Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Pairs in the table of guarantees.
const SHOWN: usize = 8;

/// A result with what the user asked for.
pub struct TdmPrinter<'a> {
    /// The problem.
    pub problem: &'a TdmProblem,
    /// The result.
    pub outcome: &'a TdmOutcome,
    /// The period that was asked for.
    pub slots: Option<u32>,
    /// The random seed.
    pub seed: u64,
    /// Wall-clock time.
    pub seconds: f64,
    /// Where the schedule is written.
    pub output: Option<&'a Path>,
    /// With `--atlas`: the entry of an isomorphic problem.
    pub atlas: Option<&'a AtlasUse>,
    /// Whether a SAT solver was requested.
    pub prove: bool,
    /// Whether all pairs and words are printed.
    pub is_long: bool,
}

impl TdmPrinter<'_> {
    fn schedule(&self) -> Option<&TdmSchedule> {
        self.outcome.schedule.as_ref().map(|checked| checked.schedule())
    }

    fn bound(&self) -> &TdmBound {
        &self.outcome.bounds.best
    }

    /// Whether the period is the bound.
    pub fn is_optimal(&self) -> bool {
        self.schedule().is_some_and(|schedule| schedule.period <= self.bound().period)
    }

    /// `optimal`, or how far the period may be from the shortest one.
    fn status(&self) -> String {
        let Some(schedule) = self.schedule() else {
            return match self.slots {
                Some(slots) if self.outcome.excludes(slots) => "impossible".to_owned(),
                _ => "not found".to_owned(),
            };
        };
        match schedule.period - self.bound().period.min(schedule.period) {
            0 => "optimal".to_owned(),
            // Nothing shorter was searched for.
            _ if self.slots.is_some() => "possible".to_owned(),
            gap => format!("best found, at most {} from optimal", counted(gap, "slot")),
        }
    }

    /// The file for the proof that the bound of the schedule needs, or that refutes the requested period.
    fn proof_place(&self) -> Option<PathBuf> {
        let is_exact = matches!(self.bound().certificate, TdmCertificate::Exact(_));
        let is_picture = self.output.and_then(PictureFormat::of).is_some();
        let is_needed = match self.schedule() {
            Some(_) => is_exact,
            None => self.refuting_proof().is_some() && !is_picture,
        };
        if is_needed { proof::place(self.output?, None) } else { None }
    }

    /// The period that was asked for, if it is proved impossible.
    fn refuted(&self) -> Option<u32> {
        self.slots.filter(|&slots| self.schedule().is_none() && self.outcome.excludes(slots))
    }

    /// The proof that refutes the requested period. Other periods are refuted by a bound.
    fn refuting_proof(&self) -> Option<&TdmProof> {
        let slots = self.refuted()?;
        self.outcome.proof.as_ref().filter(|proof| (proof.from..=proof.to).contains(&slots))
    }

    /// The demanded latency that refutes the requested period, if a bound does not.
    fn unmet(&self, period: u32) -> Option<UnmetLatency> {
        let unmet = self.outcome.unmet.filter(|unmet| unmet.period <= period);
        unmet.filter(|_| period >= self.bound().period)
    }

    /// Why the requested period is impossible, and what is not written.
    fn print_refuted(&self, slots: u32, out: &mut dyn Write) -> Result<(), Failure> {
        let period = counted(slots, "slot");
        if let Some(unmet) = self.unmet(slots) {
            let name = |processor| route_text::processor(self.problem.network(), processor);
            let why = unmet.in_words(name, Some(slots));
            writeln!(out, "  period    {period} is impossible: {why}")?;
        } else if self.refuting_proof().is_some() {
            writeln!(
                out,
                "  period    {period} is impossible, by a proof that the judge has checked"
            )?;
        } else {
            writeln!(out, "  period    {period} is impossible")?;
        }
        if let Some(path) = self.output.filter(|path| PictureFormat::of(path).is_some()) {
            writeln!(
                out,
                "  written   nothing: there is no schedule to draw in {}; -o FILE.json keeps the refutation",
                path.display()
            )?;
        } else if self.refuting_proof().is_some() && self.proof_place().is_none() {
            writeln!(out, "  proof     not kept; -o FILE.json keeps it")?;
        }
        Ok(())
    }

    /// The file for the refutation of the requested period and its content.
    fn refutation(&self) -> Option<(&Path, TdmRefutation)> {
        let (path, period) = (self.output?, self.refuted()?);
        if PictureFormat::of(path).is_some() {
            return None;
        }
        let certificate = match self.refuting_proof() {
            Some(proof) => {
                // A pipe has no place for the proof.
                let beside = proof::place(path, None)?;
                let name = beside.file_name().unwrap_or_default().to_string_lossy().into_owned();
                proof.certificate(name)
            }
            None => match self.unmet(period) {
                Some(UnmetLatency { message, .. }) => {
                    TdmCertificate::Latency { from: message.from, to: message.to }
                }
                None => self.bound().certificate.clone(),
            },
        };
        Some((path, TdmRefutation { problem: self.problem.clone(), period, certificate }))
    }

    fn save_refutation(&self, path: &Path, refutation: &TdmRefutation) -> Result<(), Failure> {
        let place = self.proof_place();
        if let (Some(place), Some(found)) = (&place, self.refuting_proof()) {
            proof::write(place, &found.lrat)?;
        }
        let more = more(&self.status(), self.seed);
        write_file(path, |out| {
            gzipped_by_name(path, out, |out| tdm::write_refutation(out, refutation, &more))
        })?;
        proof::remove_others(path, &place.as_deref().into_iter().collect::<Vec<_>>());
        Ok(())
    }

    /// Whether a schedule or a refutation was written.
    pub fn is_written(&self) -> bool {
        self.written().is_some()
    }

    /// Warns if the bound of the written schedule is weaker than the proved one, because there is no
    /// place for the proof.
    pub fn warn_of_weaker_bound(&self) {
        let is_exact = matches!(self.bound().certificate, TdmCertificate::Exact(_));
        let is_picture = self.output.and_then(PictureFormat::of).is_some();
        if self.output.is_some()
            && is_exact
            && !is_picture
            && self.schedule().is_some()
            && self.proof_place().is_none()
        {
            let stored = self.outcome.bounds.without_proof();
            words::warn(&format!(
                "warning: the proof that the period is at least {} needs a file beside the schedule, so the written schedule has the bound {} by {}; use -o with the name of a file",
                counted(self.bound().period, "slot"),
                counted(stored.period, "slot"),
                stored.certificate.reason()
            ));
        }
    }

    /// Why there is no schedule.
    fn why_none(&self) -> String {
        let mut text = String::new();
        if let Some(longest) = self.outcome.longest {
            text +=
                &format!("; the max_latency demands allow at most {}", counted(longest, "slot"));
            if !self.prove {
                text += " (--prove may show that none is possible)";
            }
        }
        if self.outcome.is_interrupted {
            text += "; the time was too short, of which up to half is kept for checking the schedule: try a longer --time, or a smaller network";
        }
        text
    }

    /// The file that was written.
    fn written(&self) -> Option<&Path> {
        let is_written = self.schedule().is_some() || self.refutation().is_some();
        self.output.filter(|_| is_written)
    }

    /// The schedule with a bound that can be judged from its file: with the name of the proof, or without
    /// a bound that needs one.
    fn stored(&self, proof: Option<&Path>) -> Option<TdmSchedule> {
        let mut schedule = self.schedule()?.clone();
        match (&mut schedule.bound, proof.and_then(Path::file_name)) {
            (Some(TdmBound { certificate: TdmCertificate::Exact(exact), .. }), Some(name)) => {
                exact.proof = name.to_string_lossy().into_owned();
            }
            (bound, _) => *bound = Some(self.outcome.bounds.without_proof().clone()),
        }
        Some(schedule)
    }

    /// Writes the schedule, or the refutation of the requested period, to its file, and its proof beside it.
    pub fn save(&self) -> Result<(), Failure> {
        if let Some((path, refutation)) = self.refutation() {
            return self.save_refutation(path, &refutation);
        }
        let place = self.proof_place();
        let (Some(path), Some(schedule)) = (self.output, self.stored(place.as_deref())) else {
            return Ok(());
        };
        if let (Some(place), Some(found)) = (&place, &self.outcome.proof) {
            proof::write(place, &found.lrat)?;
        }
        save_with(path, &schedule, &self.more())?;
        proof::remove_others(path, &place.as_deref().into_iter().collect::<Vec<_>>());
        Ok(())
    }

    /// The fields of the file besides the schedule.
    fn more(&self) -> Map<String, Value> {
        let mut more = more(&self.status(), self.seed);
        if let Some(entry) = self.atlas.and_then(AtlasUse::result) {
            let engine = engine_of(entry);
            let made_by = json!({"program": PROGRAM, "engine": engine, "seed": self.seed});
            more.insert("made_by".into(), made_by);
        }
        more
    }

    fn guarantees(&self) -> Vec<TdmGuarantee> {
        self.schedule().map(TdmSchedule::guarantees).unwrap_or_default()
    }

    pub fn print_json(&self) -> Result<(), Failure> {
        let guarantees = self.guarantees();
        let pair = |one: &TdmGuarantee| GuaranteeReport {
            from: one.from,
            to: one.to,
            words: one.words,
            hops: one.hops,
            latency: one.latency,
        };
        let network = self.problem.network();
        let file = match (self.output, self.stored(None)) {
            (None, Some(schedule)) => Some(content_with(&schedule, &self.more())?),
            _ => None,
        };
        print_json(&TdmReport {
            network: network.name(),
            faults: network.fault_names(),
            rules: RulesReport::from(self.problem.rules()),
            messages: self.problem.messages().len(),
            words: self.problem.word_count(),
            status: self.status(),
            slots: proving::of_slots(self),
            prove: proving::of_solver(self),
            period: self.schedule().map(|schedule| schedule.period),
            bound: TdmBoundReport::new(self.problem, self.bound()),
            bounds: self
                .outcome
                .bounds
                .all
                .iter()
                .map(|bound| TdmBoundReport::new(self.problem, bound))
                .collect(),
            method: self.outcome.method,
            atlas: self.atlas.map(AtlasUse::report),
            guarantees: guarantees.iter().map(pair).collect(),
            seed: self.seed,
            seconds: self.seconds,
            file: self.written().map(|path| path.display().to_string()),
            proof: self.proof_place().map(|path| path.display().to_string()),
            schedule: file,
        })
    }

    pub fn print(&self) -> Result<(), Failure> {
        let mut out = standard();
        writeln!(out, "{}", header(self.problem))?;
        let network = self.problem.network();
        let lost: Vec<String> = network
            .routers()
            .filter(|&r| network.is_lost(r))
            .map(|r| network.router_name(r))
            .collect();
        if !lost.is_empty() && network.faults().is_empty() {
            writeln!(out, "  missing   {}: {}", counted(lost.len(), "router"), lost.join(" "))?;
        }
        let (bound, slots) = (self.bound(), counted(self.bound().period, "slot"));
        let reason = bound.certificate.reason();
        writeln!(out, "  bound     {slots} by {reason}: {}", in_words(self.problem, bound))?;
        match (self.schedule(), self.slots) {
            (Some(schedule), _) => {
                let period = counted(schedule.period, "slot");
                writeln!(out, "  period    {period}: {}", self.status())?;
                self.print_guarantees(&mut out)?;
            }
            (None, Some(slots)) if self.outcome.excludes(slots) => {
                self.print_refuted(slots, &mut out)?;
            }
            (None, Some(slots)) => {
                let slots = counted(slots, "slot");
                writeln!(out, "  period    no schedule with {slots} found{}", self.why_none())?
            }
            (None, None) => writeln!(out, "  period    no schedule found{}", self.why_none())?,
        }
        if let Some(proving) = proving::of_solver(self) {
            writeln!(out, "  prove     {}", proving.explanation)?;
        }
        if let Some(used) = self.atlas {
            writeln!(out, "  atlas     {}", used.in_words())?;
        }
        let is_found_here = self.atlas.is_none_or(|used| used.result().is_none());
        if let Some(method) = self.outcome.method.filter(|_| is_found_here) {
            writeln!(out, "  found by  {method} with seed {} in {:.2} s", self.seed, self.seconds)?;
        }
        if let Some(path) = self.written() {
            let hint =
                if self.schedule().is_some() { "" } else { " (check it with `pavane verify`)" };
            writeln!(out, "  written   {}{hint}", path.display())?;
        }
        if let Some(path) = self.proof_place() {
            writeln!(out, "  proof     {}", path.display())?;
        }
        out.flush()?;
        Ok(())
    }

    /// The worst pairs, with their latency and bandwidth.
    fn print_guarantees(&self, out: &mut dyn Write) -> Result<(), Failure> {
        let mut all = self.guarantees();
        let pairs = all.len();
        let shown = if self.is_long { pairs } else { SHOWN };
        let key = |one: &TdmGuarantee| (std::cmp::Reverse(one.latency), one.from, one.to);
        if pairs > shown {
            // Millions of pairs take long to sort.
            all.select_nth_unstable_by_key(shown, key);
            all.truncate(shown);
        }
        all.sort_by_key(key);
        let Some(worst) = all.first() else { return Ok(()) };
        writeln!(
            out,
            "  latency   at most {} for each of {}, waiting included",
            counted(worst.latency, "slot"),
            counted(pairs as u64, "pair")
        )?;
        writeln!(out)?;
        writeln!(out, "  {:>6}  {:>6}  words/period  hops  latency", "from", "to")?;
        let name = |processor| route_text::processor(self.problem.network(), processor);
        for TdmGuarantee { from, to, words, latency, hops } in &all {
            let (from, to) = (name(*from), name(*to));
            writeln!(out, "  {from:>6}  {to:>6}  {words:>12}  {hops:>4}  {latency:>7}")?;
        }
        if pairs > shown {
            let more = counted((pairs - shown) as u64, "more pair");
            writeln!(out, "  and {more} (--all lists all, with the routes of their words)")?;
        }
        writeln!(out)?;
        if let Some(schedule) = self.schedule().filter(|_| self.is_long) {
            route_text::write_words(schedule, out)?;
            writeln!(out)?;
        }
        Ok(())
    }
}

/// The problem in a line.
pub fn header(problem: &TdmProblem) -> String {
    let (rules, network) = (problem.rules(), problem.network());
    let demand = match problem.demand() {
        TdmDemand::AllToAll => "all-to-all".to_owned(),
        TdmDemand::Messages(_) => {
            let messages = counted(problem.messages().len() as u64, "message");
            format!("{messages} with {}", counted(problem.word_count(), "word"))
        }
    };
    let mut text = format!("TDM {demand} on {}{}", network.name(), words::without(network));
    if rules.depth != 1 {
        text += &format!(", {} per hop", counted(rules.depth, "slot"));
    }
    if rules.phits != 1 {
        text += &format!(", {} per word", counted(rules.phits, "phit"));
    }
    if !rules.wraps {
        text += ", no wrap";
    }
    text + &format!(", {} routing", rules.routing)
}

/// Writes a schedule to a file, gzipped if the name says so.
pub fn save(path: &Path, schedule: &TdmSchedule, status: &str, seed: u64) -> Result<(), Failure> {
    save_with(path, schedule, &more(status, seed))
}

fn save_with(
    path: &Path,
    schedule: &TdmSchedule,
    more: &Map<String, Value>,
) -> Result<(), Failure> {
    let draw = |format| TdmPicture::new(schedule.clone())?.bytes(format);
    draw_or_write(path, draw, |out| tdm::write(out, schedule, more))
}

/// The content of a schedule file.
pub fn content(
    schedule: &TdmSchedule,
    status: &str,
    seed: u64,
) -> Result<Map<String, Value>, Failure> {
    content_with(schedule, &more(status, seed))
}

fn content_with(
    schedule: &TdmSchedule,
    more: &Map<String, Value>,
) -> Result<Map<String, Value>, Failure> {
    let mut bytes = Vec::new();
    tdm::write(&mut bytes, schedule, more)?;
    pavane_model::strict_json::from_slice(&bytes)
        .map_err(|error| Failure::Bug(format!("a TDM schedule cannot be read back: {error}")))
}

fn more(status: &str, seed: u64) -> Map<String, Value> {
    let mut more = Map::new();
    more.insert("status".into(), status.into());
    more.insert("made_by".into(), json!({"program": PROGRAM, "seed": seed}));
    more
}
