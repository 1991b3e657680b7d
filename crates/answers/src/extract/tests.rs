use super::*;
use crate::plan::plan;

fn passage(name: &str, content: &str, before: usize, heading: &[&str]) -> Passage {
    Passage {
        chunk_id: format!("{name}:0"),
        source_id: name.to_owned(),
        source_hash: "hash".to_owned(),
        content: content.to_owned(),
        span: 1_000..1_000 + content.len() - before,
        page_number: None,
        url: None,
        title: Some(name.to_owned()),
        file_name: None,
        heading: heading.iter().map(|one| (*one).to_owned()).collect(),
        layout_type: "text".to_owned(),
        collection: None,
        relevance: 0.9,
    }
}

fn answered(question: &str, passages: &[Passage]) -> Draft {
    let plan = plan(question, &[]);
    let part =
        |question: &SubQuestion| Part { question: question.clone(), passages: passages.to_vec() };
    let parts: Vec<Part> = plan.questions.iter().map(part).collect();
    compose(&plan, &candidates(&parts, None), None)
}

fn lines(draft: &Draft) -> Vec<&str> {
    draft
        .answer
        .lines()
        .filter(|line| line.kind != Kind::Context)
        .map(|line| line.text.as_str())
        .collect()
}

const COLUMNS: &str =
    "| Plan | Monthly price | Storage | Support hours |\n| --- | --- | --- | --- |\n";

fn plans() -> Passage {
    let rows = "| Basic | 10 EUR | 5 GB | 9–17 |\n| Pro | 25 EUR | 50 GB | 8–20 |";
    passage("Plans", &format!("{COLUMNS}{rows}"), 0, &["Prices"])
}

#[test]
fn tables_are_answered_by_cell() {
    let check = |question: &str, expected: &str, row: &str| {
        let draft = answered(question, &[plans()]);
        assert_eq!(lines(&draft).first(), Some(&expected), "{question}");
        assert_eq!(draft.answer.citations[0].text_snippet, row, "{question}");
    };
    check(
        "What is the monthly price of the Pro plan?",
        "Pro – Monthly price: 25 EUR.",
        "| Pro | 25 EUR | 50 GB | 8–20 |",
    );
    check(
        "How much storage has Basic?",
        "Basic – Storage: 5 GB.",
        "| Basic | 10 EUR | 5 GB | 9–17 |",
    );
    check("support hours Pro", "Pro – Support hours: 8–20.", "| Pro | 25 EUR | 50 GB | 8–20 |");
}

#[test]
fn a_later_part_of_a_table_is_cited_by_its_own_bytes() {
    let row = "| Team | 99 EUR | 500 GB | 0–24 |";
    let part = passage("Plans", &format!("{COLUMNS}{row}"), COLUMNS.len(), &["Prices"]);
    let draft = answered("What is the monthly price of the Team plan?", &[part]);
    assert_eq!(lines(&draft), ["Team – Monthly price: 99 EUR."]);
    let citation = &draft.answer.citations[0];
    assert_eq!((citation.text_snippet.as_str(), citation.span), (row, (1_000, 1_000 + row.len())));
}

#[test]
fn a_sentence_that_answers_is_quoted_as_it_stands() {
    let text = "# Leave\n\nThe office closes at noon on Fridays. Unused days of leave must be taken by 30 April.";
    let draft = answered(
        "By when must unused days of leave be taken?",
        &[passage("Handbook", text, 0, &["Leave"])],
    );
    assert_eq!(lines(&draft), ["Unused days of leave must be taken by 30 April."]);
    let citation = &draft.answer.citations[0];
    let span = citation.span.0 - 1_000..citation.span.1 - 1_000;
    assert_eq!(&text[span], citation.text_snippet);
}

#[test]
fn what_is_not_there_is_refused() {
    for question in [
        "Who won the world cup of 2010?",
        "What is the monthly price of the Titan plan?",
        "",
        "????",
    ] {
        let draft = answered(question, &[plans()]);
        assert!(
            draft.answer.is_refusal() && draft.answer.citations.is_empty(),
            "{question}: {draft:?}"
        );
    }
    assert!(answered("monthly price", &[]).answer.is_refusal());
}

#[test]
fn sources_that_disagree_are_both_shown() {
    let minutes = passage("Minutes", "The library closes for the roof works on 2 June.", 0, &[]);
    let letter = passage("Newsletter", "For the roof works the library closes on 16 June.", 0, &[]);
    let draft = answered("When does the library close for the roof works?", &[minutes, letter]);
    assert_eq!(lines(&draft)[0], "Sources disagree:");
    let mut cited: Vec<_> =
        draft.answer.citations.iter().map(|one| one.source_id.as_str()).collect();
    cited.sort_unstable();
    assert_eq!(cited, ["Minutes", "Newsletter"]);
}

