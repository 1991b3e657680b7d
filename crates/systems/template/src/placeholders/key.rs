//! The names of placeholders: a closed list, so that other braces are not taken for placeholders.

use std::{fmt, sync::OnceLock};

use serde::{Deserialize, Serialize};

use super::Casing;

/// What a placeholder stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Subject {
    Project,
    Namespace,
    Entity,
    /// The entity's plural. It is set with the entity.
    Entities,
    Author,
    /// The author's e-mail address.
    Email,
}

impl Subject {
    pub const ALL: [Self; 6] =
        [Self::Project, Self::Namespace, Self::Entity, Self::Entities, Self::Author, Self::Email];

    /// The name of its setting, as in `--set name=…`.
    #[must_use]
    pub const fn setting(self) -> &'static str {
        match self {
            Self::Project => "name",
            Self::Namespace => "namespace",
            Self::Entity | Self::Entities => "entity",
            Self::Author => "author",
            Self::Email => "author-email",
        }
    }

    const fn words(self) -> [&'static str; 2] {
        match self {
            Self::Project => ["project", "name"],
            Self::Namespace => ["namespace", "name"],
            Self::Entity => ["entity", "name"],
            Self::Entities => ["entity", "names"],
            Self::Author => ["author", "name"],
            Self::Email => ["author", "email"],
        }
    }
}

/// A placeholder: `{{ProjectName}}` is the project's name in Pascal case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    pub subject: Subject,
    pub casing: Casing,
}

impl Key {
    /// The name, if there is such a placeholder.
    fn made(self) -> Option<String> {
        let words = self.subject.words().map(str::to_owned);
        match (self.subject, self.casing) {
            (Subject::Namespace, Casing::AsIs) => Some("Namespace".to_owned()),
            (Subject::Namespace, Casing::Lower) => Some("namespace".to_owned()),
            (Subject::Namespace, Casing::Path) => Some("NamespacePath".to_owned()),
            (Subject::Namespace, Casing::Escaped) => Some("NamespaceEscaped".to_owned()),
            // A person's name is written with its spaces; `JaneDoe` is nobody's.
            (Subject::Author, Casing::AsIs) => Some(Casing::Pascal.write(&words)),
            (Subject::Author, Casing::Kebab | Casing::Snake | Casing::Flat) => {
                Some(self.casing.write(&words))
            }
            (Subject::Email, Casing::AsIs) => Some(Casing::Kebab.write(&words)),
            (Subject::Author | Subject::Email, _) => None,
            (_, casing) if Casing::OF_WORDS.contains(&casing) => Some(casing.write(&words)),
            (_, _) => None,
        }
    }

    /// All there are, with their names.
    pub(super) fn all() -> &'static [(Self, String)] {
        static ALL: OnceLock<Vec<(Key, String)>> = OnceLock::new();
        ALL.get_or_init(|| {
            let casings = Casing::OF_WORDS.into_iter().chain([
                Casing::AsIs,
                Casing::Lower,
                Casing::Path,
                Casing::Escaped,
            ]);
            let keys = casings.flat_map(|casing| {
                Subject::ALL.into_iter().map(move |subject| Self { subject, casing })
            });
            keys.filter_map(|key| Some((key, key.made()?))).collect()
        })
    }

    /// The placeholder of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::all().iter().find(|(_, known)| known == name).map(|(key, _)| *key)
    }

    /// What it is for, in a sentence.
    #[must_use]
    pub fn description(self) -> String {
        let what = match self.subject {
            Subject::Project => "The project's name",
            Subject::Namespace => "The root namespace, package or module",
            Subject::Entity => "What the project's records are about",
            Subject::Entities => "What the project's records are about, in the plural",
            Subject::Author => "Who writes the project",
            Subject::Email => "Where the author is written to",
        };
        format!("{what}, {}.", self.casing.example())
    }
}

/// Its name, without braces.
impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.made().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_is_one_placeholder() {
        for (at, (key, name)) in Key::all().iter().enumerate() {
            assert_eq!(Key::named(name), Some(*key));
            assert!(Key::all()[..at].iter().all(|(_, other)| other != name), "{name} twice");
        }
        for name in [
            "ProjectName",
            "projectName",
            "project-name",
            "project_name",
            "PROJECT_NAME",
            "projectname",
            "Namespace",
            "namespace",
            "EntityName",
            "EntityNames",
            "AuthorName",
        ] {
            assert!(Key::named(name).is_some(), "{name}");
        }
        assert_eq!(Key::named("Author Name"), None);
        assert_eq!(Key::named(""), None);
    }
}
