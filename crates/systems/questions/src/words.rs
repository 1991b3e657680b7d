//! Words as code writes them: stems, parts of identifiers, and how far apart two names are.
//!
//! A stem is what is searched for, so it must stand in the words that belong together: `retr` in
//! `retry`, `retried` and `RetryPolicy`. It need not be a word. Only English endings are known; code is
//! mostly written in English whatever language its questions are asked in.

/// Endings that say how a word is used, longest first. What is left must have four letters.
const ENDINGS: &[&str] = &[
    "izations", "ization", "ations", "ation", "ators", "ator", "ating", "ated", "ates", "ate",
    "ments", "ment", "ings", "ing", "ions", "ion", "iers", "ier", "ies", "ied", "ers", "er", "ors",
    "or", "ed", "es", "ly", "s", "e", "y",
];

/// Words whose ending is none: a header is no head, and a statement no state.
const WHOLE: &[&str] = &[
    "header",
    "statement",
    "number",
    "folder",
    "parameter",
    "buffer",
    "character",
    "argument",
    "document",
    "element",
    "comment",
    "segment",
    "fragment",
    "cluster",
    "counter",
    "pointer",
    "register",
    "monitor",
];

/// What is left of an English word without its ending, in lower case.
pub(crate) fn stem(word: &str) -> String {
    let word = word.to_lowercase();
    if !word.is_ascii() {
        return word;
    }
    // Short words lose only a plural: `uses` is not `us`, `keys` is `key`.
    if word.len() < 6 {
        return match word.strip_suffix('s') {
            Some(one) if one.len() >= 3 && !one.ends_with(['s', 'u', 'i']) => one.to_owned(),
            _ => word,
        };
    }
    let one = word.strip_suffix('s').unwrap_or(&word);
    if WHOLE.contains(&one) {
        return one.to_owned();
    }
    if word.ends_with("ss") || word.ends_with("ity") {
        return word;
    }
    if let Some(rest) = word.strip_suffix("ities") {
        return format!("{rest}ity");
    }
    // `verification` is what `verify` says; `authentication` belongs to `authenticate`.
    let made = ["ication", "ications"].into_iter().find_map(|ending| word.strip_suffix(ending));
    if let Some(verb) = made.filter(|verb| verb.len() >= 4 && verb.ends_with("if")) {
        return verb.to_owned();
    }
    for ending in ENDINGS {
        let Some(rest) = word.strip_suffix(ending) else { continue };
        if rest.len() < 4 {
            continue;
        }
        // committed, getting: the doubled letter belongs to the ending; compress, call: to the word.
        let mut letters = rest.chars().rev();
        let (last, before) = (letters.next(), letters.next());
        let doubles = matches!(*ending, "ed" | "ing" | "er" | "ers" | "or" | "ors");
        if doubles
            && last == before
            && matches!(last, Some('t' | 'g' | 'n' | 'm' | 'p' | 'b' | 'd' | 'r'))
        {
            return rest[..rest.len() - 1].to_owned();
        }
        return rest.to_owned();
    }
    word
}

/// The name of a file without its folders and its ending.
pub(super) fn file_stem(path: &str) -> &str {
    let own = path.rsplit('/').next().unwrap_or(path);
    own.split('.').next().filter(|stem| !stem.is_empty()).unwrap_or(own)
}

/// Whether a word has this stem, be it spelled a little differently: `cache` has that of `caching`, `retry` of
/// `retries` and `serialize` of `serialization`. A capacity is no capacitor.
pub(crate) fn has_stem(word: &str, stem: &str) -> bool {
    let core = |text: &str| {
        let cut = text.strip_suffix(['e', 'y']).filter(|cut| cut.len() >= 3);
        cut.filter(|_| !text.ends_with("ity")).unwrap_or(text).to_owned()
    };
    let made = |ending: &str| ["ize", "izes", "ized", "izer", "izers", "izing"].contains(&ending);
    core(&self::stem(word)) == core(stem)
        || word.to_lowercase().strip_prefix(stem).is_some_and(made)
}

/// The words that an identifier or path is made of, in lower case: `HTTPServer2_name` is http, server2, name.
pub(crate) fn parts(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let mut parts = Vec::new();
    let mut part = String::new();
    for (at, letter) in letters.iter().enumerate() {
        if !letter.is_alphanumeric() {
            if !part.is_empty() {
                parts.push(std::mem::take(&mut part));
            }
            continue;
        }
        let before = at.checked_sub(1).map(|at| letters[at]);
        let after = letters.get(at + 1);
        let begins = letter.is_uppercase()
            && (before.is_some_and(|before| before.is_lowercase() || before.is_numeric())
                || before.is_some_and(char::is_uppercase)
                    && after.is_some_and(|after| after.is_lowercase()));
        if begins && !part.is_empty() {
            parts.push(std::mem::take(&mut part));
        }
        part.extend(letter.to_lowercase());
    }
    if !part.is_empty() {
        parts.push(part);
    }
    parts
}

