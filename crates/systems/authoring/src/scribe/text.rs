//! The text that a model gave, made fit to be looked at.

use consign_documentation::{markdown::Document, merge::MARK};

/// A document as a model wrote it: without a fence around it, without marks that are ours or a person's to set, and
/// without control characters. Nothing if nothing is left.
pub(super) fn cleaned(text: &str, kept: Option<&str>) -> Option<String> {
    let plain: String = text
        .replace("\r\n", "\n")
        .chars()
        .filter(|letter| !letter.is_control() || matches!(letter, '\n' | '\t'))
        .collect();
    let inner = unfenced(plain.trim());
    let mut out = String::with_capacity(inner.len());
    let may_keep = kept.is_some_and(|text| text.contains("<!-- keep -->"));
    for line in inner.lines() {
        // Who wrote a section is ours to say; what is kept is for people to say.
        let mut kept = without(line, MARK);
        if !may_keep {
            kept = without(&without(&kept, "<!-- keep"), "<!-- /keep");
        }
        if kept.trim().is_empty() && !line.trim().is_empty() {
            continue;
        }
        out.push_str(kept.trim_end_matches('\r'));
        out.push('\n');
    }
    let out = out.trim();
    (!out.is_empty()).then(|| format!("{out}\n"))
}

/// A line without comments that begin so, also if one comes about where another was.
fn without(line: &str, start: &str) -> String {
    let mut line = line.to_owned();
    while let Some(at) = line.find(start) {
        let end = line[at..].find("-->").map_or(line.len(), |end| at + end + "-->".len());
        line.replace_range(at..end, "");
    }
    line
}

/// Of a text that ends in the middle, the sections that are whole, and the heading of the one that it ends in. Without
/// sections nothing is whole.
pub(super) fn whole_sections(text: &str) -> (String, Option<String>) {
    let text = text.trim_start();
    let opened = FENCES.iter().find_map(|fence| text.strip_prefix(fence));
    let text = opened.unwrap_or(text);
    let document = Document::read(text);
    let Some(last) = document.headings.iter().rfind(|heading| heading.level == 2) else {
        return (String::new(), None);
    };
    let whole: String = text.split_inclusive('\n').take(last.line.saturating_sub(1)).collect();
    (whole, Some(last.text.clone()))
}

/// How the block begins that a model may put a whole document into.
const FENCES: [&str; 4] = ["```markdown\n", "```md\n", "````markdown\n", "````md\n"];

/// Models like to put a whole document into a block of code.
fn unfenced(text: &str) -> &str {
    let Some(fence) = FENCES.iter().find(|fence| text.starts_with(*fence)) else { return text };
    let ticks = fence.trim_end_matches(|letter: char| letter != '`');
    match text[fence.len()..].strip_suffix(ticks) {
        Some(inner) => inner.trim(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_text_that_was_cut_off_only_whole_sections_stay() {
        let check = |text: &str, whole: &str, section: Option<&str>| {
            let section = section.map(str::to_owned);
            assert_eq!(whole_sections(text), (whole.to_owned(), section), "{text:?}");
        };
        check(
            "# A\n\nlead\n\n## B\n\nb\n\n## C\n\nc in the mid",
            "# A\n\nlead\n\n## B\n\nb\n\n",
            Some("C"),
        );
        check("```markdown\n# A\n\n## B\n\nb", "# A\n\n", Some("B"));
        // What stands in an open block of code is no heading.
        check("# A\n\n## B\n\n```sh\n## C\nrun", "# A\n\n", Some("B"));
        check("# A\n\nonly a lea", "", None);
        check("", "", None);
    }

    #[test]
    fn marks_of_others_and_fences_go() {
        let check = |text: &str, kept: Option<&str>, expected: Option<&str>| {
            assert_eq!(cleaned(text, kept).as_deref(), expected, "{text:?}");
        };
        check("# A\n\ntext", None, Some("# A\n\ntext\n"));
        check("```markdown\n# A\n\n```sh\nls\n```\n```", None, Some("# A\n\n```sh\nls\n```\n"));
        check("# A\r\n\u{1b}[31mred\r\n", None, Some("# A\n[31mred\n"));
        check(
            "# A\n<!-- scribe: rules -->\n<!-- keep -->\nx\n<!-- /keep -->",
            None,
            Some("# A\nx\n"),
        );
        let keep = "<!-- keep -->\nx\n<!-- /keep -->\n";
        check(keep, Some(keep), Some(keep));
        check("# A\nb <!-- scribe: rules --> c\n", None, Some("# A\nb  c\n"));
        check("# A\n<!-- scr<!-- scribe: x -->ibe: y -->d\n", None, Some("# A\nd\n"));
        check("  \n\n", None, None);
        check("```md\n\n```", None, None);
    }
}
