//! Files to compare: schedules with steps, timed schedules, throughput plans, and schedules of other
//! programs. All are simulated and judged before the search starts.

use super::fit::is_same_collective;
use super::{ComparedSchedule, ComparisonError};
use pavane_baselines::{BaselineError, Simulated, from_steps, simulate};
use pavane_interop::import::{UntimedSchedule, foreign_format, read_untimed};
use pavane_model::format::{Phase, Stored};
use pavane_model::timed::BufferSize;
use pavane_model::{Duplex, FileSource, Fraction, Problem, ThroughputPlan, TimedSchedule};
use pavane_timed::{FollowError, follow};
use pavane_verify::{CheckedSchedule, check_plan, check_timed, verify};

/// Claims that are this much below the bound are taken for rounding.
const ROUNDING: f64 = 1e-9;

/// The judged schedule of a file for a size.
#[derive(Debug, Clone)]
pub struct ComparedFile {
    /// The size.
    pub bytes: u64,
    /// The schedule.
    pub schedule: ComparedSchedule,
}

/// What a file of another program says about its schedule.
#[derive(Debug, Clone, PartialEq)]
pub struct FileClaims {
    /// The format of the file.
    pub format: &'static str,
    /// The claimed time in nanoseconds.
    pub time_ns: Option<f64>,
    /// The claimed algorithm bandwidth in GB/s.
    pub gbytes: Option<f64>,
    /// How many demands the file meets, and how many the collective has.
    pub demands_met: Option<(u64, u64)>,
    /// What else is unusual about the file.
    pub notes: Vec<String>,
}

impl FileClaims {
    /// The schedule in a file, and what the file claims about it.
    pub fn split(format: &'static str, read: UntimedSchedule) -> (TimedSchedule, Self) {
        let UntimedSchedule { schedule, claimed_ns, claimed_gbytes, demands_met, notes, .. } = read;
        let (time_ns, gbytes) = (claimed_ns, claimed_gbytes);
        (schedule, Self { format, time_ns, gbytes, demands_met, notes })
    }

    /// Whether the claimed time is at least a proved bound, apart from rounding.
    pub fn is_possible(&self, bound_ns: Option<Fraction>) -> bool {
        let bound = bound_ns.map_or(0.0, Fraction::to_f64);
        self.time_ns.is_none_or(|time| time >= bound * (1.0 - ROUNDING))
    }

    /// What is wrong with the file, to be appended to an error.
    fn shortcomings(&self) -> String {
        let demands = self.demands_met.map(|(met, all)| format!("{met} of {all} demands are met"));
        let notes = self.notes.iter().cloned();
        demands.into_iter().chain(notes).map(|text| format!("; {text}")).collect()
    }
}

/// What the files are compared with.
pub struct FilesRequest<'a> {
    /// The collective.
    pub collective: &'a str,
    /// Its phases, on a network with bandwidths and latencies.
    pub problems: &'a [Problem],
    /// The sizes.
    pub sizes: &'a [u64],
    /// Whether both channels of a link carry sends at the same time.
    pub duplex: Duplex,
    /// The most deliveries of a file.
    pub max_deliveries: u64,
    /// Ends the search for the best numbers of chunks of plans.
    pub stop: &'a (dyn Fn() -> bool + Sync),
}

/// Reads the files, and simulates and judges their schedules for every size.
pub fn read_files(
    sources: &[FileSource],
    request: &FilesRequest<'_>,
) -> Result<Vec<ComparedFile>, ComparisonError> {
    let mut files = Vec::new();
    for source in sources {
        files.extend(Reading { source, name: source.name(), request }.read()?);
    }
    Ok(files)
}

/// A file, with what it is compared with.
struct Reading<'a> {
    source: &'a FileSource,
    name: String,
    request: &'a FilesRequest<'a>,
}

