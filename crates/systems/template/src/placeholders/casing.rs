//! The casings: how the words of a name are joined.

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Casing {
    /// `AcmeShop`
    Pascal,
    /// `acmeShop`
    Camel,
    /// `acme-shop`
    Kebab,
    /// `acme_shop`
    Snake,
    /// `ACME_SHOP`
    Screaming,
    /// `acmeshop`, as in packages of Java
    Flat,
    /// `ACMESHOP`
    UpperFlat,
    /// `Acme Shop`
    Title,
    /// `Acme-Shop`
    Train,
    /// As it was written: `com.acme.shop`, `Jane Doe`
    AsIs,
    /// As it was written, in lower case
    Lower,
    /// A namespace as folders: `com/acme/shop`
    Path,
    /// A namespace inside of a string: `Acme\\Shop`
    Escaped,
}

impl Casing {
    /// Those that words can be written in.
    pub const OF_WORDS: [Self; 9] = [
        Self::Pascal,
        Self::Camel,
        Self::Kebab,
        Self::Snake,
        Self::Screaming,
        Self::Flat,
        Self::UpperFlat,
        Self::Title,
        Self::Train,
    ];

    /// Writes words that are in lower case. The last four are for namespaces and persons, whose text
    /// is not made of words; here they only join them.
    #[must_use]
    pub fn write(self, words: &[String]) -> String {
        match self {
            Self::Pascal => words.iter().map(|word| capital(word)).collect(),
            Self::Camel => {
                let mut words = words.iter();
                let first = words.next().cloned().unwrap_or_default();
                words.fold(first, |text, word| text + &capital(word))
            }
            Self::Kebab => words.join("-"),
            Self::Snake => words.join("_"),
            Self::Screaming => words.join("_").to_uppercase(),
            Self::Flat => words.concat(),
            Self::UpperFlat => words.concat().to_uppercase(),
            Self::Title => capitals(words, " "),
            Self::Train => capitals(words, "-"),
            Self::AsIs | Self::Lower => words.join("."),
            Self::Path => words.join("/"),
            Self::Escaped => words.join("\\\\"),
        }
    }

    /// What it looks like, for people.
    #[must_use]
    pub const fn example(self) -> &'static str {
        match self {
            Self::Pascal => "PascalCase",
            Self::Camel => "camelCase",
            Self::Kebab => "kebab-case",
            Self::Snake => "snake_case",
            Self::Screaming => "SCREAMING_CASE",
            Self::Flat => "flatcase",
            Self::UpperFlat => "UPPERCASE",
            Self::Title => "Title Case",
            Self::Train => "Train-Case",
            Self::AsIs => "as written",
            Self::Lower => "as written, in lower case",
            Self::Path => "as folders",
            Self::Escaped => "inside of a string",
        }
    }
}

fn capitals(words: &[String], between: &str) -> String {
    words.iter().map(|word| capital(word)).collect::<Vec<_>>().join(between)
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::{super::words, *};

    #[test]
    fn words_are_written_in_each_casing() {
        let all = Casing::OF_WORDS.map(|casing| casing.write(&words("my new shop"))).join(" | ");
        assert_eq!(
            all,
            "MyNewShop | myNewShop | my-new-shop | my_new_shop | MY_NEW_SHOP | mynewshop | \
             MYNEWSHOP | My New Shop | My-New-Shop"
        );
    }
}
