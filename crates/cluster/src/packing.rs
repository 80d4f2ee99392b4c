//! Numbers as bytes: seven bits in a byte, small numbers in few (LEB128).

/// A letter that is being written.
#[derive(Debug, Clone, Default)]
pub struct Pack(Vec<u8>);

impl Pack {
    /// An empty one.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a number.
    pub fn number(mut self, number: u64) -> Self {
        self.put(number);
        self
    }

    /// Adds numbers, with how many there are.
    pub fn list(mut self, numbers: impl ExactSizeIterator<Item = u64>) -> Self {
        self.put(numbers.len() as u64);
        numbers.for_each(|number| self.put(number));
        self
    }

    /// Adds bytes, with how many there are.
    pub fn bytes(mut self, bytes: &[u8]) -> Self {
        self.put(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    /// What was written.
    pub fn done(self) -> Vec<u8> {
        self.0
    }

    fn put(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }
}

/// A letter that is being read, in the order in which it was written; `None` where it ends too soon.
#[derive(Debug, Clone, Copy)]
pub struct Unpack<'a>(&'a [u8]);

impl<'a> Unpack<'a> {
    /// From its beginning.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// A number.
    pub fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    /// Numbers that were added together.
    pub fn list(&mut self) -> Option<Vec<u64>> {
        let count = self.number()?;
        (0..count).map(|_| self.number()).collect()
    }

    /// Bytes that were added together.
    pub fn bytes(&mut self) -> Option<&'a [u8]> {
        let count = usize::try_from(self.number()?).ok()?;
        let (bytes, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_comes_out() {
        let numbers = [0, 127, 128, 300, u64::MAX];
        let packed = Pack::new().list(numbers.into_iter()).bytes(b"ab").number(5).done();
        assert_eq!(packed.len(), 1 + 1 + 1 + 2 + 2 + 10 + 3 + 1);
        let mut letter = Unpack::new(&packed);
        assert_eq!(letter.list(), Some(numbers.to_vec()));
        assert_eq!(
            (letter.bytes(), letter.number(), letter.number()),
            (Some(&b"ab"[..]), Some(5), None)
        );
        assert_eq!(Unpack::new(&packed[..4]).list(), None);
    }
}