impl Reading<'_> {
    fn failure(&self, why: impl std::fmt::Display) -> ComparisonError {
        ComparisonError::File { name: self.name.clone(), why: why.to_string() }
    }

    fn read(&self) -> Result<Vec<ComparedFile>, ComparisonError> {
        let stored = match self.source.stored(self.request.max_deliveries) {
            Ok(stored) => stored,
            Err(error) => {
                let text = self.source.text().ok();
                return match text.filter(|text| foreign_format(text).is_some()) {
                    Some(text) => self.of_other_program(&text),
                    None => Err(self.failure(error)),
                };
            }
        };
        match stored {
            Stored::Schedule(phases, _) => self.with_steps(phases),
            Stored::Timed(schedule) => self.timed(*schedule).map(|one| vec![one]),
            Stored::Throughput(plan) => self.plan(*plan),
            Stored::Refutation(_) | Stored::Tdm(_) | Stored::TdmRefutation(_) => Err(self.failure(
                "only schedules with steps, timed schedules, throughput plans and schedules of MSCCL, \
                 MSCCL++, SCCL and TE-CCL can be compared",
            )),
        }
    }

    /// Simulates a schedule in the order of its sends. The judge may refuse what a file contains.
    fn simulate(
        &self,
        schedule: TimedSchedule,
        claimed: Option<&FileClaims>,
    ) -> Result<Simulated, ComparisonError> {
        let schedule = TimedSchedule { duplex: self.request.duplex, ..schedule };
        simulate(&self.name, 1, schedule).map_err(|error| match error {
            BaselineError::Rejected { why, .. } => self.failure(format!(
                "it is not a valid schedule of {}: {why}{} (`pavane verify` lists all violations)",
                self.request.collective,
                claimed.map(FileClaims::shortcomings).unwrap_or_default()
            )),
            error => self.failure(error),
        })
    }

    fn for_each_size(
        &self,
        schedule: impl Fn(u64) -> Result<(TimedSchedule, Option<FileClaims>), ComparisonError>,
    ) -> Result<Vec<ComparedFile>, ComparisonError> {
        let given = |&bytes: &u64| {
            let (schedule, claimed) = schedule(bytes)?;
            let simulated = self.simulate(schedule, claimed.as_ref())?;
            Ok(ComparedFile { bytes, schedule: ComparedSchedule { simulated, claims: claimed } })
        };
        self.request.sizes.iter().map(given).collect()
    }

    fn with_steps(&self, phases: Vec<Phase>) -> Result<Vec<ComparedFile>, ComparisonError> {
        let mut checked = Vec::new();
        for Phase { problem, schedule, .. } in phases {
            checked.push(verify(problem, schedule).map_err(|violations| {
                let first = violations.first().map(ToString::to_string).unwrap_or_default();
                self.failure(format!(
                    "it is not a valid schedule: {first} (`pavane verify` lists all violations)"
                ))
            })?);
        }
        let phases: Vec<&CheckedSchedule> = checked.iter().collect();
        self.for_each_size(|bytes| {
            let size = BufferSize::Bytes(bytes);
            let schedule =
                from_steps(self.request.collective, self.request.problems, &phases, &size);
            Ok((schedule.map_err(|why| self.failure(why))?, None))
        })
    }

    fn of_other_program(&self, text: &str) -> Result<Vec<ComparedFile>, ComparisonError> {
        let format = foreign_format(text).unwrap_or_default();
        self.for_each_size(|bytes| {
            let network = self.request.problems[0].network().clone();
            let read = read_untimed(text, network, bytes);
            let read = read.ok_or_else(|| self.failure("its format is not known"))?;
            let (schedule, claimed) =
                FileClaims::split(format, read.map_err(|why| self.failure(why))?);
            self.check_collective(&schedule)?;
            Ok((schedule, Some(claimed)))
        })
    }

    /// A timed schedule must be for this network, with its bandwidths and latencies, this collective and
    /// one of the sizes.
    fn timed(&self, schedule: TimedSchedule) -> Result<ComparedFile, ComparisonError> {
        let found = schedule.phases[0].problem.network();
        let wanted = self.request.problems[0].network();
        if !found.has_same_channels_as(wanted) {
            return Err(self.failure("it is a schedule on another network"));
        }
        if found.bandwidths() != wanted.bandwidths() || found.latencies() != wanted.latencies() {
            return Err(self.failure("its channels have other bandwidths or latencies"));
        }
        if schedule.duplex != self.request.duplex {
            let (found, wanted) = (schedule.duplex, self.request.duplex);
            return Err(self.failure(format!("it is for links in {found} duplex, not {wanted}")));
        }
        self.check_collective(&schedule)?;
        let bytes = match schedule.size {
            BufferSize::Bytes(bytes) if self.request.sizes.contains(&bytes) => bytes,
            BufferSize::Bytes(bytes) => {
                let why = format!("it is for {bytes} bytes, which is none of the sizes to compare");
                return Err(self.failure(why));
            }
            BufferSize::Each(_) => return Err(self.failure("its messages differ in size")),
        };
        let checked = check_timed(schedule)
            .map_err(|why| self.failure(format!("it is not a valid schedule: {why}")))?;
        let simulated = Simulated { name: self.name.clone(), slices: 1, checked };
        Ok(ComparedFile { bytes, schedule: ComparedSchedule { simulated, claims: None } })
    }

    /// Chunks along the routes of a plan, as many as are quickest for each size.
    fn plan(&self, plan: ThroughputPlan) -> Result<Vec<ComparedFile>, ComparisonError> {
        let checked = check_plan(plan)
            .map_err(|why| self.failure(format!("it is not a valid plan: {why}")))?;
        let given = |&bytes: &u64| {
            let followed = follow(checked.plan(), self.request.problems, bytes, self.request.stop);
            let schedule = followed.map_err(|why| match why {
                FollowError::Collective => self.not_this_collective(),
                why => self.failure(why),
            })?;
            let simulated = if self.request.duplex == Duplex::Full {
                let checked = check_timed(schedule).map_err(|why| {
                    let (name, why) = (self.name.clone(), Box::new(why));
                    BaselineError::Rejected { name, why }
                })?;
                Simulated { name: self.name.clone(), slices: 1, checked }
            } else {
                self.simulate(schedule, None)?
            };
            Ok(ComparedFile { bytes, schedule: ComparedSchedule { simulated, claims: None } })
        };
        self.request.sizes.iter().map(given).collect()
    }

    fn check_collective(&self, schedule: &TimedSchedule) -> Result<(), ComparisonError> {
        let found = schedule.phases.iter().map(|phase| &phase.problem);
        if is_same_collective(&found.collect::<Vec<_>>(), self.request.problems) {
            Ok(())
        } else {
            Err(self.not_this_collective())
        }
    }

    fn not_this_collective(&self) -> ComparisonError {
        self.failure(format!("it is not a schedule of {}", self.request.collective))
    }
}
