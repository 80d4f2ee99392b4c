//! The slot table of a network on chip, as `pavane tdm` finds it: a TDM schedule that the judge has
//! accepted, to play and to download.

use super::answer::Download;
use super::archive;
use super::job::Job;
use super::request::{Asked, faults};
use crate::commands::tdm::printer::content;
use crate::commands::tdm::problem::specified;
use pavane_interop::tdm::poseidon::Communication;
use pavane_interop::tdm::{TDM_FORMATS, export, find, read_traffic};
use pavane_model::TdmProblem;
use pavane_model::tdm::{TdmDemand, TdmRules, TdmSchedule};
use pavane_render::picture::{self, Theme, png, svg};
use pavane_render::viewer;
use pavane_search::budget::{Clock, Interrupt};
use pavane_tdm::bounds::{TdmBounds, in_words};
use pavane_tdm::{TdmOptions, solve_with};
use pavane_verify::{CheckedTdm, check_tdm};
use serde::Deserialize;
use serde_json::Value;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Limit of the studio on words per period.
const MOST_WORDS: u64 = 65_536;

/// Time for the search; short, because a user waits.
const SOON: Duration = Duration::from_secs(8);

/// A TDM problem as the page requests it. Fields left empty have the defaults of the command.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TdmAsked {
    /// The network and the seed. Its collective and rules do not apply.
    problem: Asked,
    /// Lost links and routers.
    #[serde(default)]
    faults: Vec<String>,
    /// Slots per hop.
    #[serde(default)]
    depth: String,
    /// Slots per word.
    #[serde(default)]
    phits: String,
    /// `no` if every word must arrive before the next period begins.
    #[serde(default)]
    wrap: String,
    /// Words per period, as CSV or communication XML.
    #[serde(default)]
    traffic: String,
}

impl TdmAsked {
    /// Approximate memory in bytes.
    pub fn size(&self) -> usize {
        let faults = self.faults.iter().map(|fault| size_of::<String>() + fault.len());
        let texts = [&self.depth, &self.phits, &self.wrap, &self.traffic];
        let texts = texts.into_iter().map(String::len);
        self.problem.size() + faults.chain(texts).sum::<usize>()
    }

    /// The problem on the network after its faults, or why it is invalid.
    pub fn problem(&self) -> Result<TdmProblem, String> {
        let healthy = self.problem.load()?;
        let broken = faults(&healthy, &self.faults)?;
        let network = healthy.without(&broken).map_err(|error| error.to_string())?;
        let (depth, mut communication) =
            specified(&self.problem.text, self.problem.name_of_text(), &network)?;
        if !self.traffic.trim().is_empty() {
            let read = read_traffic(&self.traffic, "traffic", &network);
            communication = Some(read.map_err(|error| error.to_string())?);
        }
        let Communication { demand, phits } =
            communication.unwrap_or(Communication { demand: TdmDemand::AllToAll, phits: None });
        let rules = TdmRules {
            depth: number("depth", &self.depth)?.or(depth).unwrap_or(1),
            phits: number("phits", &self.phits)?.or(phits).unwrap_or(1),
            wraps: self.wrap.trim() != "no",
            ..TdmRules::default()
        };
        let problem = TdmProblem::new(network, demand, rules, MOST_WORDS);
        problem.map_err(|error| format!("{error} (the studio takes fewer than `pavane tdm`)"))
    }
}

/// Parses a field; an empty text is `None`.
fn number(field: &str, text: &str) -> Result<Option<u32>, String> {
    match text.trim() {
        "" => Ok(None),
        text => {
            let wrong = |_| format!("{field}: {text:?} is not a whole number");
            text.parse().map(Some).map_err(wrong)
        }
    }
}

/// A judged schedule.
pub struct TdmAnswer {
    checked: CheckedTdm,
    /// Why no period is shorter than the bound.
    reason: String,
    seed: u64,
}

