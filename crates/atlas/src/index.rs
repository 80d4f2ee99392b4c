//! The index: one TOML file per family of networks, with entries sorted by their names.

use crate::entry::AtlasEntry;
use crate::error::AtlasError;
use pavane_model::bounded_read;
use pavane_model::format::proof_beside;
use pavane_model::words::nearest;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Component, Path, PathBuf};

/// The maximum size of an index file, in bytes.
const LARGEST: u64 = 64 << 20;

/// The maximum number of folders in each other that are searched for stray files.
const DEEPEST: usize = 8;

/// The atlas in a folder.
#[derive(Debug, Clone, PartialEq)]
pub struct Atlas {
    folder: PathBuf,
    /// The entries, by family and name.
    pub(crate) entries: Vec<AtlasEntry>,
    refused: Vec<RefusedEntry>,
}

/// An entry of an index file that is not used, because it is malformed or contradicts itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedEntry {
    /// The name of the entry; empty if it has none.
    pub id: String,
    /// The index file without its ending.
    pub family: String,
    /// The file, the line and what is wrong.
    pub reason: String,
}

/// An index file as it is written.
#[derive(Debug, Default, Serialize)]
struct IndexFile {
    #[serde(rename = "entry")]
    entries: Vec<AtlasEntry>,
}

/// An index file as it is read: one malformed entry does not hide the others.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadIndex {
    #[serde(default, rename = "entry")]
    entries: Vec<toml::Spanned<toml::Table>>,
}

impl Atlas {
    /// Reads the index files of a folder.
    pub fn open(folder: &Path) -> Result<Self, AtlasError> {
        let atlas = Self::open_or_new(folder)?;
        if atlas.entries.is_empty() && atlas.refused.is_empty() {
            return Err(AtlasError::NoAtlas { folder: folder.display().to_string() });
        }
        Ok(atlas)
    }

    /// As [`Atlas::open`], but a folder without entries is an empty atlas.
    pub fn open_or_new(folder: &Path) -> Result<Self, AtlasError> {
        let shown = || folder.display().to_string();
        let listed =
            std::fs::read_dir(folder).map_err(|_| AtlasError::NoAtlas { folder: shown() })?;
        let mut files: Vec<PathBuf> = listed
            .filter_map(|file| file.ok().map(|file| file.path()))
            .filter(|path| path.extension().is_some_and(|ending| ending == "toml"))
            .collect();
        files.sort();
        let mut atlas =
            Self { folder: folder.to_owned(), entries: Vec::new(), refused: Vec::new() };
        let mut ids = BTreeSet::new();
        for path in files {
            let (entries, refused) = parse_index(bounded_read::read(&path, LARGEST)?, &path)?;
            for entry in &entries {
                if !ids.insert(entry.id.clone()) {
                    let file = path.display().to_string();
                    let reason = format!("the entry {:?} is in the atlas twice", entry.id);
                    return Err(AtlasError::Index { file, reason });
                }
            }
            atlas.entries.extend(entries);
            atlas.refused.extend(refused);
        }
        Ok(atlas)
    }

