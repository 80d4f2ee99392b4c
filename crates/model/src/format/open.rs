//! Opens stored files, plain or gzipped, with a size limit: a small gzipped file must not unpack to
//! gigabytes, and a device or pipe must not be read endlessly.

use flate2::read::MultiGzDecoder;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;

/// Unpacked bytes that any gzipped file may have.
const UNPACKED: u64 = 64 << 20;

/// Unpacked bytes allowed per packed byte of a larger file. Schedules and proofs have 3 to 30.
const RATIO: u64 = 100;

/// Bytes that may be read from a device or pipe, whose length is unknown.
const STREAMED: u64 = 1 << 30;

/// Read buffer size.
const BLOCK: usize = 1 << 16;

/// Opens a file. Recognises gzip by the first bytes and unpacks it.
pub(crate) fn open(path: &Path) -> io::Result<Box<dyn BufRead>> {
    let file = File::open(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => io::Error::new(error.kind(), "there is no such file"),
        _ => error,
    })?;
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    let length = metadata.is_file().then_some(metadata.len());
    unpacked(BufReader::with_capacity(BLOCK, file), length)
}

/// As [`open`], for the bytes of a file.
pub(crate) fn open_bytes(bytes: Vec<u8>) -> io::Result<Box<dyn BufRead>> {
    let length = bytes.len() as u64;
    unpacked(Cursor::new(bytes), Some(length))
}

/// Wraps a reader, unpacking gzip. `length` is the number of bytes in the file, if known.
fn unpacked(
    mut input: impl BufRead + 'static,
    length: Option<u64>,
) -> io::Result<Box<dyn BufRead>> {
    let is_gzipped = input.fill_buf()?.starts_with(&[0x1f, 0x8b]);
    let (most, refusal) = match length {
        None => (
            STREAMED,
            format!(
                "it is not a regular file and has more than {} MiB; save it to a file first",
                STREAMED >> 20
            ),
        ),
        Some(length) if is_gzipped => {
            let most = length.saturating_mul(RATIO).max(UNPACKED);
            let refusal = format!(
                "it unpacks to more than {} MiB, the limit for {length} gzipped bytes; unpack it \
                 with gunzip to avoid this limit",
                most >> 20
            );
            (most, refusal)
        }
        Some(_) => return Ok(Box::new(input)),
    };
    Ok(if is_gzipped {
        let unpacked = BufReader::with_capacity(BLOCK, Unpacked(MultiGzDecoder::new(input)));
        Box::new(Capped { input: unpacked, left: most, refusal })
    } else {
        Box::new(Capped { input, left: most, refusal })
    })
}

/// Unpacks gzip, and says in words that a file is damaged.
struct Unpacked<R>(MultiGzDecoder<R>);

impl<R: BufRead> Read for Unpacked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => {
                io::Error::new(error.kind(), "the gzipped file is cut short")
            }
            io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => {
                io::Error::new(error.kind(), format!("the gzipped file is damaged: {error}"))
            }
            _ => error,
        })
    }
}

/// A reader that fails after the first `left` bytes if there are more.
struct Capped<R> {
    input: R,
    left: u64,
    refusal: String,
}

impl<R: BufRead> BufRead for Capped<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let bytes = self.input.fill_buf()?;
        if self.left == 0 && !bytes.is_empty() {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, self.refusal.clone()));
        }
        let left = usize::try_from(self.left).unwrap_or(usize::MAX);
        Ok(&bytes[..bytes.len().min(left)])
    }

    fn consume(&mut self, amount: usize) {
        self.left = self.left.saturating_sub(amount as u64);
        self.input.consume(amount);
    }
}

impl<R: BufRead> Read for Capped<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.fill_buf()?;
        let amount = bytes.len().min(buffer.len());
        buffer[..amount].copy_from_slice(&bytes[..amount]);
        self.consume(amount);
        Ok(amount)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;

    fn gzipped(megabytes: usize) -> Vec<u8> {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
        let block = vec![b' '; 1 << 20];
        (0..megabytes).for_each(|_| gzip.write_all(&block).unwrap());
        gzip.finish().unwrap()
    }

    /// The number of bytes read before the end or the error, and the error.
    fn read(bytes: Vec<u8>, length: Option<u64>) -> (u64, Option<String>) {
        let mut input = unpacked(Cursor::new(bytes), length).unwrap();
        let mut count = 0;
        loop {
            match input.fill_buf().map(<[u8]>::len) {
                Ok(0) => return (count, None),
                Ok(amount) => {
                    input.consume(amount);
                    count += amount as u64;
                }
                Err(error) => {
                    assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
                    return (count, Some(error.to_string()));
                }
            }
        }
    }

    #[test]
    fn a_gzipped_file_is_unpacked_up_to_a_limit() {
        for (megabytes, is_refused) in [(1, false), (64, false), (65, true)] {
            let bytes = gzipped(megabytes);
            let length = bytes.len() as u64;
            let (count, refusal) = read(bytes, Some(length));
            assert_eq!(count, (megabytes as u64).min(64) << 20);
            assert_eq!(refusal.is_some(), is_refused, "{megabytes} MiB: {refusal:?}");
            assert!(refusal.is_none_or(|text| text.contains("more than 64 MiB, the limit for")));
        }
        // The limit grows with the file: 1,000,000 packed bytes may unpack to 95 MiB.
        assert_eq!(read(gzipped(65), Some(1_000_000)), (65 << 20, None));
    }

    #[test]
    fn a_damaged_gzipped_file_is_called_so() {
        let whole = gzipped(1);
        let mut flipped = whole.clone();
        let middle = flipped.len() / 2;
        flipped[middle..middle + 8].fill(0xff);
        let mut checksum = whole.clone();
        let end = checksum.len() - 5;
        checksum[end] ^= 1;
        for (bytes, reason) in [
            (whole[..middle].to_vec(), "cut short"),
            (flipped, "is damaged"),
            (checksum, "is damaged"),
            (vec![0x1f, 0x8b], "cut short"),
            (vec![0x1f, 0x8b, 7, 0, 0, 0, 0, 0, 0, 0, 0], "is damaged"),
        ] {
            let length = bytes.len() as u64;
            let mut input = unpacked(Cursor::new(bytes), Some(length)).unwrap();
            let error = io::copy(&mut input, &mut io::sink()).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
    }

    #[test]
    fn a_plain_file_has_no_limit_but_a_stream_has() {
        assert_eq!(read(vec![b' '; 1000], Some(1000)), (1000, None));
        assert_eq!(read(vec![b' '; 1000], None), (1000, None));
        let zeros = BufReader::new(io::repeat(b' '));
        let mut endless = unpacked(zeros, None).unwrap();
        let error = io::copy(&mut endless, &mut io::sink()).unwrap_err();
        assert!(error.to_string().contains("not a regular file and has more than 1024 MiB"));
    }
}
