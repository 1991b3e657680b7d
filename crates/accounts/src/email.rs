//! Addresses of mail: what is taken for one, and when two are the same.

use crate::Error;

/// An address that was checked.
#[derive(Clone, Debug)]
pub struct Email {
    given: String,
    key: String,
}

/// What mail servers accept at most.
const LONGEST: usize = 254;
const LONGEST_LOCAL: usize = 64;

impl Email {
    /// Checks an address. Blanks around it are left out. Only mail shows whether it exists.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let given = text.trim();
        let wrong = |why: &str| Error::Validation { field: "email", why: why.to_owned() };
        if given.len() > LONGEST {
            return Err(wrong("is longer than an address can be"));
        }
        let form = || wrong("must have the form name@domain");
        let (local, domain) = given.rsplit_once('@').ok_or_else(form)?;
        let is_plain = |letter: char| {
            !letter.is_whitespace() && !letter.is_control() && !"\"(),:;<>[\\]@".contains(letter)
        };
        let fits = !local.is_empty()
            && local.len() <= LONGEST_LOCAL
            && domain.split('.').all(|label| !label.is_empty())
            && local.chars().all(is_plain)
            && domain.chars().all(is_plain);
        if !fits {
            return Err(form());
        }
        Ok(Self { given: given.to_owned(), key: given.chars().map(folded).collect() })
    }

    /// As it was given.
    #[must_use]
    pub fn as_given(&self) -> &str {
        &self.given
    }

    /// The same for all spellings of one address.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }
}

impl PartialEq for Email {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for Email {}

/// The small letter. A sign outside ASCII never becomes an ASCII letter: the sign for kelvin is not a
/// `k`, and whoever has that mailbox must not get the account of the other.
fn folded(letter: char) -> char {
    let mut small = letter.to_lowercase();
    match (small.next(), small.next()) {
        (Some(small), None) if small.is_ascii() == letter.is_ascii() => small,
        _ => letter,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_looks_like_an_address_is_taken() {
        for text in [
            "ada@example.org",
            " ada@example.org\n",
            "a+b.c_d@x.y.z",
            "ada@localhost",
            "käthe@müller.example",
            "o'neil@example.org",
        ] {
            assert_eq!(Email::parse(text).unwrap().as_given(), text.trim());
        }
        let local = "a".repeat(65);
        let domain = "b".repeat(250);
        for text in [
            "",
            "@",
            "ada",
            "ada@",
            "@example.org",
            "a da@example.org",
            "ada@exam ple.org",
            "ada@@example.org",
            "ada@example.org,eve@example.org",
            "ada@example.org\r\nbcc: eve@example.org",
            "<ada@example.org>",
            "ada@.org",
            "ada@example.",
            "ada@a..b",
            "a\0@b",
            &format!("{local}@b"),
            &format!("a@{domain}.org"),
        ] {
            let refused = Email::parse(text).unwrap_err();
            assert_eq!(refused.code(), "VALIDATION_ERROR", "{text}");
        }
    }

    #[test]
    fn letters_of_other_alphabets_are_compared_without_case_but_never_become_ascii() {
        let key = |text: &str| Email::parse(text).unwrap().key().to_owned();
        assert_eq!(key("KÄTHE@Example.ORG"), "käthe@example.org");
        assert_eq!(key("ЖЕНЯ@example.org"), key("женя@example.org"));
        assert_ne!(key("\u{212a}ate@example.org"), key("kate@example.org"), "the kelvin sign");
        assert_ne!(key("\u{130}da@example.org"), key("ida@example.org"), "the dotted capital i");
        assert_ne!(key("\u{131}da@example.org"), key("ida@example.org"), "the dotless i");
    }

    proptest! {
        #[test]
        fn an_address_is_the_same_in_any_case(
            local in "[a-zA-Z0-9.+_-]{1,20}",
            domain in "[a-zA-Z0-9-]{1,9}(\\.[a-zA-Z]{1,5}){0,2}",
        ) {
            let given = Email::parse(&format!("{local}@{domain}")).unwrap();
            for other in [given.as_given().to_ascii_uppercase(), given.as_given().to_ascii_lowercase()] {
                let other = Email::parse(&other).unwrap();
                prop_assert_eq!(other.key(), given.key());
            }
        }

        #[test]
        fn any_text_is_refused_or_its_key_is_its_own_key(text in "\\PC{0,12}@\\PC{1,12}") {
            if let Ok(email) = Email::parse(&text) {
                prop_assert_eq!(email.key().matches('@').count(), 1);
                if let Ok(again) = Email::parse(email.key()) {
                    prop_assert_eq!(again.key(), email.key());
                }
            }
        }

        #[test]
        fn the_key_has_no_ascii_letter_that_was_not_there(text in "\\PC{1,12}") {
            if let Ok(email) = Email::parse(&format!("{text}@example.org")) {
                let ascii = |text: &str| text.chars().filter(char::is_ascii).count();
                prop_assert_eq!(ascii(email.key()), ascii(email.as_given()));
            }
        }
    }
}
