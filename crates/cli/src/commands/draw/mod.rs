//! `pavane draw NETWORK|SCHEDULE|PLAN|TIMED|TDM|LOG -o FILE`: pictures, and pages that animate a schedule.

pub mod log;
pub mod plan;
pub mod tdm;
pub mod timed;

use crate::args::draw::{DrawArgs, Part};
use crate::output::{
    DONE, Failure, check_place, is_special, print_json, standard, standard_for_files, write_file,
};
use crate::picture_file::PictureFormat;
use crate::progress::{Ticker, bar, is_quiet};
use crate::report::draw::Drawn;
use crate::schedule_file::{JudgedSchedule, judged};
use crate::words;
use pavane_model::format::FORMAT;
use pavane_model::problem::DELIVERIES;
use pavane_model::{Network, tdm as slot_tables, throughput, timed as timed_files};
use pavane_networks::import;
use pavane_render::picture::gif::{self, GifError};
use pavane_render::picture::scene::Scene;
use pavane_render::picture::{self, Show, Theme, svg};
use pavane_render::viewer;
use std::fs::File;
use std::io::{self, Read, Write};
use std::ops::Range;
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Draws the input and reports what was drawn.
pub fn run(args: &DrawArgs) -> Result<ExitCode, Failure> {
    let format = format_of(args)?;
    if args.animate && !matches!(format, PictureFormat::Svg | PictureFormat::Gif) {
        let name = format.name();
        return Err(Failure::bad_input(format!(
            "--animate writes SVG or GIF, not {name}; use a name that ends in .svg or .gif (a page \
             of schedules, .html, plays without it)"
        )));
    }
    if let Some(path) = &args.output {
        check_place(path)?;
    }
    let work = Arc::new(DrawingProgress::default());
    let shown = work.clone();
    let ticker = Ticker::start(move || shown.describe());
    work.set("reading and judging");
    let drawing = load(args)?;
    work.set("drawing");
    let steps = drawing.usual_steps(args, format);
    let (bytes, steps) = drawing.bytes(args, format, steps, &work)?;
    drop(ticker);
    let Some(path) = args.output.as_ref().filter(|path| *path != Path::new("-")) else {
        let mut out = standard_for_files();
        out.write_all(&bytes)?;
        out.flush()?;
        return Ok(DONE);
    };
    write_file(path, |out| out.write_all(&bytes))?;
    match (args.json, is_quiet()) {
        (true, _) => print_json(&Drawn {
            what: drawing.kind(),
            title: drawing.title(),
            format: format.name(),
            bytes: bytes.len(),
            file: path.display().to_string(),
        })?,
        (false, true) => {}
        (false, false) => {
            let mut out = standard();
            let title = drawing.title();
            let title = words::printable(&title);
            let size = bytes.len().div_ceil(1000);
            writeln!(out, "{title}\n  drawn     {} ({size} kB)", path.display())?;
            if let Some(steps) = steps.filter(|steps| steps.end < drawing.step_count()) {
                let (last, end) = (steps.end - 1, drawing.step_count() - 1);
                writeln!(out, "  steps     0 to {last} of 0 to {end}; --steps selects others")?;
            }
            out.flush()?;
        }
    }
    Ok(DONE)
}

/// What is being done, for the progress line.
#[derive(Default)]
struct DrawingProgress {
    what: Mutex<&'static str>,
    /// Pictures of an animation that are complete, and all of them.
    pictures: (AtomicU64, AtomicU64),
}

impl DrawingProgress {
    fn set(&self, what: &'static str) {
        *self.what.lock().unwrap_or_else(PoisonError::into_inner) = what;
    }

    fn count(&self, done: u32, all: u32) {
        self.pictures.0.store(done.into(), Ordering::Relaxed);
        self.pictures.1.store(all.into(), Ordering::Relaxed);
    }

    fn describe(&self) -> String {
        let pictures = |number: &AtomicU64| number.load(Ordering::Relaxed);
        match pictures(&self.pictures.1) {
            0 => (*self.what.lock().unwrap_or_else(PoisonError::into_inner)).to_owned(),
            all => format!("{} pictures", bar(pictures(&self.pictures.0), all)),
        }
    }
}

/// The output format, chosen by the file extension.
fn format_of(args: &DrawArgs) -> Result<PictureFormat, Failure> {
    let Some(path) = args.output.as_ref().filter(|path| *path != Path::new("-")) else {
        return Ok(PictureFormat::Svg);
    };
    match PictureFormat::of(path) {
        Some(format) => Ok(format),
        None if path.extension().is_none() && is_special(path) => Ok(PictureFormat::Svg),
        None => Err(Failure::bad_input(format!(
            "{}: unknown picture format; use a name that ends in .svg, .png or .html (or .gif for a schedule in steps)",
            path.display()
        ))),
    }
}

