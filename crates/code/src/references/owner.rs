//! The type or module that a name is asked to belong to: `Client` of `Client::new`.

use crate::{Language, words};

pub(super) struct Owner {
    pub(super) name: String,
    /// Without underscores, in lower case.
    plain: String,
    /// It is written like a type; otherwise it is a module or a variable.
    pub(super) is_type: bool,
}

/// Whether a file is the one of the owner, by its name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum DefinedIn {
    No,
    /// The file or its folder has the name.
    Near,
    /// And it has the name that is asked for.
    Yes,
}

impl Owner {
    pub(super) fn new(name: &str) -> Self {
        Self { name: name.to_owned(), plain: plain(name), is_type: is_type(name) }
    }

    /// Whether a name means the owner. Variables are often called like their type: `http_client` is an
    /// `HttpClient` for its author. Types have one name only.
    pub(super) fn is(&self, name: &str) -> bool {
        name == self.name || (!(self.is_type && is_type(name)) && plain(name) == self.plain)
    }

    /// Whether one of the words of a text means the owner.
    pub(super) fn is_in(&self, text: &[u8]) -> bool {
        text.split(|&byte| !words::is_word(byte))
            .filter_map(|word| std::str::from_utf8(word).ok())
            .any(|word| !word.is_empty() && self.is(word))
    }

    /// How it may be written, in whatever case.
    pub(super) fn spellings(&self) -> [String; 2] {
        [self.plain.clone(), words::parts(&self.name).join("_")]
    }

    /// How all that it has is imported at once, in one language or another.
    pub(super) fn globs(&self) -> [String; 3] {
        let name = &self.name;
        [format!("{name}::*"), format!("{name}.*"), format!("from {name} import *")]
    }

    /// Where a path says that a file is the owner. A package of Go is a folder; elsewhere a module is a file,
    /// or the file in its folder that stands for it. A type is a file only where functions of files are
    /// called like members: `Session.js` may have them for `Session`.
    pub(super) fn home(&self, path: &str, language: Option<Language>, defines: bool) -> DefinedIn {
        let path = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
        let mut parts = path.rsplit('/');
        let (stem, folder) = (parts.next().unwrap_or(""), parts.next().unwrap_or(""));
        if self.is_type {
            let scripts = [Language::JavaScript, Language::TypeScript, Language::Tsx];
            let is_script = language.is_some_and(|language| scripts.contains(&language));
            return if is_script && defines && stem == self.name {
                DefinedIn::Near
            } else {
                DefinedIn::No
            };
        }
        let stands_for = ["mod", "lib", "index", "__init__"].contains(&stem);
        let is_file = self.is(stem) || (stands_for && self.is(folder));
        let is_package = language == Some(Language::Go) && self.is(folder);
        if is_package || (is_file && defines) {
            DefinedIn::Yes
        } else if self.is(stem) || self.is(folder) {
            DefinedIn::Near
        } else {
            DefinedIn::No
        }
    }
}

fn plain(name: &str) -> String {
    let name = name.trim_start_matches(['$', '@', '#']);
    name.chars().filter(|&char| char != '_').flat_map(char::to_lowercase).collect()
}

/// Whether a name is written like a type. `MAX_SIZE` is a constant.
pub(super) fn is_type(name: &str) -> bool {
    let name = name.trim_start_matches(['_', '$', '@', '#']);
    let shouts = name.contains('_') && !name.contains(char::is_lowercase);
    name.starts_with(char::is_uppercase) && !shouts
}

/// Whether a type is named so that it may stand for any: `T`, `K1`.
pub(super) fn is_parameter(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|byte| byte.is_ascii_uppercase())
        && name.len() <= 2
        && bytes.all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_may_be_called_like_its_type() {
        for (owner, name, expected) in [
            ("Cart", "cart", true),
            ("Cart", "_cart", true),
            ("Cart", "cart_", true),
            ("Cart", "CART", false),
            ("Cart", "my_cart", false),
            ("Cart", "carts", false),
            ("HttpClient", "http_client", true),
            ("HttpClient", "httpClient", true),
            ("HttpClient", "HTTPClient", false),
            ("cart", "Cart", true),
            ("auth", "auth", true),
            ("auth", "oauth", false),
            ("Session", "CURRENT_SESSION", false),
        ] {
            assert_eq!(Owner::new(owner).is(name), expected, "{owner} {name}");
        }
        assert!(Owner::new("Base").is_in(b"class Child(Base, Other):"));
        assert!(!Owner::new("Base").is_in(b"class Child(BaseView):"));
    }
}
