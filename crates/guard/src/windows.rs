//! Cuts a long text into pieces that overlap, so that each is looked at within bounds and none is left out.

/// What is looked at in one go, in bytes.
pub(crate) const LARGEST: usize = 128 << 10;
/// What two neighbours have in common. Longer than all that is looked for as a whole.
const OVERLAP: usize = 2 << 10;

/// The pieces of a text, each with where it begins.
pub(crate) fn windows(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut next = Some(0);
    std::iter::from_fn(move || {
        let start = next?;
        let end = text.ceil_char_boundary((start + LARGEST).min(text.len()));
        next = (end < text.len()).then(|| text.floor_char_boundary(end - OVERLAP));
        Some((start, text.get(start..end)?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_in_a_window() {
        for length in [0, 1, LARGEST - 1, LARGEST, LARGEST + 1, 3 * LARGEST] {
            let text = "\u{20ac}".repeat(length.div_ceil(3));
            let mut covered = 0;
            for (start, piece) in windows(&text) {
                assert!(start <= covered);
                covered = start + piece.len();
            }
            assert_eq!(covered, text.len());
        }
    }
}
