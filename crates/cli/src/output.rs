//! Output and exit codes. Results go to standard output, everything else to standard error. Files
//! are written completely or not at all.

use crate::report::common::ErrorReport;
use pavane_model::collective::CollectiveError;
use pavane_model::printable::{printable, printable_json, printable_lines};
use pavane_model::write_target::{self, Target};
use pavane_model::{AftermathError, ProblemError};
use pavane_networks::import::LoadError;
use pavane_networks::topology::TopologyError;
use pavane_search::bounds::RefusedBound;
use pavane_search::parameters::ParameterError;
use pavane_search::synthesize::SynthesisError;
use pavane_store::{StoreError, files};
use serde::Serialize;
use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether this process prints nothing. It is global because standard output is, too.
static IS_MUTE: AtomicBool = AtomicBool::new(false);

/// Suppresses all output: under MPI only the first rank prints.
pub fn mute() {
    IS_MUTE.store(true, Ordering::Relaxed);
}

/// Whether output is suppressed.
pub fn is_mute() -> bool {
    IS_MUTE.load(Ordering::Relaxed)
}

/// Whether errors are also printed as JSON, to standard output.
static IS_JSON: AtomicBool = AtomicBool::new(false);

/// Whether JSON has been printed.
static HAS_JSON: AtomicBool = AtomicBool::new(false);

/// Prints errors as JSON too, because the user asked for `--json`.
pub fn answer_in_json() {
    IS_JSON.store(true, Ordering::Relaxed);
}

/// Prints an error as JSON if the user asked for that and has no other JSON yet: a report may say
/// itself what is wrong.
fn print_error(error: &str, code: u8) {
    if IS_JSON.load(Ordering::Relaxed) && !is_mute() && !HAS_JSON.load(Ordering::Relaxed) {
        // The reader may be gone.
        let status = if code == IMPOSSIBLE { "impossible" } else { "error" };
        let _ = print_json(&ErrorReport { status, error, exit_code: code });
    }
}

/// Writes lines to standard error. If that is closed or full they are lost, and the command goes on.
pub fn to_stderr(lines: &str) {
    let _ = io::stderr().lock().write_all(format!("{lines}\n").as_bytes());
}

