//! Names of downloads, and archives of several files.

use super::answer::Download;
use flate2::Crc;
use pavane_interop::export::File;

/// Maximum length of a stem. With the longest suffix of an export, a name still fits into the
/// header of an archive.
const LONGEST_STEM: usize = 60;

/// Maximum length of a name in the header of an archive.
const LONGEST_NAME: usize = 100;

/// Size of a block in bytes. A header takes one block, and content is padded to whole blocks.
const BLOCK: usize = 512;

/// The name of a download without its suffix: collective and network as ASCII words joined by
/// dashes, which every file system accepts. It starts with the name of a collective, so it is never
/// a name that Windows reserves. If it is truncated or the original is not ASCII, a checksum of the
/// original keeps it unique.
pub fn stem(collective: &str, network: &str) -> String {
    let whole = format!("{collective}-{network}");
    let words = whole.split(|letter: char| !letter.is_ascii_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let mut stem = words.join("-");
    if stem.len() <= LONGEST_STEM && whole.is_ascii() {
        return stem;
    }
    let mut sum = Crc::new();
    sum.update(whole.as_bytes());
    let end = format!("-{:08x}", sum.sum());
    stem.truncate(LONGEST_STEM - end.len());
    stem + &end
}

/// An exported schedule: one file, or an archive of several. `ending` is that of a single file.
pub fn exported(
    stem: &str,
    (format, ending): (&str, &str),
    files: Vec<File>,
) -> Result<Download, String> {
    let kind = "application/octet-stream";
    if let ([only], false) = (&files[..], ending.is_empty()) {
        return Ok(Download { name: format!("{stem}.{ending}"), kind, bytes: only.bytes.clone() });
    }
    let files: Vec<(String, Vec<u8>)> =
        files.into_iter().map(|file| (format!("{stem}{}", file.suffix), file.bytes)).collect();
    Ok(Download { name: format!("{stem}-{format}.tar"), kind, bytes: tar(&files)? })
}

/// A tar archive (ustar). Names are never truncated: one that is too long is an error.
pub fn tar(files: &[(String, Vec<u8>)]) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    for (name, content) in files {
        bytes.extend_from_slice(&header(name, content.len())?);
        bytes.extend_from_slice(content);
        bytes.resize(bytes.len().next_multiple_of(BLOCK), 0);
    }
    bytes.resize(bytes.len() + 2 * BLOCK, 0);
    Ok(bytes)
}

fn header(name: &str, length: usize) -> Result<[u8; BLOCK], String> {
    if name.len() > LONGEST_NAME {
        let found = name.len();
        return Err(format!(
            "the file name {name:?} has {found} bytes; an archive allows at most {LONGEST_NAME}"
        ));
    }
    let mut head = [0u8; BLOCK];
    let mut put = |at: usize, text: &[u8]| head[at..at + text.len()].copy_from_slice(text);
    put(0, name.as_bytes());
    put(100, b"0000644\0");
    put(108, b"0000000\0");
    put(116, b"0000000\0");
    put(124, format!("{length:011o}\0").as_bytes());
    put(136, b"00000000000\0");
    put(148, b"        ");
    put(156, b"0");
    put(257, b"ustar\x0000");
    let sum: u32 = head.iter().map(|&byte| u32::from(byte)).sum();
    head[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    Ok(head)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn stems_are_short_plain_and_different() {
        assert_eq!(stem("aas", "mesh:4x4"), "aas-mesh-4x4");
        assert_eq!(stem("all-reduce", "random:8,0.5"), "all-reduce-random-8-0-5");
        let long = "n".repeat(150);
        let names = [
            long.clone() + "a",
            long.clone() + "A",
            long,
            "../../etc/passwd".to_owned(),
            "nul.txt".to_owned(),
            "网络".to_owned(),
            "網絡".to_owned(),
            "\"; x=\"\r\n\0".to_owned(),
            ".".repeat(200),
            String::new(),
        ];
        let stems: BTreeSet<String> =
            names.iter().map(|name| stem("oab", name).to_lowercase()).collect();
        // Dots and empty parts add no word.
        assert_eq!(stems.len(), names.len() - 1, "{stems:?}");
        for stem in &stems {
            let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
            assert!(stem.starts_with("oab") && stem.chars().all(is_plain), "{stem}");
            assert!(stem.len() <= LONGEST_STEM, "{stem}");
        }
    }

    #[test]
    fn long_names_are_refused_instead_of_cut() {
        let file = |length| [("n".repeat(length), Vec::new())];
        assert_eq!(tar(&file(LONGEST_NAME)).unwrap().len(), 3 * BLOCK);
        assert!(tar(&file(LONGEST_NAME + 1)).unwrap_err().contains("101 bytes"));
    }
}
