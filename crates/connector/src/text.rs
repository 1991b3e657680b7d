//! Text from outside, made fit for a message or a name.

/// The most characters of a message that are kept.
const MOST: usize = 400;

/// One line without characters that control a terminal.
pub(crate) fn one_line(text: &str) -> String {
    let clean = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter });
    let clean: String = clean.collect();
    let mut line = clean.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((end, _)) = line.char_indices().nth(MOST) {
        line.truncate(end);
        line.push('…');
    }
    line
}

/// The ending of a file's name, if it is a plain one: `.pdf`.
pub(crate) fn extension(name: &str) -> Option<String> {
    let (stem, ending) = name.rsplit_once('.')?;
    let plain = !stem.is_empty()
        && (1..=8).contains(&ending.len())
        && ending.bytes().all(|byte| byte.is_ascii_alphanumeric());
    plain.then(|| format!(".{}", ending.to_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_stays_one_and_short() {
        assert_eq!(one_line("a\r\n b\t\u{7}c"), "a b c");
        assert_eq!(one_line(&"x".repeat(1000)).chars().count(), MOST + 1);
    }

    #[test]
    fn only_plain_endings_are_kept() {
        let check = |name: &str, ending: Option<&str>| {
            assert_eq!(extension(name).as_deref(), ending, "{name}");
        };
        check("a.PDF", Some(".pdf"));
        check("a.tar.gz", Some(".gz"));
        check(".profile", None);
        check("a.", None);
        check("a", None);
        check("a./../../b", None);
        check("a.averylongending", None);
    }
}