/// Prints a usage error or the requested help, and returns the exit code.
pub fn report_usage(error: &clap::Error) -> ExitCode {
    if !is_mute() {
        // The reader may be gone.
        let _ = error.print();
        if error.use_stderr() {
            print_error(&without_usage(&error.render().to_string()), 2);
        }
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

/// A usage error in one line, without the summary of the usage that follows it. Tips follow a semicolon.
fn without_usage(text: &str) -> String {
    let text = text.trim_start_matches("error: ");
    let lines = text.lines().map(str::trim);
    let is_error = |line: &&str| !line.starts_with("Usage:") && !line.starts_with("For more ");
    let lines: Vec<&str> = lines.take_while(is_error).filter(|line| !line.is_empty()).collect();
    lines.join(" ").replace(" tip: ", "; ")
}

/// Success: solved, valid, listed.
pub const DONE: ExitCode = ExitCode::SUCCESS;

/// Negative result: no schedule found, or not valid.
pub fn not_so() -> ExitCode {
    ExitCode::from(1)
}

/// The exit code of what is impossible.
const IMPOSSIBLE: u8 = 3;

/// Negative result with a proof: what was asked for is impossible.
pub fn impossible() -> ExitCode {
    ExitCode::from(IMPOSSIBLE)
}

/// Why a command failed.
pub enum Failure {
    /// The arguments or an input file are wrong.
    BadInput(String),
    /// What was asked for is proved impossible.
    Impossible(String),
    /// An internal error, such as an answer that the judge refuses.
    Bug(String),
    /// The reader of standard output is gone.
    ClosedPipe,
}

impl Failure {
    /// A failure from an error, in one line. Names from files in it are made printable.
    pub fn bad_input(error: impl Display) -> Self {
        Self::BadInput(printable(&error.to_string()).into_owned())
    }

    /// The same, but proved: no input of this kind can succeed.
    pub fn into_impossible(self) -> Self {
        match self {
            Self::BadInput(text) => Self::Impossible(text),
            other => other,
        }
    }

    /// A failure with several lines.
    pub fn of_lines(lines: impl IntoIterator<Item = String>) -> Self {
        let lines: Vec<String> =
            lines.into_iter().map(|line| printable(&line).into_owned()).collect();
        Self::BadInput(lines.join("\n"))
    }

    /// The message.
    pub fn text(&self) -> &str {
        match self {
            Self::BadInput(text) | Self::Impossible(text) | Self::Bug(text) => text,
            Self::ClosedPipe => "the reader of standard output closed it",
        }
    }

    /// Prints the failure and returns the exit code.
    pub fn report(self) -> ExitCode {
        match self {
            Self::BadInput(_) if is_mute() => ExitCode::from(2),
            Self::Impossible(_) if is_mute() => impossible(),
            Self::ClosedPipe => DONE,
            Self::BadInput(message) => {
                to_stderr(&format!("error: {message}"));
                print_error(&message, 2);
                ExitCode::from(2)
            }
            Self::Impossible(message) => {
                to_stderr(&format!("error: {message}"));
                print_error(&message, IMPOSSIBLE);
                impossible()
            }
            Self::Bug(message) => {
                let message = printable_lines(&message);
                to_stderr(&format!("bug: {message}\nPlease report this with the command you ran."));
                print_error(&format!("bug: {message}"), 70);
                ExitCode::from(70)
            }
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Bug(why) => Self::Bug(why),
            error => Self::bad_input(error),
        }
    }
}

impl From<AftermathError> for Failure {
    /// Disconnected pairs get one line each; there is no schedule.
    fn from(error: AftermathError) -> Self {
        match &error {
            AftermathError::Separated(separated) => {
                Self::of_lines(separated.to_string().lines().map(str::to_owned)).into_impossible()
            }
            AftermathError::Problem(ProblemError::TooLarge { .. }) => {
                Self::bad_input(format!("{error} (raise with --max-deliveries)"))
            }
            AftermathError::Collective(CollectiveError::NoRoot { collective, has_receivers }) => {
                let options =
                    if *has_receivers { "--senders and --receivers" } else { "--senders" };
                Self::bad_input(format!("{collective} has no root; use {options}"))
            }
            AftermathError::Collective(CollectiveError::NoReceivers { collective }) => {
                Self::bad_input(format!("`{collective}` requires --receivers"))
            }
            error => Self::bad_input(error),
        }
    }
}

impl From<LoadError> for Failure {
    fn from(error: LoadError) -> Self {
        match &error {
            LoadError::Topology(TopologyError::Unknown { .. }) => {
                Self::bad_input(format!("{error} (all: `pavane networks`)"))
            }
            error => Self::bad_input(error),
        }
    }
}

impl From<RefusedBound> for Failure {
    fn from(error: RefusedBound) -> Self {
        Self::Bug(error.to_string())
    }
}

impl From<SynthesisError> for Failure {
    fn from(error: SynthesisError) -> Self {
        match error {
            SynthesisError::RefusedBound(error) => error.into(),
            SynthesisError::Parameters(ParameterError::NoEngine) => {
                Self::bad_input("--set and --preset require --engine (see `pavane engines`)")
            }
            SynthesisError::Parameters(
                error @ (ParameterError::Unknown { .. }
                | ParameterError::NoRoom { .. }
                | ParameterError::NoPreset { .. }),
            ) => Self::bad_input(format!("{error} (see `pavane engines`)")),
            error => Self::bad_input(error),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::ClosedPipe,
            _ => Self::bad_input(error),
        }
    }
}

/// Buffered standard output for text. Escapes control and format characters, which can only come
/// from names in files.
pub fn standard() -> Escaping {
    Escaping { out: standard_for_files(), escape: printable_lines }
}

/// Buffered standard output for files.
pub fn standard_for_files() -> BufWriter<io::StdoutLock<'static>> {
    BufWriter::new(io::stdout().lock())
}

/// Buffered standard output for JSON.
pub fn standard_for_json() -> Escaping {
    Escaping { out: standard_for_files(), escape: printable_json }
}

/// Standard output that escapes characters with an effect on terminals.
pub struct Escaping {
    out: BufWriter<io::StdoutLock<'static>>,
    escape: fn(&str) -> Cow<'_, str>,
}

impl Write for Escaping {
    /// Writes everything. Formatting and JSON write in pieces that are each valid UTF-8.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match std::str::from_utf8(bytes) {
            Ok(text) => self.out.write_all((self.escape)(text).as_bytes())?,
            Err(_) => self.out.write_all(bytes)?,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Prints a report as JSON, with the keys of each object in alphabetical order.
pub fn print_json(report: &impl Serialize) -> Result<(), Failure> {
    print_in_order(&serde_json::to_value(report).map_err(io::Error::from)?)
}

/// Prints a value as JSON, with keys in the order of its fields.
pub fn print_in_order(value: &impl Serialize) -> Result<(), Failure> {
    HAS_JSON.store(true, Ordering::Relaxed);
    let mut out = standard_for_json();
    serde_json::to_writer_pretty(&mut out, value).map_err(io::Error::from)?;
    writeln!(out)?;
    out.flush()?;
    Ok(())
}

/// Prints a report as JSON with a last field that may be large: `write` writes it, without a copy in
/// memory.
pub fn print_json_with(
    report: &impl Serialize,
    field: &str,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    const PIECE: usize = 1 << 16;
    HAS_JSON.store(true, Ordering::Relaxed);
    let report = serde_json::to_value(report).map_err(io::Error::from)?;
    let mut out = BufWriter::with_capacity(PIECE, standard_for_json());
    let fields = serde_json::to_string_pretty(&report).map_err(io::Error::from)?;
    let fields = fields.strip_suffix("\n}").unwrap_or(&fields);
    write!(out, "{fields},\n  \"{field}\": ")?;
    write(&mut out)?;
    writeln!(out, "}}")?;
    out.flush()?;
    Ok(())
}

/// Fails early if a file cannot be written, before any work is done for it.
pub fn check_place(path: &Path) -> Result<(), Failure> {
    if path == Path::new("-") {
        return Ok(());
    }
    Ok(files::check_place(path)?)
}

/// Whether one of the files is standard output, so that nothing else may be printed there.
pub fn is_standard<'a>(paths: impl IntoIterator<Item = &'a Option<PathBuf>>) -> bool {
    paths.into_iter().flatten().any(|path| path == Path::new("-"))
}

/// Names the files that were written, one in each line; not standard output.
pub fn name_written<'a>(
    out: &mut dyn Write,
    paths: impl IntoIterator<Item = &'a Option<PathBuf>>,
) -> io::Result<()> {
    let files = paths.into_iter().flatten().filter(|path| *path != Path::new("-"));
    files.into_iter().try_for_each(|path| writeln!(out, "  written   {}", path.display()))
}

/// Writes a file completely or not at all: writes a temporary file in the same folder, then renames
/// it. Follows symbolic links and replaces the file behind them. Pipes and devices are opened and
/// written to; `-` is standard output.
pub fn write_file(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    // Opening the file behind standard output again would overwrite it from its start.
    if path == Path::new("-") || path == Path::new("/dev/stdout") {
        let mut out = standard_for_files();
        write(&mut out)?;
        out.flush()?;
        return Ok(());
    }
    Ok(files::write_file(path, write)?)
}

/// Whether a path is standard output, a pipe or a device, which cannot be replaced by a file.
pub fn is_special(path: &Path) -> bool {
    path == Path::new("-") || matches!(write_target::resolve(path), Ok(Target::Stream))
}
