//! Finds where to write a user-named file: follows symbolic links, and writes into pipes and
//! devices instead of replacing them.

use std::io;
use std::path::{Path, PathBuf};

/// The maximum number of symbolic links to follow, as in Linux.
const MOST_LINKS: usize = 40;

/// What a path refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A file, which may not exist yet. It can be replaced by a new file written next to it.
    File(PathBuf),
    /// A pipe, a device, or an open file of the process such as `/dev/stdout`; it must be opened
    /// and written to.
    Stream,
}

/// Follows symbolic links. A dangling link leads to the file that is to be created; a cycle of
/// links is an error.
pub fn resolve(path: &Path) -> io::Result<Target> {
    let mut place = path.to_owned();
    for _ in 0..=MOST_LINKS {
        // Links in /proc/self/fd denote open files, whatever their targets look like.
        if place.starts_with("/proc") {
            return Ok(Target::Stream);
        }
        match place.symlink_metadata() {
            Ok(data) if data.is_symlink() => {
                let target = place.read_link()?;
                place = place.parent().unwrap_or(Path::new("")).join(target);
            }
            Ok(data) if data.is_file() || data.is_dir() => return Ok(Target::File(place)),
            Ok(_) => return Ok(Target::Stream),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Target::File(place));
            }
            Err(error) => return Err(error),
        }
    }
    let in_a_circle = || io::Error::other("too many symbolic links");
    Err(path.metadata().err().unwrap_or_else(in_a_circle))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_are_followed_to_their_end() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("inner")).unwrap();
        std::fs::write(at("inner/file"), "old").unwrap();
        symlink("inner/file", at("link")).unwrap();
        symlink("link", at("link to link")).unwrap();
        symlink(at("inner/none"), at("dangling")).unwrap();
        symlink("circle", at("circle")).unwrap();
        symlink("/dev/null", at("device")).unwrap();
        for (name, expected) in [
            ("inner/file", at("inner/file")),
            ("none", at("none")),
            ("link", at("inner/file")),
            ("link to link", at("inner/file")),
            ("dangling", at("inner/none")),
        ] {
            assert_eq!(resolve(&at(name)).unwrap(), Target::File(expected), "{name}");
        }
        assert_eq!(resolve(&at("device")).unwrap(), Target::Stream);
        assert_eq!(resolve(Path::new("/dev/stdout")).unwrap(), Target::Stream);
        assert!(resolve(&at("circle")).is_err());
        assert!(resolve(&at("inner/file/below")).is_err());
        assert_eq!(resolve(Path::new("none")).unwrap(), Target::File("none".into()));
    }
}
