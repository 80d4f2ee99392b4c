//! The index: one TOML file per family of networks, with entries sorted by their names.

use crate::entry::AtlasEntry;
use crate::error::AtlasError;
use pavane_model::bounded_read;
use pavane_model::words::nearest;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Component, Path, PathBuf};

/// The maximum size of an index file, in bytes.
const LARGEST: u64 = 64 << 20;

/// The atlas in a folder.
#[derive(Debug, Clone, PartialEq)]
pub struct Atlas {
    folder: PathBuf,
    /// The entries, by family and name.
    pub(crate) entries: Vec<AtlasEntry>,
}

/// An index file.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct IndexFile {
    #[serde(default, rename = "entry")]
    entries: Vec<AtlasEntry>,
}

impl Atlas {
    /// Reads the index files of a folder.
    pub fn open(folder: &Path) -> Result<Self, AtlasError> {
        let atlas = Self::open_or_new(folder)?;
        if atlas.entries.is_empty() {
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
        let mut entries = Vec::new();
        let mut ids = BTreeSet::new();
        for path in files {
            for entry in read_index(&path)? {
                if !ids.insert(entry.id.clone()) {
                    let file = path.display().to_string();
                    let reason = format!("the entry {:?} is in the atlas twice", entry.id);
                    return Err(AtlasError::Index { file, reason });
                }
                entries.push(entry);
            }
        }
        Ok(Self { folder: folder.to_owned(), entries })
    }

    /// An atlas of one family, from the text of its index file.
    pub fn parse(folder: &Path, family: &str, bytes: &[u8]) -> Result<Self, AtlasError> {
        let entries = parse_index(bytes.to_vec(), &folder.join(format!("{family}.toml")))?;
        Ok(Self { folder: folder.to_owned(), entries })
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// All entries, by family and name.
    pub fn entries(&self) -> &[AtlasEntry] {
        &self.entries
    }

    /// The entry with this name.
    pub fn find(&self, id: &str) -> Result<&AtlasEntry, AtlasError> {
        let found = self.entries.iter().find(|entry| entry.id == id);
        found.ok_or_else(|| {
            let known = self.entries.iter().map(|entry| (entry.id.as_str(), entry.id.as_str()));
            let hint = format!("; {}", nearest(id, known));
            AtlasError::NoEntry { id: id.to_owned(), hint }
        })
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

    /// Schedule files of the families that no entry names, in words.
    pub fn strays(&self) -> Result<Vec<String>, AtlasError> {
        let named: BTreeSet<PathBuf> =
            self.entries.iter().map(|entry| self.folder.join(&entry.file)).collect();
        let families: BTreeSet<&str> =
            self.entries.iter().map(|entry| entry.family.as_str()).collect();
        let mut strays = Vec::new();
        for family in families {
            let Ok(listed) = std::fs::read_dir(self.folder.join(family)) else { continue };
            for path in listed.filter_map(|file| file.ok().map(|file| file.path())) {
                let is_schedule = path.to_string_lossy().ends_with(".json.gz");
                if is_schedule && !named.contains(&path) {
                    strays.push(format!("{}: no entry names this file", path.display()));
                }
            }
        }
        strays.sort();
        Ok(strays)
    }

    /// Writes the index file of a family, completely or not at all.
    pub(crate) fn save(&self, family: &str) -> Result<(), AtlasError> {
        let of_family = self.entries.iter().filter(|entry| entry.family == family);
        let mut entries: Vec<AtlasEntry> = of_family.cloned().collect();
        entries.sort_by(|one, other| one.id.cmp(&other.id));
        let path = self.folder.join(format!("{family}.toml"));
        let text = toml::to_string(&IndexFile { entries }).map_err(|error| AtlasError::Index {
            file: path.display().to_string(),
            reason: error.to_string(),
        })?;
        write_whole(&path, text.as_bytes())
    }
}

fn read_index(path: &Path) -> Result<Vec<AtlasEntry>, AtlasError> {
    parse_index(bounded_read::read(path, LARGEST)?, path)
}

fn parse_index(bytes: Vec<u8>, path: &Path) -> Result<Vec<AtlasEntry>, AtlasError> {
    let family = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let wrong = |reason: String| AtlasError::Index { file: path.display().to_string(), reason };
    let text = String::from_utf8(bytes).map_err(|_| wrong("it is not UTF-8 text".to_owned()))?;
    let mut entries = toml::from_str::<IndexFile>(&text)
        .map_err(|error| {
            let start = error.span().map_or(0, |span| span.start.min(text.len()));
            let line = 1 + text.as_bytes()[..start].iter().filter(|&&byte| byte == b'\n').count();
            wrong(format!("line {line}: {}", error.message().replace('\n', " ")))
        })?
        .entries;
    for entry in &mut entries {
        entry.family.clone_from(&family);
    }
    Ok(entries)
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