    /// An atlas of one family, from the text of its index file.
    pub fn parse(folder: &Path, family: &str, bytes: &[u8]) -> Result<Self, AtlasError> {
        let path = folder.join(format!("{family}.toml"));
        let (entries, refused) = parse_index(bytes.to_vec(), &path)?;
        Ok(Self { folder: folder.to_owned(), entries, refused })
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// All entries, by family and name.
    pub fn entries(&self) -> &[AtlasEntry] {
        &self.entries
    }

    /// The entries of the index files that are not used, and why.
    pub fn refused(&self) -> &[RefusedEntry] {
        &self.refused
    }

    /// The entry with this name.
    pub fn find(&self, id: &str) -> Result<&AtlasEntry, AtlasError> {
        if let Some(entry) = self.entries.iter().find(|entry| entry.id == id) {
            return Ok(entry);
        }
        if let Some(refused) = self.refused.iter().find(|entry| entry.id == id) {
            let reason = refused.reason.clone();
            return Err(AtlasError::Entry { id: id.to_owned(), reason });
        }
        let known = self.entries.iter().map(|entry| (entry.id.as_str(), entry.id.as_str()));
        let hint = format!("; {}", nearest(id, known));
        Err(AtlasError::NoEntry { id: id.to_owned(), hint })
    }

    /// The schedule file of an entry, which must be in the folder of the atlas.
    pub fn path(&self, entry: &AtlasEntry) -> Result<PathBuf, AtlasError> {
        let path = Path::new(&entry.file);
        let is_inside = path.components().all(|part| matches!(part, Component::Normal(_)));
        if !is_inside || entry.file.is_empty() {
            let reason = format!("{:?} is not a file in the folder of the atlas", entry.file);
            return Err(AtlasError::Entry { id: entry.id.clone(), reason });
        }
        Ok(self.folder.join(path))
    }

    /// Files in the folder of the atlas that no entry names, in words. Proofs belong to the schedules
    /// beside them.
    pub fn strays(&self) -> Result<Vec<String>, AtlasError> {
        let mut named = BTreeSet::new();
        for entry in &self.entries {
            let schedule = self.folder.join(&entry.file);
            named.insert(proof_beside(&schedule, None));
            named.insert(schedule);
            named.insert(self.folder.join(&entry.problem.network));
        }
        let mut strays = Vec::new();
        let mut folders = vec![(self.folder.clone(), 0)];
        while let Some((folder, depth)) = folders.pop() {
            let unreadable = |error: std::io::Error| AtlasError::Index {
                file: folder.display().to_string(),
                reason: error.kind().to_string(),
            };
            for file in std::fs::read_dir(&folder).map_err(unreadable)? {
                let path = file.map_err(unreadable)?.path();
                let is_index = depth == 0 && path.extension().is_some_and(|e| e == "toml");
                if path.is_dir() && !path.is_symlink() && depth < DEEPEST {
                    folders.push((path, depth + 1));
                } else if !is_index && !named.contains(&path) {
                    strays.push(format!("{}: no entry names this file", path.display()));
                }
            }
        }
        strays.sort();
        Ok(strays)
    }

    /// Writes the index file of a family, completely or not at all. Entries that were refused would be
    /// lost, so a file that has some is not written.
    pub(crate) fn save(&self, family: &str) -> Result<(), AtlasError> {
        let path = self.folder.join(format!("{family}.toml"));
        if let Some(refused) = self.refused.iter().find(|entry| entry.family == family) {
            let reason = format!("it has a wrong entry, correct it first: {}", refused.reason);
            return Err(AtlasError::Unwritable { path: path.display().to_string(), reason });
        }
        let of_family = self.entries.iter().filter(|entry| entry.family == family);
        let mut entries: Vec<AtlasEntry> = of_family.cloned().collect();
        entries.sort_by(|one, other| one.id.cmp(&other.id));
        let text = toml::to_string(&IndexFile { entries }).map_err(|error| AtlasError::Index {
            file: path.display().to_string(),
            reason: error.to_string(),
        })?;
        write_whole(&path, text.as_bytes())
    }
}

/// The entries of an index file, and those that are malformed or contradict themselves.
fn parse_index(
    bytes: Vec<u8>,
    path: &Path,
) -> Result<(Vec<AtlasEntry>, Vec<RefusedEntry>), AtlasError> {
    let family = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let wrong = |reason: String| AtlasError::Index { file: path.display().to_string(), reason };
    let text = String::from_utf8(bytes).map_err(|_| wrong("it is not UTF-8 text".to_owned()))?;
    let line_at = |start: usize| {
        let before = &text.as_bytes()[..start.min(text.len())];
        1 + before.iter().filter(|&&byte| byte == b'\n').count()
    };
    let index = toml::from_str::<ReadIndex>(&text).map_err(|error| {
        let line = line_at(error.span().map_or(0, |span| span.start));
        wrong(format!("line {line}: {}", error.message().replace('\n', " ")))
    })?;
    let (mut entries, mut refused) = (Vec::new(), Vec::new());
    for table in index.entries {
        let line = line_at(table.span().start);
        let table = table.into_inner();
        let id = table.get("id").and_then(toml::Value::as_str).unwrap_or_default().to_owned();
        let read = toml::Value::Table(table).try_into::<AtlasEntry>();
        let checked = read.map_err(|error| error.message().replace('\n', " "));
        let checked = checked.and_then(|entry| match entry.wrong_claim() {
            None => Ok(AtlasEntry { family: family.clone(), ..entry }),
            Some(reason) => Err(reason),
        });
        match checked {
            Ok(entry) => entries.push(entry),
            Err(reason) => {
                let reason = format!("{}: line {line}: entry {id:?}: {reason}", path.display());
                refused.push(RefusedEntry { id, family: family.clone(), reason });
            }
        }
    }
    Ok((entries, refused))
}

/// Writes a file completely or not at all, and creates its folder.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), AtlasError> {
    let unwritable = |error: std::io::Error| AtlasError::Unwritable {
        path: path.display().to_string(),
        reason: error.kind().to_string(),
    };
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(unwritable)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(".pavane-").suffix(".part");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(folder).map_err(unwritable)?;
    file.write_all(bytes).map_err(unwritable)?;
    file.persist(path).map_err(|error| unwritable(error.error))?;
    Ok(())
}
