//! Makes untrusted text safe to write: without characters that control a terminal or hide text, and
//! bounded.

/// One line of at most `most` characters. No more of the text is read than needed.
#[must_use]
pub(crate) fn line(text: &str, most: usize) -> String {
    let mut line = String::new();
    let (mut length, mut gap) = (0, false);
    for letter in text.chars().filter(|letter| !hides(*letter)) {
        if letter.is_whitespace() || letter.is_control() {
            gap = length > 0;
            continue;
        }
        if length + usize::from(gap) >= most {
            break;
        }
        if gap {
            line.push(' ');
            length += 1;
        }
        line.push(letter);
        (length, gap) = (length + 1, false);
    }
    line
}

/// Lines of at most `most` characters in total. Tabs stay, other control characters do not.
#[must_use]
pub(crate) fn block(text: &str, most: usize) -> String {
    let mut letters = text.chars().peekable();
    let unified = std::iter::from_fn(|| {
        let letter = letters.next()?;
        if letter == '\r' {
            letters.next_if_eq(&'\n');
            return Some('\n');
        }
        Some(letter)
    });
    let shows =
        |letter: &char| matches!(letter, '\n' | '\t') || !(letter.is_control() || hides(*letter));
    unified.filter(shows).take(most).collect()
}

/// Invisible characters that change how others are read.
fn hides(letter: char) -> bool {
    matches!(
        letter,
        '\u{ad}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{fffe}'..='\u{ffff}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

/// A Markdown fence that nothing in the text can close.
#[must_use]
pub(crate) fn fence(text: &str) -> String {
    let mut longest = 0;
    let mut run = 0;
    for letter in text.chars() {
        run = if letter == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    "`".repeat((longest + 1).max(3))
}

/// A number with its noun: `1 file`, `2 files`.
#[must_use]
pub(crate) fn count(number: usize, word: &str) -> String {
    let end = if number == 1 { "" } else { "s" };
    format!("{number} {word}{end}")
}

/// A name as files have it: lower case, with hyphens.
#[must_use]
pub(crate) fn slug(text: &str) -> String {
    let mut slug = String::new();
    for letter in text.chars().flat_map(char::to_lowercase) {
        if letter.is_ascii_alphanumeric() {
            slug.push(letter);
        } else if letter == '#' {
            slug.push_str("sharp");
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
        if slug.len() >= 64 {
            break;
        }
    }
    slug.truncate(64);
    slug.trim_end_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_one_line_and_nothing_in_it_hides() {
        let check = |text: &str, plain: &str| assert_eq!(line(text, 20), plain, "{text:?}");
        check("plain", "plain");
        check("  two\n words\t", "two words");
        check("\u{1b}[31mred\u{1b}[0m", "[31mred [0m");
        check("nul\0l", "nul l");
        check("a\u{202e}b \u{200b} c", "ab c");
        check("\u{200b}", "");
        check(&"x".repeat(30), &"x".repeat(20));
        check("été", "été");
    }

    #[test]
    fn a_block_keeps_its_lines() {
        assert_eq!(block("a\r\n\tb\rc\u{1b}[1m\0", 100), "a\n\tb\nc[1m");
        assert_eq!(block("été", 2), "ét");
    }

    #[test]
    fn a_fence_is_longer_than_any_in_the_text() {
        for (text, expected) in [("", 3), ("`a`", 3), ("```", 4), ("`````\n``", 6)] {
            assert_eq!(fence(text).len(), expected, "{text}");
        }
    }

    #[test]
    fn one_of_something_is_in_the_singular() {
        let told = [0, 1, 2].map(|number| count(number, "file"));
        assert_eq!(told, ["0 files", "1 file", "2 files"]);
    }

    #[test]
    fn a_slug_is_fit_for_a_file() {
        let check = |text: &str, expected: &str| assert_eq!(slug(text), expected, "{text:?}");
        check("Code Reviewer", "code-reviewer");
        check("code_reviewer", "code-reviewer");
        check(".NET MAUI", "net-maui");
        check("C#", "csharp");
        check("../../etc/passwd", "etc-passwd");
        check("--", "");
        check(&"ab-".repeat(40), &"ab-".repeat(22)[..64]);
    }
}
