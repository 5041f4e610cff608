//! The nearest of some words: a slip of the pen is shown what was probably meant.

/// The word of them that is most like this one, if any is like it at all.
pub(super) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const ENOUGH: f64 = 0.75;
    known
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(word, candidate), candidate))
        .filter(|(likeness, _)| *likeness >= ENOUGH)
        .max_by(|(one, _), (other, _)| one.total_cmp(other))
        .map(|(_, candidate)| candidate)
}

/// The way out for a word that is not known.
pub(super) fn hint<'a>(word: &str, known: impl IntoIterator<Item = &'a str> + Clone) -> String {
    match nearest(word, known.clone()) {
        Some(meant) => format!("Is {meant} meant?"),
        None => {
            let all: Vec<&str> = known.into_iter().collect();
            format!("There are: {}.", all.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_pen_is_shown_the_word_that_was_meant() {
        let words = ["produce", "partitions", "pause", "poll"];
        for (slip, meant) in [
            ("prodcue", "produce"),
            ("partition", "partitions"),
            ("pol", "poll"),
            ("Produce", "produce"),
        ] {
            assert_eq!(nearest(slip, words), Some(meant));
        }
        assert_eq!(nearest("zzz", words), None);
        assert_eq!(hint("zzz", ["a", "b"]), "There are: a, b.");
    }
}
