//! Splits names into words, and finds names in lines.

/// Whether a byte can be part of a name. Letters beyond ASCII can, in most languages.
pub(crate) const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

/// Whether what is at `start..end` is a word and not part of one.
pub(crate) fn is_whole(text: &[u8], start: usize, end: usize) -> bool {
    let before = start.checked_sub(1).and_then(|at| text.get(at));
    !before.copied().is_some_and(is_word) && !text.get(end).copied().is_some_and(is_word)
}

/// The words of a name, in lower case: `HTTPServerError_v2` has `http`, `server`, `error` and `v2`.
pub(crate) fn parts(name: &str) -> Vec<String> {
    let chars: Vec<char> = name.chars().collect();
    let mut parts = Vec::new();
    let mut part = String::new();
    for (at, &char) in chars.iter().enumerate() {
        if !char.is_alphanumeric() {
            flush(&mut part, &mut parts);
            continue;
        }
        let before = at.checked_sub(1).map(|at| chars[at]);
        let after = chars.get(at + 1);
        let begins = char.is_uppercase()
            && (before.is_some_and(|before| !before.is_uppercase())
                || after.is_some_and(|after| after.is_lowercase()));
        if begins {
            flush(&mut part, &mut parts);
        }
        part.extend(char.to_lowercase());
    }
    flush(&mut part, &mut parts);
    parts
}

fn flush(part: &mut String, parts: &mut Vec<String>) {
    if !part.is_empty() {
        parts.push(std::mem::take(part));
    }
}

/// Whether a name has a term as one of its words or as several in a row: `login form` and `loginForm` are
/// both in `TryLoginForm2`.
pub(crate) fn contains(name: &str, term: &str) -> bool {
    let (name, term) = (parts(name), parts(term));
    !term.is_empty() && name.windows(term.len()).any(|window| window == term)
}

/// What stands before a name where it is defined, in one language or another.
const DEFINING: &[&str] = &[
    "fn",
    "func",
    "function",
    "def",
    "class",
    "struct",
    "enum",
    "union",
    "trait",
    "interface",
    "type",
    "impl",
    "mod",
    "module",
    "namespace",
    "package",
    "record",
    "const",
    "static",
    "let",
    "var",
    "val",
    "object",
    "protocol",
    "macro_rules!",
    "#define",
    "typedef",
    "function*",
];
const MODIFIERS: &[&str] = &[
    "public",
    "private",
    "protected",
    "internal",
    "static",
    "async",
    "override",
    "virtual",
    "abstract",
    "inline",
    "final",
    "extern",
];

/// Whether a line looks as if it defines what is at `start..end` of it. A guess, for ranking only.
pub(crate) fn defines(line: &[u8], start: usize, end: usize) -> bool {
    let (Some(before), Some(after)) = (line.get(..start), line.get(end..)) else { return false };
    // Far into a line nothing is defined, and a line may be two million bytes long.
    if before.len() > 200 {
        return false;
    }
    let Ok(before) = std::str::from_utf8(before) else { return false };
    // The match may be in the middle of the name.
    let name = before.trim_end_matches(|char: char| char.is_alphanumeric() || char == '_');
    let head = name.trim_end();
    let last = head
        .rsplit(|char: char| char.is_whitespace() || char == '(' || char == '{')
        .next()
        .unwrap_or("");
    if head.len() < name.len() && DEFINING.contains(&last) {
        return true;
    }
    // `func (s *Server) Login(` in Go.
    if head.trim_start().starts_with("func (") && head.ends_with(')') {
        return true;
    }
    let rest = after.iter().position(|&byte| !is_word(byte)).map_or(&[][..], |at| &after[at..]);
    let first = head.split_whitespace().next().unwrap_or("");
    MODIFIERS.contains(&first) && rest.first() == Some(&b'(') && !head.contains(['=', '(', '.'])
}

/// Some of a line as text: all of it, or `most` characters around `at`.
pub(crate) fn excerpt(line: &[u8], at: usize, most: usize) -> String {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if line.len() <= most {
        return String::from_utf8_lossy(line).into_owned();
    }
    // Four bytes make a character at most, so what is cut here is enough for any.
    let from = at.min(line.len()).saturating_sub(most / 4);
    let from = (from..line.len()).find(|&at| line[at] & 0xC0 != 0x80).unwrap_or(from);
    let to = line.len().min(from.saturating_add(most.saturating_mul(4)));
    let text = String::from_utf8_lossy(&line[from..to]);
    let mut cut: String = text.chars().take(most).collect();
    if from > 0 {
        cut.insert(0, '…');
    }
    if to < line.len() || cut.chars().count() < text.chars().count() {
        cut.push('…');
    }
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_words() {
        for (name, expected) in [
            ("HTTPServerError_v2", "http server error v2"),
            ("try_login", "try login"),
            ("loginForm", "login form"),
            ("SCREAMING_CASE", "screaming case"),
            ("größeÄndern", "größe ändern"),
            ("x", "x"),
            ("__", ""),
        ] {
            assert_eq!(parts(name).join(" "), expected);
        }
        assert!(contains("TryLoginForm", "login"));
        assert!(contains("TryLoginForm", "loginForm"));
        assert!(!contains("plogins", "login"));
    }

    #[test]
    fn a_line_defines_or_mentions() {
        for (line, word, expected) in [
            ("pub fn login(user: &str) {", "login", true),
            ("    let token = login(user);", "login", false),
            ("func (s *Server) Login(w http.ResponseWriter) {", "Login", true),
            ("  public async Task<bool> Login(string name)", "Login", true),
            ("class LoginForm:", "Form", true),
            ("return login()", "login", false),
            ("#define LOGIN 1", "LOGIN", true),
            ("// how to login", "login", false),
        ] {
            let start = line.find(word).unwrap();
            assert_eq!(defines(line.as_bytes(), start, start + word.len()), expected, "{line}");
        }
    }

    #[test]
    fn a_long_line_is_cut_around_the_match() {
        let line = format!("{}ä needle {}", "x".repeat(5000), "y".repeat(5000));
        let at = line.find("needle").unwrap();
        let cut = excerpt(line.as_bytes(), at, 400);
        assert!(cut.contains("needle") && cut.chars().count() <= 402, "{cut}");
        assert_eq!(excerpt(b"short\r", 0, 400), "short");
    }
}
