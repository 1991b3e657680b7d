//! Names as words: `AcmeShop`, `acme-shop` and `ACME_SHOP` are the same two.

/// The words of a name in lower case. Where case changes, a word begins; `HTTPServer` is `http` and
/// `server`. Digits stay with the word before them.
#[must_use]
pub fn words(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let mut all: Vec<String> = Vec::new();
    let mut word = String::new();
    for (at, &letter) in letters.iter().enumerate() {
        if !letter.is_alphanumeric() {
            close(&mut word, &mut all);
            continue;
        }
        let before = at.checked_sub(1).map(|at| letters[at]);
        let after_small = before.is_some_and(|b| b.is_lowercase() || b.is_ascii_digit());
        let before_small = letters.get(at + 1).is_some_and(|next| next.is_lowercase());
        let in_capitals = before.is_some_and(char::is_uppercase);
        if letter.is_uppercase() && (after_small || (in_capitals && before_small)) {
            close(&mut word, &mut all);
        }
        word.extend(letter.to_lowercase());
    }
    close(&mut word, &mut all);
    all
}

fn close(word: &mut String, all: &mut Vec<String>) {
    if !word.is_empty() {
        all.push(std::mem::take(word));
    }
}

/// The usual plural of a name in words: only the last one changes.
#[must_use]
pub fn plural(words: &[String]) -> Vec<String> {
    let mut words = words.to_vec();
    if let Some(last) = words.last_mut() {
        *last = many(last);
    }
    words
}

fn many(word: &str) -> String {
    let vowel_before_y =
        || word.chars().rev().nth(1).is_some_and(|letter| "aeiou".contains(letter));
    if let Some(stem) = word.strip_suffix('y').filter(|_| !vowel_before_y()) {
        format!("{stem}ies")
    } else if ["s", "x", "z", "ch", "sh"].iter().any(|end| word.ends_with(end)) {
        format!("{word}es")
    } else {
        format!("{word}s")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_casing_gives_the_same_words() {
        for (name, expected) in [
            ("AcmeShop", "acme shop"),
            ("acmeShop", "acme shop"),
            ("acme-shop", "acme shop"),
            ("acme_shop", "acme shop"),
            ("ACME_SHOP", "acme shop"),
            ("Acme.Shop", "acme shop"),
            ("Acme Shop", "acme shop"),
            ("acmeshop", "acmeshop"),
            ("HTTPServer", "http server"),
            ("oauth2Client", "oauth2 client"),
            ("--", ""),
            ("Übung", "übung"),
        ] {
            assert_eq!(words(name).join(" "), expected, "{name}");
        }
    }

    #[test]
    fn the_last_word_is_put_into_the_plural() {
        for (one, expected) in [
            ("Order", "orders"),
            ("Category", "categories"),
            ("Box", "boxes"),
            ("Key", "keys"),
            ("Purchase", "purchases"),
            ("OrderLine", "order lines"),
        ] {
            assert_eq!(plural(&words(one)).join(" "), expected, "{one}");
        }
    }
}