/// The name after the last `.`, `::`, `->`, `#` or `/`, without call brackets.
pub(crate) fn last_name(symbol: &str) -> &str {
    let bare = symbol.trim_end_matches(['(', ')', '!', '?', ';', ',']);
    bare.rsplit(['.', ':', '>', '#', '/']).find(|part| !part.is_empty()).unwrap_or(bare)
}

/// How many letters must be changed to make one name of the other, case aside; at most `most`, or none.
pub(super) fn distance(a: &str, b: &str, most: usize) -> Option<usize> {
    let (a, b) = (a.to_lowercase(), b.to_lowercase());
    if a.chars().count().abs_diff(b.chars().count()) > most {
        return None;
    }
    Some(strsim::levenshtein(&a, &b)).filter(|found| *found <= most)
}

/// Whether text can be a name in most programming languages.
pub(super) fn is_identifier(text: &str) -> bool {
    text.chars().next().is_some_and(|first| first.is_alphabetic() || matches!(first, '_' | '$'))
        && text.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '$'))
}

/// A prefix of at most so many bytes that ends between letters.
pub(crate) fn clip(text: &str, most: usize) -> &str {
    if text.len() <= most {
        return text;
    }
    let mut end = most;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_belong_together_share_a_stem() {
        for group in [
            &["authentication", "authenticate", "authenticated", "authenticates"][..],
            &["verification", "verifications", "verify", "verifies", "verified", "verifier"],
            &["application", "applications"],
            &["compress", "compressed", "compression"],
            &["redirect", "redirects", "redirected"],
            &["committed", "commit", "commits"],
            &["validates", "validation", "validator", "validate"],
            &["middleware", "middlewares"],
            &["session", "sessions"],
            &["keys", "key"],
        ] {
            let shared = group.iter().map(|word| stem(word)).min_by_key(String::len).unwrap();
            for word in group {
                assert!(
                    stem(word).starts_with(&shared) && word.starts_with(&shared),
                    "{word} {shared}"
                );
            }
        }
        assert_eq!(stem("authentication"), stem("authenticate"));
        assert_eq!(stem("verification"), stem("verify"));
        assert_eq!(stem("uses"), "use");
        assert_eq!(stem("bus"), "bus");
        assert_eq!(stem("class"), "class");
        assert_eq!(stem("Straße"), "straße");
    }

    #[test]
    fn a_word_has_its_stem_however_it_is_used() {
        for (asked, written) in [
            ("caching", "cache"),
            ("parsing", "parse"),
            ("retries", "retry"),
            ("queries", "query"),
            ("serialization", "serialize"),
            ("tokenization", "Tokenizer"),
            ("authentication", "authenticate"),
            ("routing", "route"),
            ("use", "uses"),
        ] {
            assert!(has_stem(written, &stem(asked)), "{asked} {written}");
        }
        for (asked, written) in
            [("capacitor", "capacity"), ("mining", "determining"), ("router", "rot")]
        {
            assert!(!has_stem(written, &stem(asked)), "{asked} {written}");
        }
    }

    #[test]
    fn identifiers_fall_into_their_words() {
        for (name, expected) in [
            ("AuthManager.validate_token", &["auth", "manager", "validate", "token"][..]),
            ("HTTPServer", &["http", "server"]),
            ("parseOptions2", &["parse", "options2"]),
            ("SCREAMING_CASE", &["screaming", "case"]),
            ("src/cmap/auth.ts", &["src", "cmap", "auth", "ts"]),
            ("", &[]),
        ] {
            assert_eq!(parts(name), expected, "{name}");
        }
    }

    #[test]
    fn the_last_name_is_what_is_looked_for() {
        for (symbol, expected) in [
            ("AuthManager.validate_token", "validate_token"),
            ("std::fmt::Display", "Display"),
            ("parse_config()", "parse_config"),
            ("Foo#bar", "bar"),
            ("...", "..."),
        ] {
            assert_eq!(last_name(symbol), expected);
        }
    }

    #[test]
    fn near_names_are_near() {
        assert_eq!(distance("AuthManger", "AuthManager", 2), Some(1));
        assert_eq!(distance("abc", "ABC", 0), Some(0));
        assert_eq!(distance("abc", "xyz", 2), None);
        assert_eq!(distance("a", "abcdef", 2), None);
    }

    #[test]
    fn clipping_never_splits_a_letter() {
        assert_eq!(clip("aß", 2), "a");
        assert_eq!(clip("aß", 3), "aß");
    }
}
