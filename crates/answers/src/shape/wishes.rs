//! What was asked of the form of an answer, as far as it can be done without a model.

/// Forms that can be followed, and what is left over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Wishes {
    pub(super) bullets: bool,
    pub(super) numbered: bool,
    pub(super) one_sentence: bool,
    pub(super) short: bool,
    pub(super) citation_table: bool,
    pub(super) unknown: Vec<String>,
}

/// Words that tell a form, in four languages. The first that fits counts.
const FORMS: [(Form, &[&str]); 5] = [
    (
        Form::CitationTable,
        &[
            "table of citations",
            "table of sources",
            "citations as a table",
            "sources as a table",
            "citation table",
            "source table",
            "tabelle der quellen",
            "quellen als tabelle",
            "quellentabelle",
            "tabla de citas",
            "tabla de fuentes",
            "fuentes en una tabla",
            "tableau des sources",
            "tableau des citations",
        ],
    ),
    (
        Form::Numbered,
        &[
            "numbered",
            "number the",
            "nummeriert",
            "nummerierte",
            "numerada",
            "numerado",
            "numérotée",
            "numéroté",
        ],
    ),
    (
        Form::OneSentence,
        &[
            "one sentence",
            "single sentence",
            "1 sentence",
            "ein satz",
            "einem satz",
            "einen satz",
            "una frase",
            "una sola frase",
            "une phrase",
            "une seule phrase",
        ],
    ),
    (
        Form::Bullets,
        &[
            "bullet",
            "aufzählung",
            "stichpunkt",
            "spiegelstrich",
            "viñeta",
            "lista",
            "as a list",
            "als liste",
            "puces",
            "en liste",
            "list",
        ],
    ),
    (
        Form::Short,
        &[
            "short", "brief", "concise", "kurz", "knapp", "breve", "corto", "conciso", "court",
            "bref",
        ],
    ),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Bullets,
    Numbered,
    OneSentence,
    Short,
    CitationTable,
}

/// The most of an instruction that a note repeats.
const LONGEST: usize = 120;

impl Wishes {
    pub(super) fn of(instructions: &str) -> Self {
        let mut wishes = Self::default();
        for part in instructions.split([',', ';', '.', '\n']).map(str::trim).take(16) {
            let lower = part.to_lowercase();
            let joined = [" and ", " und ", " y ", " et "];
            let pieces = joined.iter().find_map(|word| {
                let (left, right) = lower.split_once(word)?;
                (form(left).is_some() && form(right).is_some()).then_some([left, right])
            });
            let forms: Vec<Option<Form>> = match pieces {
                Some(pieces) => pieces.map(form).to_vec(),
                None => vec![form(&lower)],
            };
            if part.is_empty() {
                continue;
            }
            for form in forms {
                match form {
                    Some(Form::Bullets) => wishes.bullets = true,
                    Some(Form::Numbered) => wishes.numbered = true,
                    Some(Form::OneSentence) => wishes.one_sentence = true,
                    Some(Form::Short) => wishes.short = true,
                    Some(Form::CitationTable) => wishes.citation_table = true,
                    None => {
                        let part = crate::phrase::one_line(part);
                        let end = part.floor_char_boundary(LONGEST);
                        wishes.unknown.push(part[..end].to_owned());
                    }
                }
            }
        }
        wishes
    }
}

fn form(text: &str) -> Option<Form> {
    FORMS
        .iter()
        .find(|(_, words)| words.iter().any(|word| text.contains(word)))
        .map(|(form, _)| *form)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_told_and_the_rest_is_kept() {
        let of = Wishes::of;
        assert_eq!(of("Use bullet points"), Wishes { bullets: true, ..Wishes::default() });
        assert_eq!(
            of("in einem Satz, bitte"),
            Wishes { one_sentence: true, unknown: vec!["bitte".to_owned()], ..Wishes::default() }
        );
        assert_eq!(of("lista numerada"), Wishes { numbered: true, ..Wishes::default() });
        assert_eq!(
            of("short and as a list"),
            Wishes { short: true, bullets: true, ..Wishes::default() }
        );
        assert_eq!(of("sources as a table"), Wishes { citation_table: true, ..Wishes::default() });
        assert_eq!(of("like a pirate").unknown, ["like a pirate"]);
        assert_eq!(of(""), Wishes::default());
    }
}
