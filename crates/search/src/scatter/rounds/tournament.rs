//! Rounds of disjoint pairs of processors in which every pair meets once, as in a tournament. Where
//! processors form groups, such as those below one switch, all processors of a group meet the same
//! other group in a round, or one of their own.

/// Rounds of pairs of items.
type PairRounds = Vec<Vec<[usize; 2]>>;

/// The rounds of a tournament of `sizes[0]` groups of `sizes[1]` groups and so on; the last entry is
/// the number of items in the smallest groups. Items are numbered group by group. `None` if the number
/// of largest groups is odd.
pub(super) fn tournament(sizes: &[usize]) -> Option<PairRounds> {
    let (&items, groups) = sizes.split_last()?;
    if groups.iter().all(|&size| size == 1) {
        return circle(items);
    }
    let mut rounds = Vec::new();
    for (number, meetings) in tournament(groups)?.into_iter().enumerate() {
        // In the first round of the groups, the items of both groups also meet those of their own.
        let inner = if number == 0 { circle(2 * items)? } else { shifts(items) };
        for pairs in inner {
            let place =
                |groups: [usize; 2], item: usize| groups[item / items] * items + item % items;
            let pairs_of = |&groups: &[usize; 2]| {
                pairs
                    .iter()
                    .map(move |pair| pair.map(|item| place(groups, item)))
                    .collect::<Vec<_>>()
            };
            rounds.push(meetings.iter().flat_map(pairs_of).collect());
        }
    }
    Some(rounds)
}

/// All pairs of an even number of items.
fn circle(items: usize) -> Option<PairRounds> {
    if items == 0 || !items.is_multiple_of(2) {
        return None;
    }
    let last = items - 1;
    let mut rounds = vec![Vec::new(); last];
    for second in 1..items {
        for first in 0..second {
            let round = if second == last { 2 * first } else { first + second };
            rounds[round % last].push([first, second]);
        }
    }
    Some(rounds)
}

/// All pairs of one of the first `items` items and one of the next `items`.
fn shifts(items: usize) -> PairRounds {
    let round = |shift| (0..items).map(|item| [item, items + (item + shift) % items]).collect();
    (0..items).map(round).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};

    #[test]
    fn all_pairs_meet_once_and_groups_meet_one_group() {
        for sizes in [&[6][..], &[4, 3], &[1, 4], &[6, 3, 3], &[2, 2, 5]] {
            let items: usize = sizes.iter().product();
            let rounds = tournament(sizes).expect("the number of groups is even");
            assert_eq!(rounds.len(), items - 1, "{sizes:?}");
            let mut met = BTreeSet::new();
            for round in rounds {
                let present: BTreeSet<usize> = round.iter().flatten().copied().collect();
                assert_eq!((present.len(), round.len()), (items, items / 2), "{sizes:?}");
                met.extend(round.iter().map(|&[a, b]| [a.min(b), a.max(b)]));
                let mut size = 1;
                for &inner in sizes.iter().skip(1).rev() {
                    size *= inner;
                    let mut partner = BTreeMap::new();
                    for &[a, b] in &round {
                        let (a, b) = (a / size, b / size);
                        for (a, b) in [(a, b), (b, a)].into_iter().filter(|(a, b)| a != b) {
                            assert_eq!(*partner.entry(a).or_insert(b), b, "{sizes:?}");
                        }
                    }
                }
            }
            assert_eq!(met.len(), items * (items - 1) / 2, "{sizes:?}");
        }
        assert_eq!(tournament(&[3, 3]), None);
    }
}
