//! What a token may be used for.

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Runs, inbox, pipelines, process.
    Runs,
    /// The job API.
    Jobs,
    /// Answers, approve, reject, raise.
    Answer,
    /// Users. Only an administrator's token has any use for it.
    Admin,
}

impl Scope {
    pub const ALL: [Self; 4] = [Self::Runs, Self::Jobs, Self::Answer, Self::Admin];

    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Runs => "runs",
            Self::Jobs => "jobs",
            Self::Answer => "answer",
            Self::Admin => "admin",
        }
    }

    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == word)
    }

    fn bit(self) -> u8 {
        match self {
            Self::Runs => 1,
            Self::Jobs => 2,
            Self::Answer => 4,
            Self::Admin => 8,
        }
    }
}

/// A set of scopes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scopes(u8);

impl Scopes {
    /// What a token without scopes has.
    #[must_use]
    pub fn default_set() -> Self {
        [Scope::Runs, Scope::Jobs, Scope::Answer].into_iter().collect()
    }

    #[must_use]
    pub fn contains(self, scope: Scope) -> bool {
        self.0 & scope.bit() != 0
    }

    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// In the order of [`Scope::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Scope> {
        Scope::ALL.into_iter().filter(move |scope| self.contains(*scope))
    }

    /// As words with a space between: `runs jobs`.
    #[must_use]
    pub fn to_words(self) -> String {
        self.iter().map(Scope::as_str).collect::<Vec<_>>().join(" ")
    }

    /// Reads what [`to_words`](Self::to_words) writes.
    #[must_use]
    pub fn from_words(words: &str) -> Option<Self> {
        words.split(' ').filter(|word| !word.is_empty()).map(Scope::from_word).collect()
    }
}

impl FromIterator<Scope> for Scopes {
    fn from_iter<T: IntoIterator<Item = Scope>>(scopes: T) -> Self {
        Self(scopes.into_iter().fold(0, |set, scope| set | scope.bit()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_written_and_read_as_words() {
        let check = |words: &str, set: &[Scope]| {
            let set: Scopes = set.iter().copied().collect();
            assert_eq!((Scopes::from_words(words), set.to_words().as_str()), (Some(set), words));
        };
        check("", &[]);
        check("jobs", &[Scope::Jobs, Scope::Jobs]);
        check("runs jobs answer admin", &Scope::ALL);
        assert_eq!(Scopes::from_words("runs root"), None);
        assert_eq!(Scopes::default_set().to_words(), "runs jobs answer");
    }
}
