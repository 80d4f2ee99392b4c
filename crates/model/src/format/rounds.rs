//! The rounds of a k-synchronous schedule in a file.

/// Divides the rounds of a file among its phases, which have `lengths` steps. Every phase gets an empty
/// list if the file claims no rounds. A synchronous step must not extend over two phases.
pub(super) fn by_phase(rounds: &[u32], lengths: &[u32]) -> Result<Vec<Vec<u32>>, String> {
    if rounds.is_empty() {
        return Ok(vec![Vec::new(); lengths.len()]);
    }
    if let Some(step) = rounds.iter().position(|&count| count == 0) {
        return Err(format!("`rounds`: synchronous step {step} has no round"));
    }
    let mut left = rounds.iter().copied();
    let mut phases = Vec::new();
    for &length in lengths {
        let mut phase = Vec::new();
        let mut sum: u64 = 0;
        while sum < u64::from(length) {
            let Some(count) = left.next() else { break };
            sum += u64::from(count);
            phase.push(count);
        }
        if sum != u64::from(length) {
            return Err(format!(
                "`rounds`: the rounds of all synchronous steps do not add up to the steps of the \
                 schedule{}",
                if lengths.len() > 1 { ", phase by phase" } else { "" }
            ));
        }
        phases.push(phase);
    }
    match left.next() {
        None => Ok(phases),
        Some(_) => {
            let steps: u64 = lengths.iter().copied().map(u64::from).sum();
            Err(format!("`rounds`: there are more rounds than the {steps} steps of the schedule"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::by_phase;

    #[test]
    fn rounds_are_divided_among_phases() {
        assert_eq!(by_phase(&[], &[3, 2]), Ok(vec![vec![], vec![]]));
        assert_eq!(by_phase(&[2, 1], &[3]), Ok(vec![vec![2, 1]]));
        assert_eq!(by_phase(&[2, 1, 2], &[3, 2]), Ok(vec![vec![2, 1], vec![2]]));
    }

    #[test]
    fn rounds_must_add_up() {
        let cases: [(&[u32], &[u32]); 6] = [
            (&[2, 2], &[3]),
            (&[2], &[3]),
            (&[2, 1, 1], &[3]),
            (&[3, 0], &[3]),
            (&[2, 2, 1], &[3, 2]),
            (&[u32::MAX, u32::MAX], &[3]),
        ];
        for (rounds, lengths) in cases {
            assert!(by_phase(rounds, lengths).is_err(), "{rounds:?}");
        }
    }
}
