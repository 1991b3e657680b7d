//! Which names of a project are gaps in its template.

use serde::{Deserialize, Serialize};

use super::{
    Casing, Key, Stack, Subject, Values,
    fill::{Piece, escape, pieces, place},
    form::{Becomes, Form},
    plain::Place,
    plural, words,
};

/// How far back a place is looked at. A line can be as long as its file, and have a name in it as often.
const NEAR: usize = 2_000;

/// A gap that a template has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Placeholder {
    /// Without braces: `ProjectName`.
    pub name: String,
    pub subject: Subject,
    pub casing: Casing,
    /// What the project itself has there.
    pub default: String,
    pub description: String,
}

/// The names that are replaced, in each casing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scheme {
    stack: Stack,
    /// The longest first, so that `acme-shop` is not taken for `acme`.
    forms: Vec<Form>,
    placeholders: Vec<Placeholder>,
}

impl Scheme {
    #[must_use]
    pub fn new(stack: Stack) -> Self {
        Self { stack, ..Self::default() }
    }

    /// A name that is made of words, in every casing. What comes first keeps a spelling that two share.
    #[must_use]
    pub fn named(mut self, subject: Subject, name: &str) -> Self {
        let words = words(name);
        self.add_words(subject, &words, name);
        self
    }

    /// An entity, in singular and plural.
    #[must_use]
    pub fn entity(mut self, name: &str) -> Self {
        let words = words(name);
        self.add_words(Subject::Entity, &words, name);
        self.add_words(Subject::Entities, &plural(&words), "");
        self
    }

    /// A namespace of several parts, as it is written and as folders.
    #[must_use]
    pub fn namespace(mut self, name: &str) -> Self {
        let key = |casing| Key { subject: Subject::Namespace, casing };
        let parts: Vec<&str> =
            name.split(['.', '/', '\\', ':']).filter(|p| !p.is_empty()).collect();
        self.add(key(Casing::AsIs), name.to_owned());
        if name.contains('\\') {
            self.add(key(Casing::Escaped), parts.join("\\\\"));
        }
        self.add(key(Casing::Path), parts.join("/"));
        self.add(key(Casing::Lower), name.to_lowercase());
        self
    }

    /// A person or company.
    #[must_use]
    pub fn author(mut self, name: &str) -> Self {
        let key = |casing| Key { subject: Subject::Author, casing };
        let words = words(name);
        self.add(key(Casing::AsIs), name.to_owned());
        for casing in [Casing::Kebab, Casing::Snake, Casing::Flat] {
            self.add(key(casing), casing.write(&words));
        }
        self
    }

    /// Somebody else's name that has one of ours in it and stays as it is.
    #[must_use]
    pub fn guard(mut self, name: &str) -> Self {
        if self.forms.iter().any(|form| form.text != name && name.contains(&form.text)) {
            self.forms.push(Form { text: name.to_owned(), becomes: Becomes::Itself });
            self.sort();
        }
        self
    }

    fn add_words(&mut self, subject: Subject, words: &[String], written: &str) {
        if words.is_empty() {
            return;
        }
        let canonical = Casing::OF_WORDS.map(|casing| casing.write(words));
        let odd = !written.is_empty()
            && written.chars().all(char::is_alphanumeric)
            && !canonical.iter().any(|form| form == written);
        for (casing, text) in Casing::OF_WORDS.into_iter().zip(canonical) {
            // Whoever writes `iOSApp` means that, and not `IOsApp`.
            let capital = written.starts_with(char::is_uppercase);
            let own = odd && casing == if capital { Casing::Pascal } else { Casing::Camel };
            let text = if own { written.to_owned() } else { text };
            self.add(Key { subject, casing }, text);
        }
        if let [word] = words {
            for form in &mut self.forms {
                if form.text == *word
                    && let Becomes::Key(key) = form.becomes
                    && key.subject == subject
                {
                    form.becomes = Becomes::Plain(subject);
                }
            }
        }
    }

    fn add(&mut self, key: Key, text: String) {
        let taken = self.forms.iter().find(|form| form.text == text);
        // The spellings of one word are each a placeholder of their own, though they look alike.
        let alike = match taken.map(|form| form.becomes) {
            Some(Becomes::Key(other)) => other.subject == key.subject,
            Some(Becomes::Plain(subject)) => subject == key.subject,
            Some(Becomes::Itself) => false,
            None => true,
        };
        if text.is_empty() || !alike {
            return;
        }
        if taken.is_none() {
            self.forms.push(Form { text: text.clone(), becomes: Becomes::Key(key) });
            self.sort();
        }
        self.placeholders.push(Placeholder {
            name: key.to_string(),
            subject: key.subject,
            casing: key.casing,
            default: text,
            description: key.description(),
        });
    }

    fn sort(&mut self) {
        self.forms.sort_by_key(|form| std::cmp::Reverse(form.text.len()));
    }

    #[must_use]
    pub fn stack(&self) -> Stack {
        self.stack
    }

    #[must_use]
    pub fn placeholders(&self) -> &[Placeholder] {
        &self.placeholders
    }

    /// The names that the project itself has: with these [`super::fill`] gives its bytes back.
    #[must_use]
    pub fn defaults(&self) -> Values {
        let key = |it: &Placeholder| Key { subject: it.subject, casing: it.casing };
        self.placeholders.iter().map(|it| (key(it), it.default.clone())).collect()
    }

    /// The contents of a file, with placeholders.
    #[must_use]
    pub fn generalise(&self, path: &str, content: &str) -> String {
        self.replace(Place::inside(path), content)
    }

    /// A path, with placeholders.
    #[must_use]
    pub fn generalise_path(&self, path: &str) -> String {
        self.replace(Place::Path, path)
    }

    fn replace(&self, at: Place, source: &str) -> String {
        let mut text = String::with_capacity(source.len() + source.len() / 8);
        for piece in pieces(source) {
            match piece {
                Piece::Token { text: token, .. } => escape(token, &mut text),
                Piece::Text(raw) if at == Place::Licence => text.push_str(raw),
                Piece::Text(raw) => {
                    let begin = raw.as_ptr() as usize - source.as_ptr() as usize;
                    self.replace_in(at, source, begin..begin + raw.len(), &mut text);
                }
            }
        }
        text
    }

    fn replace_in(
        &self,
        place_of: Place,
        source: &str,
        range: std::ops::Range<usize>,
        into: &mut String,
    ) {
        let mut starts = [false; 256];
        for form in &self.forms {
            if let Some(&first) = form.text.as_bytes().first() {
                starts[usize::from(first)] = true;
            }
        }
        let (mut kept, mut at) = (range.start, range.start);
        while at < range.end {
            let found = if starts[usize::from(source.as_bytes()[at])] && source.is_char_boundary(at)
            {
                self.forms
                    .iter()
                    .find(|form| at + form.text.len() <= range.end && form.stands(source, at))
            } else {
                None
            };
            let Some(form) = found else {
                at += 1;
                continue;
            };
            let end = at + form.text.len();
            let key = match form.becomes {
                Becomes::Key(key) => Some(key),
                Becomes::Plain(subject) => {
                    let near = source.floor_char_boundary(at.saturating_sub(NEAR));
                    let casing = self.stack.casing(place_of, &source[near..at], &source[end..]);
                    Some(Key { subject, casing })
                }
                Becomes::Itself => None,
            };
            if let Some(key) = key {
                into.push_str(&source[kept..at]);
                place(key, into);
                kept = end;
            }
            at = end;
        }
        into.push_str(&source[kept..range.end]);
    }
}
