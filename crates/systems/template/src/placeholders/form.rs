//! A spelling of a name, and where it counts: as a whole word or as part of an identifier, never
//! inside of another word.

use super::{Key, Subject};

/// A text to look for, and what it becomes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Form {
    pub(super) text: String,
    pub(super) becomes: Becomes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Becomes {
    Key(Key),
    /// One word in lower case: its context says which casing is meant.
    Plain(Subject),
    /// It stays: a foreign name that contains ours.
    Itself,
}

impl Form {
    /// Whether this text begins at `at`, and is not part of another word.
    pub(super) fn stands(&self, text: &str, at: usize) -> bool {
        text[at..].starts_with(&self.text)
            && self.may_follow(&text[..at])
            && self.may_precede(&text[at + self.text.len()..])
    }

    fn may_follow(&self, before: &str) -> bool {
        let mut back = before.chars().rev();
        let Some(last) = back.next().filter(|last| last.is_alphanumeric()) else { return true };
        let earlier = back.next();
        // The letter of an escape such as `\n` belongs to no word.
        if "ntrbfv0".contains(last) && earlier == Some('\\') {
            return true;
        }
        // Nor does what stands for a character in an address: `%2Fshop`.
        if last.is_ascii_hexdigit()
            && earlier.is_some_and(|it| it.is_ascii_hexdigit())
            && back.next() == Some('%')
        {
            return true;
        }
        let capital = self.text.starts_with(char::is_uppercase);
        if !capital || !self.text.contains(char::is_lowercase) {
            return false;
        }
        // `myAcmeShop` and `IAcmeShop`, but not `SUBAcmeShop`.
        last.is_lowercase()
            || last.is_ascii_digit()
            || ("IT".contains(last) && !earlier.is_some_and(char::is_alphanumeric))
    }

    fn may_precede(&self, after: &str) -> bool {
        let Some(next) = after.chars().next().filter(|next| next.is_alphanumeric()) else {
            return true;
        };
        // `acmeShopDb`, but not `acmeShops`.
        let identifier = self.text.chars().all(char::is_alphanumeric);
        identifier && next.is_uppercase() && self.text.ends_with(char::is_lowercase)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_counts_as_a_word_and_as_a_part_but_not_inside_of_one() {
        for (form, text, expected) in [
            ("shop", "the shop is", true),
            ("shop", "shop_id", true),
            ("shop", "my_shop", true),
            ("shop", "shopId", true),
            ("shop", "shops", false),
            ("shop", "workshop", false),
            ("shop", "shop2", false),
            ("shop", "bishopric", false),
            ("shop", "a\\nshop", true),
            ("shop", "änderungshop", false),
            ("shop", "a%2Fshop", true),
            ("shop", "a2fshop", false),
            ("Shop", "AcmeShop", true),
            ("Shop", "IShop", true),
            ("Shop", "Shopping", false),
            ("Shop", "XYShop", false),
            ("Shop", "ShopDb", true),
            ("SHOP", "SHOP_ID", true),
            ("SHOP", "SHOPPER", false),
            ("SHOP", "mySHOP", false),
            ("acme-shop", "acme-shop-cli", true),
            ("acme_shop", "test_acme_shop_it", true),
            ("com.acme", "com.acme.shop", true),
            ("com.acme", "telecom.acme", false),
            ("Acme Shop", "Acme Shops", false),
        ] {
            let searched = Form { text: form.to_owned(), becomes: Becomes::Itself };
            let found = text.match_indices(form).any(|(at, _)| searched.stands(text, at));
            assert_eq!(found, expected, "{form} in {text}");
        }
    }
}
