//! Which natural language a question is asked in.
//!
//! Told by its small words: they are few, frequent and hardly shared. Letters that only one of the
//! languages has count as well. A question without any, like a bare symbol, is `und`.

/// ISO 639-1, and the small words that carry no content in it.
const LANGUAGES: &[(&str, &str)] = &[
    (
        "en",
        "a about above across actually all also am an and any are around as at be because been before being \
         below between both but by can could did do does doing done during each every exactly for from get \
         gets give had happen happens has have he her here him his how i if in inside into is it its itself \
         just know let like look make makes many me more most much my need no not of off on once one only or \
         other our out over own please really same she should show so some such tell than that the their them \
         then there these they thing things this those through to too under until up us use very want was way \
         we well were what when where whether which while who whom whose why will with within would you your",
    ),
    (
        "de",
        "aber alle als also am an auch auf aus bei beim bin bis bitte da damit das dass dein dem den denn der \
         des die dies diese diesem diesen dieser dieses doch dort du durch ein eine einem einen einer eines er \
         es etwas für gegen geht gibt hat hier hin ich ihr im in ins ist ja kann kein keine man mein mich mir \
         mit nach nicht noch nur ob oder ohne sehr sein seine sich sie sind so soll über um und uns unser unter \
         vom von vor wann warum was wäre weil welche welchem welchen welcher welches wenn wer werden wie wieso \
         will wir wird wo woher wohin wozu wurde wurden zu zum zur zwischen",
    ),
    (
        "fr",
        "à afin ai alors après au aussi autre aux avant avec avoir c ça car ce ceci cela ces cet cette ceux \
         chaque comme comment d dans de depuis des donc du elle elles en entre est et être eu fait fois il ils \
         j je l la le les leur leurs lui m ma mais même mes moi mon n ne nos notre nous on ont ou où par pas \
         peut plus pour pourquoi qu quand que quel quelle quelles quels qui quoi s sa sans se sera ses si son \
         sont sous sur t ta te tes ton tous tout toute toutes très tu un une vers vos votre vous y",
    ),
    (
        "es",
        "a al algo ante aquí así aunque cada como cómo con cual cuál cuales cuando cuándo de del desde donde \
         dónde dos el él ella ellas ellos en entre era es esa ese eso esta está están este esto estos fue ha \
         hace hacia hasta hay la las le les lo los más me mi mis mucho muy nada ni no nos o os para pero por \
         porque qué que quien quién se según ser si sí sin sobre son su sus también te tiene todo todos tu un \
         una uno unos y ya yo",
    ),
    (
        "it",
        "a ad agli ai al alla alle allo anche ancora c che chi ci come con cosa così cui da dai dal dalla dalle \
         dei del della delle dello di dove e è ed era fra gli ha hanno i il in io l la le lei lo loro lui ma me \
         mi molto ne nei nel nella nelle no noi non nostro o ogni per perché più poi qual quale quali quando \
         quanto quella quelle quelli quello questa queste questi questo qui sarà se sei si sia sono su sua sul \
         sulla suo te ti tra tu tutti tutto un una uno viene vengono vi voi",
    ),
    (
        "pt",
        "a à ao aos aquela aquele aqui as até com como da das de dela dele do dos e é ela elas ele eles em \
         entre era essa esse esta está estão este eu foi há isso isto já la lhe mais mas me mesmo meu minha \
         muito na não nas nem no nos nós num numa o onde os ou para pela pelas pelo pelos por porque qual \
         quais quando que quem se sem ser será seu só sobre sua também te tem tu tudo um uma você vocês",
    ),
];

/// Letters that give a language away.
const LETTERS: &[(char, &str, usize)] = &[
    ('ß', "de", 2),
    ('ä', "de", 1),
    ('ö', "de", 1),
    ('ü', "de", 1),
    ('¿', "es", 3),
    ('¡', "es", 3),
    ('ñ', "es", 2),
    ('ã', "pt", 2),
    ('õ', "pt", 2),
    ('œ', "fr", 2),
    ('ê', "fr", 1),
    ('û', "fr", 1),
    ('ù', "fr", 1),
    ('ò', "it", 1),
];

/// The result when the language is not recognised.
pub(super) const UNDETERMINED: &str = "und";

/// The language of a text, as ISO 639-1 or [`UNDETERMINED`].
pub(super) fn detect(text: &str) -> &'static str {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower
        .split(|letter: char| !letter.is_alphabetic())
        .filter(|word| !word.is_empty())
        .collect();
    let mut scores: Vec<(usize, &'static str)> = LANGUAGES
        .iter()
        .map(|(code, list)| {
            let small = words.iter().filter(|word| list.split(' ').any(|known| known == **word));
            // A letter alone is more often a variable than a word.
            let score: usize = small.map(|word| if word.chars().count() > 1 { 2 } else { 1 }).sum();
            let letters = LETTERS
                .iter()
                .filter(|(letter, of, _)| of == code && lower.contains(*letter))
                .map(|(_, _, weight)| weight * 2)
                .sum::<usize>();
            (score + letters, *code)
        })
        .collect();
    scores.sort_by_key(|score| std::cmp::Reverse(score.0));
    match scores[..] {
        [(best, code), (second, _), ..] if best >= 2 && best > second => code,
        _ => UNDETERMINED,
    }
}

/// Whether a word carries no content, in any of the languages: a question may mix two.
pub(super) fn is_small(word: &str, language: &str) -> bool {
    let of = |code: &str| {
        LANGUAGES
            .iter()
            .filter(|(known, _)| *known == code)
            .any(|(_, list)| list.split(' ').any(|known| known == word))
    };
    of("en")
        || of(language)
        || language == UNDETERMINED && LANGUAGES.iter().any(|(code, _)| of(code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_told_apart() {
        for (text, expected) in [
            ("How does authentication work?", "en"),
            ("Where is the parser defined and who calls it?", "en"),
            ("Wie funktioniert die Anmeldung eines Benutzers?", "de"),
            ("Wo wird der Schlüssel geprüft?", "de"),
            ("Comment fonctionne l'authentification des utilisateurs ?", "fr"),
            ("Où est définie la classe ConnectionPool ?", "fr"),
            ("¿Cómo se resuelven los nombres DNS?", "es"),
            ("Dónde está definida la función que valida el token", "es"),
            ("Come funziona l'autenticazione degli utenti e dove viene verificata?", "it"),
            ("Como funciona a autenticação e onde estão as sessões?", "pt"),
            ("AuthManager.validate_token", "und"),
            ("", "und"),
            ("???", "und"),
        ] {
            assert_eq!(detect(text), expected, "{text}");
        }
    }

    #[test]
    fn small_words_are_small_in_the_language_of_the_question() {
        assert!(is_small("the", "en"));
        assert!(is_small("die", "de"));
        assert!(!is_small("die", "en"));
        assert!(is_small("les", "und"));
        assert!(!is_small("token", "und"));
    }
}
