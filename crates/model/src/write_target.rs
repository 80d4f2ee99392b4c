//! Where a file that the user names is really written: through symbolic links, and into pipes and
//! devices instead of in their place.

use std::io;
use std::path::{Path, PathBuf};

/// Symbolic links that are followed one after the other, as many as Linux follows.
const MOST_LINKS: usize = 40;

/// What a path leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A file, which there may be or not. It can be replaced by another that was written beside it.
    File(PathBuf),
    /// A pipe, a device, or an open file of the process such as `/dev/stdout`: opened and written to.
    Stream,
}

/// Follows symbolic links from a path to what is to be written. A link to nothing leads to the file
/// that is to be made; links in a circle are an error.
pub fn resolve(path: &Path) -> io::Result<Target> {
    let mut place = path.to_owned();
    for _ in 0..=MOST_LINKS {
        // The links in /proc/self/fd stand for open files, whatever they seem to lead to.
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