/// The input to draw.
enum Drawing {
    Network(Box<Network>),
    Schedule(JudgedSchedule),
    Plan(Box<plan::PlanPicture>),
    Tdm(Box<tdm::TdmPicture>),
    Timed(Box<timed::TimedPicture>),
    Log(log::TrafficLog),
}

fn load(args: &DrawArgs) -> Result<Drawing, Failure> {
    let path = Path::new(&args.what);
    let start = if path.is_file() { start(path)? } else { String::new() };
    let (is_log, is_schedule) = (start.starts_with(log::HEAD), start.contains(FORMAT));
    let is_plan = start.contains(throughput::FORMAT);
    let is_tdm = start.contains(slot_tables::FORMAT);
    let is_timed = start.contains(timed_files::FORMAT);
    if is_plan && !args.faults.is_empty() {
        return Err(Failure::bad_input(
            "--fault applies to networks only; run `pavane throughput` with --fault and draw its plan",
        ));
    }
    if (is_log || is_schedule || is_tdm || is_timed) && !args.faults.is_empty() {
        return Err(Failure::bad_input(
            "--fault applies to networks only; run `pavane repair` on the schedule and draw its output",
        ));
    }
    if !is_schedule && (args.steps.is_some() || args.only.is_some()) {
        return Err(Failure::bad_input(format!(
            "--steps and --only apply to schedule files only, and {} is not one",
            args.what
        )));
    }
    if !is_plan && (args.message.is_some() || args.phase.is_some()) {
        return Err(Failure::bad_input(format!(
            "--message and --phase apply to throughput plans only, and {} is not one; `pavane \
             throughput NETWORK COLLECTIVE -o plan.json` writes one",
            args.what
        )));
    }
    if is_plan {
        return Ok(Drawing::Plan(Box::new(plan::PlanPicture::load(path, args)?)));
    }
    if is_tdm {
        return Ok(Drawing::Tdm(Box::new(tdm::TdmPicture::load(path, args.max_deliveries)?)));
    }
    if is_timed {
        return Ok(Drawing::Timed(Box::new(timed::TimedPicture::load(path, args.max_deliveries)?)));
    }
    if is_log {
        return Ok(Drawing::Log(log::read(path)?));
    }
    if is_schedule {
        return Ok(Drawing::Schedule(judged(path, args.max_deliveries)?));
    }
    let network = import::load(&args.what)?;
    let faults = args.faults.load(&network)?;
    let network = network.without(&faults).map_err(Failure::bad_input)?;
    Ok(Drawing::Network(Box::new(network)))
}

/// Draws a schedule file of steps or slots: a picture, and a page that plays it.
pub fn picture_and_player(path: &Path) -> Result<(Vec<u8>, Vec<u8>), Failure> {
    let drawing = if start(path)?.contains(slot_tables::FORMAT) {
        Drawing::Tdm(Box::new(tdm::TdmPicture::load(path, DELIVERIES)?))
    } else {
        Drawing::Schedule(judged(path, DELIVERIES)?)
    };
    let scene = match &drawing {
        Drawing::Schedule(schedule) => {
            let show = Show { no_chart: true, ..Show::default() };
            picture::schedule(&schedule.drawn(), &show).map_err(Failure::bad_input)?
        }
        Drawing::Tdm(slots) => slots.scene()?,
        _ => return Err(Failure::bad_input(format!("{} has no steps", path.display()))),
    };
    let picture = PictureFormat::Svg.bytes(&scene, Theme::default(), &drawing.title())?;
    Ok((picture, drawing.page()?.into_bytes()))
}

