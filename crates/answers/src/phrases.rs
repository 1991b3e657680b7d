//! The few sentences that are ours, in the language of the question.

use consign_knowledge::Language;

pub(crate) struct Phrases {
    pub(crate) not_there: &'static str,
    /// Before the title of what is missing.
    pub(crate) not_there_about: &'static str,
    pub(crate) disagree: &'static str,
    pub(crate) unknown: &'static str,
    pub(crate) sources: &'static str,
    pub(crate) page: &'static str,
}

const ENGLISH: Phrases = Phrases {
    not_there: "This is not in the documents.",
    not_there_about: "Not in the documents:",
    disagree: "Sources disagree:",
    unknown: "I don't know: the documents do not support an answer.",
    sources: "Sources",
    page: "page",
};
const GERMAN: Phrases = Phrases {
    not_there: "Das steht nicht in den Dokumenten.",
    not_there_about: "Nicht in den Dokumenten:",
    disagree: "Die Quellen widersprechen sich:",
    unknown: "Das weiß ich nicht: die Dokumente belegen keine Antwort.",
    sources: "Quellen",
    page: "Seite",
};
const SPANISH: Phrases = Phrases {
    not_there: "Esto no está en los documentos.",
    not_there_about: "No está en los documentos:",
    disagree: "Las fuentes no coinciden:",
    unknown: "No lo sé: los documentos no respaldan ninguna respuesta.",
    sources: "Fuentes",
    page: "página",
};
const FRENCH: Phrases = Phrases {
    not_there: "Cela ne figure pas dans les documents.",
    not_there_about: "Ne figure pas dans les documents :",
    disagree: "Les sources se contredisent :",
    unknown: "Je ne sais pas : les documents n'étayent aucune réponse.",
    sources: "Sources",
    page: "page",
};

#[expect(clippy::wildcard_enum_match_arm, reason = "all others are answered in English")]
pub(crate) fn of(language: Language) -> &'static Phrases {
    match language {
        Language::German => &GERMAN,
        Language::Spanish => &SPANISH,
        Language::French => &FRENCH,
        _ => &ENGLISH,
    }
}