/// Searches for a schedule.
pub fn compute(asked: &TdmAsked, job: &Job, time: Duration) -> Result<TdmAnswer, String> {
    let problem = asked.problem()?;
    let deadline = Clock::start().after(SOON.min(time));
    let options = TdmOptions {
        seed: asked.problem.seed,
        threads: 1,
        interrupt: Interrupt::never().until(deadline).unless(job.stop.clone()),
        ..TdmOptions::default()
    };
    let told = |bounds: &TdmBounds, period: Option<u32>| {
        job.progress.bound.store(bounds.best.period, Ordering::Relaxed);
        job.progress.best.store(period.unwrap_or(0), Ordering::Relaxed);
    };
    let outcome = solve_with(&problem, &options, &told)
        .map_err(|error| format!("bug: the judge rejected a TDM schedule: {error}"))?;
    if job.is_cancelled() {
        return Err(job.excuse());
    }
    let checked = outcome.schedule.ok_or_else(|| {
        let seconds = SOON.min(time).as_secs();
        format!("no schedule was found within {seconds} s; `pavane tdm --time 60s` takes longer")
    })?;
    let reason = in_words(&problem, &outcome.bounds.best);
    Ok(TdmAnswer { checked, reason, seed: asked.problem.seed })
}

impl TdmAnswer {
    /// Has the schedule of a file judged.
    pub fn opened(schedule: TdmSchedule) -> Result<Self, String> {
        let checked = check_tdm(schedule).map_err(|rejection| {
            format!("not a valid TDM schedule: {rejection} (`pavane verify` lists all violations)")
        })?;
        let schedule = checked.schedule();
        let bound = schedule.bound.as_ref().filter(|_| checked.proved().is_some());
        let reason = bound.map(|bound| in_words(&schedule.problem, bound)).unwrap_or_default();
        Ok(Self { checked, reason, seed: 1 })
    }

    /// The period.
    pub fn period(&self) -> u32 {
        self.checked.schedule().period
    }

    /// The proved bound on the period.
    pub fn bound(&self) -> u32 {
        self.checked.proved().unwrap_or(0)
    }

    /// Approximate memory in bytes.
    pub fn bytes(&self) -> usize {
        let words = &self.checked.schedule().words;
        words.iter().map(|word| 48 + 4 * word.path.len()).sum()
    }

    /// Data for the page.
    pub fn data(&self) -> Result<Value, String> {
        let schedule = self.checked.schedule();
        picture::check_size(schedule.problem.network()).map_err(|error| error.to_string())?;
        if !viewer::is_tdm_playable(schedule) {
            return Err("the schedule was found, but is too large to play; use `pavane tdm`".into());
        }
        Ok(viewer::tdm_data(&self.checked, &self.reason))
    }

    /// A download in a given format.
    pub fn download(&self, format: &str) -> Result<Download, String> {
        let schedule = self.checked.schedule();
        let stem = archive::stem("tdm", schedule.problem.network().name());
        let file = |ending: &str, kind: &'static str, bytes: Vec<u8>| Download {
            name: format!("{stem}.{ending}"),
            kind,
            bytes,
        };
        let scene = || picture::tdm(&self.checked, &self.reason).map_err(|error| error.to_string());
        match format {
            "json" => {
                let status = if self.checked.is_optimal() { "optimal" } else { "best found" };
                let content = content(schedule, status, self.seed);
                let content = content.map_err(|failure| failure.text().to_owned())?;
                let bytes = serde_json::to_vec(&content).map_err(|error| error.to_string())?;
                Ok(file("json", "application/json", bytes))
            }
            "svg" => {
                Ok(file("svg", "image/svg+xml", svg::write(&scene()?, Theme::Auto).into_bytes()))
            }
            "png" => {
                let bytes =
                    png::write(&scene()?, Theme::Light).map_err(|error| error.to_string())?;
                Ok(file("png", "image/png", bytes))
            }
            "html" => {
                let page = viewer::tdm_page(&self.checked, &self.reason);
                let page = page.map_err(|error| error.to_string())?;
                Ok(file("html", "text/html; charset=utf-8", page.into_bytes()))
            }
            other => self.export(other, &stem),
        }
    }

    /// One of the export formats; several files are put into an archive.
    fn export(&self, format: &str, stem: &str) -> Result<Download, String> {
        let found = find(format).map_err(|error| error.to_string())?;
        let files = export(found.name, &self.checked).map_err(|error| error.to_string())?;
        archive::exported(stem, (found.name, found.ending), files)
    }
}

/// The download formats with their descriptions.
pub fn formats() -> Vec<(&'static str, &'static str)> {
    let own = [
        ("json", "TDM schedule"),
        ("svg", "slot table"),
        ("png", "slot table as a bitmap"),
        ("html", "page that plays a period"),
    ];
    own.into_iter().chain(TDM_FORMATS.iter().map(|one| (one.name, one.meaning))).collect()
}