/// The beginning of a file, decompressed.
fn start(path: &Path) -> Result<String, Failure> {
    let name = |error: io::Error| Failure::bad_input(format!("{}: {error}", path.display()));
    let mut bytes = Vec::new();
    File::open(path).map_err(name)?.take(4096).read_to_end(&mut bytes).map_err(name)?;
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let mut plain = Vec::new();
        // The input is cut off, so decompression may end with an error, which does not matter.
        let _ = flate2::read::GzDecoder::new(&bytes[..]).take(4096).read_to_end(&mut plain);
        bytes = plain;
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

impl Drawing {
    fn kind(&self) -> &'static str {
        match self {
            Self::Network(_) => "network",
            Self::Schedule(_) => "schedule",
            Self::Plan(_) => "throughput plan",
            Self::Tdm(_) => "TDM schedule",
            Self::Timed(_) => "timed schedule",
            Self::Log(_) => "traffic log",
        }
    }

    fn title(&self) -> String {
        match self {
            Self::Network(network) => format!("{}{}", network.name(), words::without(network)),
            Self::Schedule(schedule) => {
                let network = schedule.phases[0].0.problem().network();
                format!("{}{}", schedule.drawn().title(), words::without(network))
            }
            Self::Plan(plan) => plan.title(),
            Self::Tdm(slots) => slots.title(),
            Self::Timed(timed) => timed.title(),
            Self::Log(log) => log.title.clone(),
        }
    }

    fn step_count(&self) -> u32 {
        match self {
            Self::Schedule(schedule) => schedule.drawn().step_count(),
            _ => 0,
        }
    }

    /// The steps that are drawn if none are requested; `None` if some are, or if all are drawn.
    fn usual_steps(&self, args: &DrawArgs, format: PictureFormat) -> Option<Range<u32>> {
        let Self::Schedule(schedule) = self else { return None };
        let is_whole = format == PictureFormat::Html || args.only == Some(Part::Channels);
        if is_whole || args.steps.is_some() {
            return None;
        }
        let steps =
            if is_animated(args, format) { picture::animated_steps } else { picture::shown_steps };
        steps(&schedule.drawn(), &Show::default()).ok()
    }

    /// The file, with the steps that it shows if none are requested.
    fn bytes(
        &self,
        args: &DrawArgs,
        format: PictureFormat,
        steps: Option<Range<u32>>,
        work: &DrawingProgress,
    ) -> Result<(Vec<u8>, Option<Range<u32>>), Failure> {
        if format == PictureFormat::Html {
            return Ok((self.page()?.into_bytes(), None));
        }
        if !is_animated(args, format) {
            let bytes = format.bytes(&self.scene(args)?, args.theme, &self.title())?;
            return Ok((bytes, steps));
        }
        let scene = self.animation(args, steps.clone())?;
        if format != PictureFormat::Gif || scene.seconds == 0.0 {
            return Ok((format.bytes(&scene, args.theme, &self.title())?, steps));
        }
        let observe = |done, all| work.count(done, all);
        match (gif::write_observed(&scene, args.theme, &observe), steps) {
            (Ok(bytes), steps) => Ok((bytes, steps)),
            // If no steps are requested, as many as the file has room for.
            (Err(GifError::TooManyBytes { megabytes, most, .. }), Some(all)) if all.end > 1 => {
                let room = u64::from(all.end) * most as u64 * 9 / (megabytes as u64 * 10);
                let fewer = 0..(room as u32).clamp(1, all.end - 1);
                self.bytes(args, format, Some(fewer), work)
            }
            (Err(error), _) => Err(Failure::bad_input(error)),
        }
    }

    /// An animation of the requested steps, or of these.
    fn animation(&self, args: &DrawArgs, usual: Option<Range<u32>>) -> Result<Scene, Failure> {
        match self {
            Self::Schedule(_) if args.only == Some(Part::Channels) => Err(Failure::bad_input(
                "--only channels draws a chart, which is not animated; drop it, or drop --animate",
            )),
            Self::Schedule(schedule) => {
                let show = Show { steps: args.steps.clone().or(usual), ..Show::default() };
                let scene = picture::animated_schedule(&schedule.drawn(), &show);
                scene.map_err(Failure::bad_input)
            }
            Self::Timed(timed) => timed.animation(),
            other => Err(Failure::bad_input(format!(
                "{} is a {}; only schedules and timed schedules are animated as SVG or GIF{}",
                args.what,
                other.kind(),
                if matches!(other, Self::Tdm(_)) { " (.html plays a period)" } else { "" }
            ))),
        }
    }

    fn scene(&self, args: &DrawArgs) -> Result<Scene, Failure> {
        match self {
            Self::Network(network) => picture::network(network).map_err(Failure::bad_input),
            Self::Schedule(schedule) => {
                let show = Show {
                    no_chart: args.only == Some(Part::Panels),
                    no_panels: args.only == Some(Part::Channels),
                    steps: args.steps.clone(),
                };
                picture::schedule(&schedule.drawn(), &show).map_err(Failure::bad_input)
            }
            Self::Plan(plan) => plan.scene(),
            Self::Tdm(slots) => slots.scene(),
            Self::Timed(timed) => timed.scene(),
            Self::Log(log) => Ok(log.scene()),
        }
    }

    fn page(&self) -> Result<String, Failure> {
        match self {
            Self::Network(network) => viewer::network_page(network).map_err(Failure::bad_input),
            Self::Schedule(schedule) => {
                viewer::schedule_page(&schedule.drawn()).map_err(Failure::bad_input)
            }
            Self::Plan(plan) => {
                let picture = svg::write(&plan.scene()?, Theme::Auto);
                Ok(viewer::picture_page(&plan.title(), &picture))
            }
            Self::Tdm(slots) => slots.page(),
            Self::Timed(timed) => timed.page(),
            Self::Log(log) => {
                let picture = svg::write(&log.scene(), Theme::Auto);
                Ok(viewer::picture_page(&log.title, &picture))
            }
        }
    }
}

fn is_animated(args: &DrawArgs, format: PictureFormat) -> bool {
    args.animate || format == PictureFormat::Gif
}
