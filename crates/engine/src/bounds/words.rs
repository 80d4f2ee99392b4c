//! Numbers in words, for the explanations of bounds.

/// `1 port`, `15 messages`.
pub fn count(number: u64, thing: &str) -> String {
    match number {
        1 => format!("1 {thing}"),
        _ => format!("{number} {thing}s"),
    }
}
