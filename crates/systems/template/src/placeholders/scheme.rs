//! The names of a project that are replaced by placeholders in its template.

use serde::{Deserialize, Serialize};

use super::{
    Casing, Key, Stack, Subject, Values, field,
    fill::{Piece, escape, pieces, place},
    foreign::{is_author_place, is_foreign},
    form::{Becomes, Form},
    plain::NamePosition,
    plural, words,
};

/// How much text before a name is looked at. A line can be as long as its file, and have the name
/// often.
const NEAR: usize = 2_000;

/// A placeholder of a template.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Placeholder {
    /// Without braces: `ProjectName`.
    pub name: String,
    pub subject: Subject,
    pub casing: Casing,
    /// The name that the original project has there.
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
    /// What manifests call the project.
    own: String,
    /// Whether only existing placeholders are used.
    closed: bool,
}

impl Scheme {
    #[must_use]
    pub fn new(stack: Stack) -> Self {
        Self { stack, ..Self::default() }
    }

    /// The scheme of an existing template: only its own placeholders are used.
    #[must_use]
    pub fn of(stack: Stack, placeholders: &[Placeholder]) -> Self {
        let mut scheme = Self { closed: true, ..Self::new(stack) };
        for placeholder in placeholders {
            let key = Key { subject: placeholder.subject, casing: placeholder.casing };
            scheme.add(key, placeholder.default.clone());
        }
        for form in &mut scheme.forms {
            let small = !form.text.is_empty() && form.text.chars().all(char::is_lowercase);
            if let Becomes::Key(key) = form.becomes
                && small
                && [Subject::Project, Subject::Namespace].contains(&key.subject)
            {
                form.becomes = Becomes::Plain(key.subject);
            }
        }
        scheme
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
        self.add(Key { subject: Subject::Author, casing: Casing::AsIs }, name.to_owned());
        self
    }

    /// The address that stands with the author.
    #[must_use]
    pub fn email(mut self, address: &str) -> Self {
        self.add(Key { subject: Subject::Email, casing: Casing::AsIs }, address.to_owned());
        self
    }

    /// The project's name in manifests. It is replaced there even if it is a common word.
    #[must_use]
    pub fn own(mut self, name: &str) -> Self {
        name.clone_into(&mut self.own);
        if !self.placeholders.iter().any(|it| it.subject == Subject::Project) {
            let casing = Casing::Kebab;
            if casing.write(&words(name)) == name && !name.is_empty() {
                let key = Key { subject: Subject::Project, casing };
                self.placeholders.push(Placeholder {
                    name: key.to_string(),
                    subject: key.subject,
                    casing,
                    default: name.to_owned(),
                    description: key.description(),
                });
            }
        }
        self
    }

    /// Adds a foreign name that contains one of ours and stays as it is.
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
        let around = Around {
            place: NamePosition::inside(path),
            manifest: field::is_manifest(path),
            own: field::own_name(path, content, &self.own),
        };
        self.replace(&around, content)
    }

    /// A path, with placeholders.
    #[must_use]
    pub fn generalise_path(&self, path: &str) -> String {
        self.replace(&Around { place: NamePosition::Path, manifest: false, own: None }, path)
    }

    fn replace(&self, around: &Around, source: &str) -> String {
        let mut text = String::with_capacity(source.len() + source.len() / 8);
        for piece in pieces(source) {
            match piece {
                Piece::Token { text: token, .. } => escape(token, &mut text),
                Piece::Text(raw) if around.place == NamePosition::Licence => text.push_str(raw),
                Piece::Text(raw) => {
                    let begin = raw.as_ptr() as usize - source.as_ptr() as usize;
                    self.replace_in(around, source, begin..begin + raw.len(), &mut text);
                }
            }
        }
        text
    }

    fn replace_in(
        &self,
        around: &Around,
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
            if let Some(own) =
                around.own.as_ref().filter(|own| own.start == at && own.end <= range.end)
                && let Some(key) = self.own_key(&source[own.clone()])
            {
                into.push_str(&source[kept..at]);
                place(key, into);
                (kept, at) = (own.end, own.end);
                continue;
            }
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
                    let casing = self.stack.casing(around.place, &source[near..at], &source[end..]);
                    Some(Key { subject, casing })
                }
                Becomes::Itself => None,
            };
            if let Some(key) = key.filter(|key| self.is_ours(*key, around, source, at..end)) {
                into.push_str(&source[kept..at]);
                place(key, into);
                kept = end;
            }
            at = end;
        }
        into.push_str(&source[kept..range.end]);
    }

    /// The placeholder of a manifest's own name: the one that gives it back.
    fn own_key(&self, written: &str) -> Option<Key> {
        let casings = [Casing::Kebab, Casing::Snake, Casing::Flat, Casing::Pascal, Casing::Camel];
        let key = casings.into_iter().find(|casing| {
            self.placeholders.iter().any(|it| {
                it.subject == Subject::Project && it.casing == *casing && it.default == written
            })
        });
        key.map(|casing| Key { subject: Subject::Project, casing })
    }

    /// Whether a name that was found belongs to the project, and not to others.
    fn is_ours(&self, key: Key, around: &Around, source: &str, at: std::ops::Range<usize>) -> bool {
        let has = |it: &Placeholder| it.subject == key.subject && it.casing == key.casing;
        if self.closed && !self.placeholders.iter().any(has) {
            return false;
        }
        match key.subject {
            Subject::Author => {
                // Half of `Name <mail>` would be nobody.
                let mail = source[at.end..].strip_prefix(" <");
                let mail = mail.and_then(|it| it.split('>').next()).filter(|it| it.contains('@'));
                let known = mail.is_none_or(|mail| {
                    self.forms.iter().any(|form| {
                        form.text == mail
                            && form.becomes
                                == Becomes::Key(Key {
                                    subject: Subject::Email,
                                    casing: Casing::AsIs,
                                })
                    })
                });
                known && is_author_place(around.manifest, source, at.start)
            }
            Subject::Email => around.manifest || is_author_place(false, source, at.start),
            Subject::Project | Subject::Namespace | Subject::Entity | Subject::Entities => {
                !is_foreign(key.subject, source, at.start, at.end)
            }
        }
    }
}

/// What is known of the text in which names are replaced.
struct Around {
    place: NamePosition,
    /// It describes the project.
    manifest: bool,
    /// Where it has the project's own name.
    own: Option<std::ops::Range<usize>>,
}
