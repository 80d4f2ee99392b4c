//! A min-heap of packed keys with four children per node: the children lie side by side in memory,
//! and the heap is half as deep as a binary one.

/// Keys in heap order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Heap(Vec<u128>);

const CHILDREN: usize = 4;

impl Heap {
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The least key.
    #[inline]
    pub(crate) fn least(&self) -> Option<u128> {
        self.0.first().copied()
    }

    #[inline]
    pub(crate) fn push(&mut self, key: u128) {
        let mut at = self.0.len();
        self.0.push(key);
        while at > 0 {
            let parent = (at - 1) / CHILDREN;
            if self.0[parent] <= key {
                break;
            }
            self.0[at] = self.0[parent];
            at = parent;
        }
        self.0[at] = key;
    }

    /// Removes the least key.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<u128> {
        let last = self.0.pop()?;
        let Some(&least) = self.0.first() else { return Some(last) };
        self.sink(last);
        Some(least)
    }

    /// Replaces the root by a key and sifts it down.
    #[inline]
    fn sink(&mut self, key: u128) {
        let keys = &mut self.0[..];
        let mut at = 0;
        loop {
            let first = CHILDREN * at + 1;
            let Some(children) = keys.get(first..) else { break };
            let children = &children[..children.len().min(CHILDREN)];
            let Some(&start) = children.first() else { break };
            let (mut least, mut child) = (start, first);
            for (offset, &other) in children.iter().enumerate().skip(1) {
                if other < least {
                    (least, child) = (other, first + offset);
                }
            }
            if least >= key {
                break;
            }
            keys[at] = least;
            at = child;
        }
        keys[at] = key;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::TrafficRng;

    #[test]
    fn keys_come_out_in_order() {
        let mut rng = TrafficRng::stream(1, 0);
        for size in 0..70 {
            let mut heap = Heap::default();
            let mut keys: Vec<u128> = (0..size).map(|_| rng.below(50) as u128).collect();
            keys.iter().for_each(|&key| heap.push(key));
            keys.sort_unstable();
            let sorted: Vec<u128> = std::iter::from_fn(|| heap.pop()).collect();
            assert_eq!(sorted, keys);
            assert!(heap.is_empty());
        }
    }
}