#[test]
fn a_comparison_has_a_paragraph_for_each_side() {
    let draft = answered("Compare the monthly price of Basic and Pro", &[plans()]);
    let titles: Vec<_> =
        draft.answer.blocks.iter().map(|block| block.title.as_deref().unwrap()).collect();
    assert_eq!(titles, ["Basic", "Pro"]);
    assert_eq!(lines(&draft), ["Basic – Monthly price: 10 EUR.", "Pro – Monthly price: 25 EUR."]);
}

#[test]
fn what_is_suggested_has_an_answer() {
    let hours = passage(
        "Hours",
        "# Opening hours\n\nThe museum opens at 10:00 and closes at 18:00.",
        0,
        &["Opening hours"],
    );
    let passages = [plans(), hours];
    let draft = answered("What is the monthly price of the Pro plan?", &passages);
    let suggested = crate::suggest(
        &["What is the monthly price of the Pro plan?"],
        &draft.answer,
        &passages,
        None,
    );
    assert!(!suggested.is_empty() && suggested.len() <= crate::MOST_SUGGESTIONS);
    for question in &suggested {
        assert!(!answered(question, &passages).answer.is_refusal(), "{question}");
    }
}

proptest::proptest! {
    #[test]
    fn any_text_gives_quotes_that_are_its_bytes(
        text in "(\\PC|\n|\\| |\\| --- \\||price|leave |\\. |\\*\\*|- ){0,120}",
        question in "(what|when|price|leave|who| |\\PC){0,20}",
        before in 0..3_usize,
    ) {
        let before = text.match_indices('\n').map(|(at, _)| at + 1).nth(before).unwrap_or(0);
        let one = passage("Any", &text, before, &["Price"]);
        let draft = answered(&question, std::slice::from_ref(&one));
        for citation in &draft.answer.citations {
            assert_eq!(one.quote(&(citation.span.0..citation.span.1)), Some(citation.text_snippet.as_str()));
        }
        assert_eq!(draft, answered(&question, std::slice::from_ref(&one)));
    }
}

#[test]
fn numbers_of_other_columns_are_no_contradiction() {
    let table = |name: &str, columns: &str, row: &str| {
        passage(name, &format!("{columns}\n| --- | --- |\n{row}"), 0, &[])
    };
    let question = "What does the Avocet bike cost a day?";
    let prices = table("Prices", "| bike | day |", "| Avocet bike | 32 |");
    let stock = table("Stock", "| bike | in stock |", "| Avocet bike | 12 |");
    let note = passage("Note", "Two more Avocet bikes are ordered.", 0, &[]);
    let said = answered(question, &[prices.clone(), stock, note]);
    assert_eq!(lines(&said).first(), Some(&"Avocet bike – day: 32."), "{said:?}");
    assert!(!said.answer.lines().any(|line| line.kind == Kind::Note), "{said:?}");
    // Of the same column they are one.
    let other = table("Old prices", "| Bike | Day |", "| Avocet bike | 30 |");
    let said = answered(question, &[prices, other]);
    assert_eq!(said.answer.lines().filter(|line| line.kind == Kind::Note).count(), 1, "{said:?}");
}

#[test]
fn what_answers_both_sides_is_said_once() {
    let text =
        "For a city bike the deposit is 50 euros, for a cargo bike the deposit is 200 euros.";
    let said = answered(
        "Compare the deposit for a city bike and for a cargo bike",
        &[passage("Faq", text, 0, &["Deposit"])],
    );
    assert_eq!(lines(&said), [text], "{said:?}");
}

#[test]
fn what_holds_during_something_is_no_answer_for_after_it() {
    const DURING: &str = "During the probation the notice period is two weeks.";
    const AFTER: &str = "After the probation the notice period is three months.";
    let check = |question: &str, text: &str, expected: &[&str]| {
        let said = answered(question, &[passage("Handbook", text, 0, &["Notice"])]);
        assert_eq!(lines(&said), expected, "{question}");
    };
    let both = format!("{DURING} {AFTER}");
    check("How long is the notice period during the probation?", &both, &[DURING]);
    check("How long is the notice period after the probation?", &both, &[AFTER]);
    let missing = ["This is not in the documents."];
    check("How long is the notice period after the probation?", DURING, &missing);
    check("How long is the notice period in the probation?", DURING, &[DURING]);
    check(
        "Wie lang ist die Kündigungsfrist nach der Probezeit?",
        "Während der Probezeit ist die Kündigungsfrist zwei Wochen. Nach der Probezeit ist die Kündigungsfrist drei Monate.",
        &["Nach der Probezeit ist die Kündigungsfrist drei Monate."],
    );
}
