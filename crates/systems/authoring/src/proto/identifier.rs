//! Names in code: words of ASCII letters and digits, put together as each language likes it.

use unicode_normalization::UnicodeNormalization;

/// One to three lower-case words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Identifier(Vec<String>);

impl Identifier {
    /// Reads a name such as `line item`, `line_item` or `LineItem`. `None`: it is no name for code.
    pub(super) fn read(text: &str) -> Option<Self> {
        let mut words: Vec<String> = vec![String::new()];
        let mut before_is_lower = false;
        for c in text.chars() {
            match c {
                'A'..='Z' | 'a'..='z' | '0'..='9' => {
                    if c.is_ascii_uppercase() && before_is_lower {
                        words.push(String::new());
                    }
                    before_is_lower = c.is_ascii_lowercase();
                    if let Some(word) = words.last_mut() {
                        word.push(c.to_ascii_lowercase());
                    }
                }
                ' ' | '_' | '-' => {
                    before_is_lower = false;
                    words.push(String::new());
                }
                _ => return None,
            }
        }
        words.retain(|word| !word.is_empty());
        let begins = words.first()?.starts_with(|c: char| c.is_ascii_lowercase());
        let length: usize = words.iter().map(String::len).sum();
        (begins && words.len() <= 3 && length <= 30).then_some(Self(words))
    }

    pub(super) fn snake(&self) -> String {
        self.0.join("_")
    }

    pub(super) fn kebab(&self) -> String {
        self.0.join("-")
    }

    pub(super) fn spoken(&self) -> String {
        self.0.join(" ")
    }

    pub(super) fn pascal(&self) -> String {
        self.0.iter().map(|word| capital(word)).collect()
    }

    pub(super) fn camel(&self) -> String {
        let (first, rest) = self.0.split_first().expect("an identifier has a first word");
        first.clone() + &rest.iter().map(|word| capital(word)).collect::<String>()
    }

    pub(super) fn title(&self) -> String {
        self.0.iter().map(|word| capital(word)).collect::<Vec<_>>().join(" ")
    }

    /// Changes the last word, the one that carries singular and plural.
    pub(super) fn with_last(&self, change: impl FnOnce(&str) -> String) -> Self {
        let mut words = self.0.clone();
        if let Some(last) = words.last_mut() {
            *last = change(last);
        }
        Self(words)
    }

    /// Adds a word at the end.
    pub(super) fn and(mut self, word: &str) -> Self {
        self.0.push(word.into());
        self
    }
}

pub(super) fn capital(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |c| c.to_uppercase().collect::<String>() + chars.as_str())
}

/// A package name that npm, pip and cargo accept. It always has a hyphen, so that it is no keyword, no
/// name of a dependency and no device of an operating system.
pub(super) fn slug(title: &str) -> String {
    let mut slug = String::new();
    for c in title.nfkd().filter(|c| !unicode_normalization::char::is_combining_mark(*c)) {
        if slug.len() >= 50 {
            break;
        }
        if c.is_ascii_alphanumeric() {
            slug.push(c.to_ascii_lowercase());
        } else if !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let slug = slug.trim_matches('-');
    match (slug.starts_with(|c: char| c.is_ascii_lowercase()), slug.contains('-')) {
        (true, true) => slug.into(),
        (true, false) => format!("{slug}-app"),
        (false, _) if slug.is_empty() => "project-app".into(),
        (false, _) => format!("app-{slug}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_in_every_common_form() {
        for text in ["line item", "line_item", "Line-Item", "LineItem", "lineItem"] {
            let name = Identifier::read(text).unwrap();
            assert_eq!((name.snake().as_str(), name.camel().as_str()), ("line_item", "lineItem"));
            assert_eq!((name.pascal().as_str(), name.kebab().as_str()), ("LineItem", "line-item"));
        }
        for text in ["", "-", "1st", "a;b", "naïve", "a b c d", &"x".repeat(31)] {
            assert_eq!(Identifier::read(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_package_name_is_safe_whatever_the_title() {
        for (title, expected) in [
            ("Todo API", "todo-api"),
            ("axum", "axum-app"),
            ("Ñandú", "nandu-app"),
            ("日本", "project-app"),
            ("3 D", "app-3-d"),
            ("../../x", "x-app"),
            ("\"; rm -rf", "rm-rf"),
        ] {
            assert_eq!(slug(title), expected);
        }
    }
}
