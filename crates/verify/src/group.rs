//! Numbers grouped by counting sort, with four bytes per number and per group.

/// Numbers in groups. Members of a group keep their order.
pub(crate) struct Groups {
    ends: Vec<u32>,
    members: Vec<u32>,
}

impl Groups {
    /// Puts each number below `count` into the group given by `group_of`; `None` leaves it out.
    pub fn new(groups: usize, count: usize, group_of: impl Fn(u32) -> Option<usize>) -> Self {
        let numbers = 0..count as u32;
        let mut ends = vec![0u32; groups];
        for group in numbers.clone().filter_map(&group_of) {
            ends[group] += 1;
        }
        let mut total = 0;
        for end in &mut ends {
            let size = *end;
            *end = total;
            total += size;
        }
        // While members are placed, `ends[g]` is the next free place of group `g`.
        let mut members = vec![0u32; total as usize];
        for number in numbers {
            if let Some(group) = group_of(number) {
                members[ends[group] as usize] = number;
                ends[group] += 1;
            }
        }
        Self { ends, members }
    }

    /// All groups in order, each with its members.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &[u32])> {
        (0..self.ends.len()).map(|group| (group, self.members(group)))
    }

    /// The members of one group.
    pub fn members(&self, group: usize) -> &[u32] {
        let start = if group == 0 { 0 } else { self.ends[group - 1] };
        &self.members[start as usize..self.ends[group] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::Groups;

    #[test]
    fn members_keep_their_order_and_some_are_left_out() {
        let keys = [Some(2), None, Some(0), Some(2), Some(0)];
        let groups = Groups::new(4, keys.len(), |number| keys[number as usize]);
        let listed: Vec<(usize, &[u32])> = groups.iter().collect();
        assert_eq!(listed, [(0, &[2u32, 4][..]), (1, &[]), (2, &[0, 3]), (3, &[])]);
    }
}
