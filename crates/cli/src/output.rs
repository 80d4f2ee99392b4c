//! Where results go and how a command ends: results on standard output, everything else on
//! standard error, files written whole or not at all.

use pavane_engine::bounds::RefusedBound;
use pavane_engine::synthesize::SynthesisError;
use pavane_model::AftermathError;
use pavane_model::printable::{printable, printable_json, printable_lines};
use pavane_model::write_target::{self, Target};
use serde::Serialize;
use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use tempfile::NamedTempFile;

/// Whether this process is to keep silent. Who speaks is a fact of the process, as its standard output is.
static IS_MUTE: AtomicBool = AtomicBool::new(false);

/// From now on nothing is told: under MPI the first rank speaks for all.
pub fn mute() {
    IS_MUTE.store(true, Ordering::Relaxed);
}

/// Whether nothing is to be told.
pub fn is_mute() -> bool {
    IS_MUTE.load(Ordering::Relaxed)
}

/// Tells what is wrong with the arguments, or the help that was asked for, and gives the exit code.
pub fn report_usage(error: &clap::Error) -> ExitCode {
    if !is_mute() {
        // Whoever would read it has gone.
        let _ = error.print();
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

/// Solved, valid, listed.
pub const DONE: ExitCode = ExitCode::SUCCESS;

/// No schedule found, or not valid.
pub fn not_so() -> ExitCode {
    ExitCode::from(1)
}

/// Why a command could not do its work.
pub enum Failure {
    /// What was typed, or a file that was named, is wrong.
    BadInput(String),
    /// Something that must not happen: an answer of our own that the judge refuses.
    Bug(String),
    /// Whoever read standard output has gone.
    ClosedPipe,
}

impl Failure {
    /// A failure from an error that says what to try, in one line: names in it may be from a file.
    pub fn bad_input(error: impl Display) -> Self {
        Self::BadInput(printable(&error.to_string()).into_owned())
    }

    /// The same, of several lines.
    pub fn of_lines(lines: impl IntoIterator<Item = String>) -> Self {
        let lines: Vec<String> =
            lines.into_iter().map(|line| printable(&line).into_owned()).collect();
        Self::BadInput(lines.join("\n"))
    }

    /// What it says.
    pub fn text(&self) -> &str {
        match self {
            Self::BadInput(text) | Self::Bug(text) => text,
            Self::ClosedPipe => "whoever read the output has gone",
        }
    }

    /// Tells the user, and gives the exit code.
    #[expect(clippy::print_stderr, reason = "the one place where errors are told")]
    pub fn report(self) -> ExitCode {
        match self {
            Self::BadInput(_) if is_mute() => ExitCode::from(2),
            Self::ClosedPipe => DONE,
            Self::BadInput(message) => {
                eprintln!("error: {message}");
                ExitCode::from(2)
            }
            Self::Bug(message) => {
                let message = printable_lines(&message);
                eprintln!("bug: {message}\nPlease report this with the command you ran.");
                ExitCode::from(70)
            }
        }
    }
}

impl From<AftermathError> for Failure {
    /// Senders and receivers that are separated have a line each.
    fn from(error: AftermathError) -> Self {
        match &error {
            AftermathError::Separated(separated) => {
                Self::of_lines(separated.to_string().lines().map(str::to_owned))
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

/// Standard output for text, buffered. Control and format characters, which only names from files
/// have, are escaped.
pub fn standard() -> Escaping {
    Escaping { out: standard_for_files(), escape: printable_lines }
}

/// Standard output for files, buffered.
pub fn standard_for_files() -> BufWriter<io::StdoutLock<'static>> {
    BufWriter::new(io::stdout().lock())
}

/// Standard output that escapes what a terminal would act on.
pub struct Escaping {
    out: BufWriter<io::StdoutLock<'static>>,
    escape: fn(&str) -> Cow<'_, str>,
}

impl Write for Escaping {
    /// Takes all of it. Formatting and JSON come in pieces that are text each.
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

/// Prints a value as JSON.
pub fn print_json(value: &serde_json::Value) -> Result<(), Failure> {
    print_as_json(value)
}

/// Prints anything as JSON.
pub fn print_as_json(value: &impl Serialize) -> Result<(), Failure> {
    let mut out = Escaping { out: standard_for_files(), escape: printable_json };
    serde_json::to_writer_pretty(&mut out, value).map_err(io::Error::from)?;
    writeln!(out)?;
    out.flush()?;
    Ok(())
}

/// Fails at once where a file could not be written, so that nobody waits for a result in vain.
pub fn check_place(path: &Path) -> Result<(), Failure> {
    if path == Path::new("-") {
        return Ok(());
    }
    match write_target::resolve(path).map_err(|error| unwritable(path, &error))? {
        Target::Stream => Ok(()),
        Target::File(target) => beside(path, &target).map(drop),
    }
}

/// Whether one of the files is standard output, so that nothing else is to be printed there.
pub fn is_standard<'a>(paths: impl IntoIterator<Item = &'a Option<PathBuf>>) -> bool {
    paths.into_iter().flatten().any(|path| path == Path::new("-"))
}

/// Writes a file whole or not at all: beside its place first, then moved there. A symbolic link stays,
/// and the file that it leads to is replaced. Pipes and devices are opened and written to; `-` is
/// standard output.
pub fn write_file(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    // Opened once more, a file behind standard output would be written from its start again.
    if path == Path::new("-") || path == Path::new("/dev/stdout") {
        let mut out = standard_for_files();
        write(&mut out)?;
        out.flush()?;
        return Ok(());
    }
    let name = |error| unwritable(path, &error);
    let Target::File(target) = write_target::resolve(path).map_err(name)? else {
        let file = std::fs::OpenOptions::new().append(true).open(path).map_err(name)?;
        let mut out = BufWriter::new(file);
        return write(&mut out).and_then(|()| out.flush()).map_err(name);
    };
    let mut out = BufWriter::with_capacity(1 << 16, beside(path, &target)?);
    write(&mut out).and_then(|()| out.flush()).map_err(name)?;
    let file = out.into_inner().map_err(|error| name(error.into_error()))?;
    file.persist(&target).map_err(|error| name(error.error))?;
    Ok(())
}

/// Standard output, a pipe, a device: something that cannot be replaced by another file.
pub fn is_special(path: &Path) -> bool {
    path == Path::new("-") || matches!(write_target::resolve(path), Ok(Target::Stream))
}

/// A file in the folder of `target`, to which `path` leads, that vanishes unless it is moved there.
fn beside(path: &Path, target: &Path) -> Result<NamedTempFile, Failure> {
    if target.is_dir() {
        return Err(unwritable(path, &io::ErrorKind::IsADirectory.into()));
    }
    let folder = target.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".pavane-").suffix(".part");
    #[cfg(unix)]
    {
        // An ordinary file: readable by whom the umask lets, not by the owner alone.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder).map_err(|error| unwritable(path, &error))
}

/// The kind of error says enough; its text may name the file beside instead of the one meant.
fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::bad_input(format!("{} cannot be written: {}", path.display(), error.kind()))
}
