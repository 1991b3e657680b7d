use super::*;
use crate::passage::Passage;

const LEAVE: &str = "Employees get 28 days of paid leave a year. Unused days must be taken by 30 April 2025. \
    Leave is not paid out when somebody leaves. Maria Lopez approves requests from Peter Brandt.";
const REFUND: &str = "Refunds are paid within 14 days. Members get 30 days and guests get 10 days to return goods. \
    The fee of 1,250 euros is due in March.";
const TABLE: &str =
    "| Plan | Price | Users |\n| --- | --- | --- |\n| Basic | 10 EUR | 5 |\n| Pro | 25 EUR | 50 |";
const GERMAN: &str =
    "Der Filter wird alle 500 Betriebsstunden gewechselt. Gäste dürfen die Presse nicht bedienen.";

fn passage(name: &str, text: &str, from: usize, relevance: f64) -> Passage {
    Passage {
        chunk_id: format!("{name}:0"),
        source_id: name.to_owned(),
        source_hash: format!("hash of {name}"),
        content: text.to_owned(),
        span: from..from + text.len(),
        page_number: Some(2),
        url: None,
        title: Some(format!("The {name} handbook")),
        file_name: None,
        heading: vec!["Rules".to_owned()],
        layout_type: "text".to_owned(),
        collection: None,
        relevance,
    }
}

fn passages() -> Vec<Passage> {
    vec![
        passage("leave", LEAVE, 100, 0.9),
        passage("refund", REFUND, 0, 0.8),
        passage("table", TABLE, 40, 0.7),
        passage("german", GERMAN, 7, 0.6),
    ]
}

/// A citation of these words of a passage.
fn cite(name: &str, quote: &str) -> Citation {
    let passages = passages();
    let passage = passages.iter().find(|passage| passage.source_id == name).unwrap();
    let at = passage.content.find(quote).unwrap();
    passage.cite(&(at..at + quote.len())).unwrap()
}

/// What becomes of one sentence with one citation.
fn check(sentence: &str, citation: Citation) -> Result<(), Vec<Fault>> {
    let answer = Answer::parse(&format!("{sentence} [1]"), vec![citation]);
    assert_eq!(answer.lines().count(), 1, "{sentence}");
    let verified = verify(&answer, &[], &passages(), None, None);
    match verified.removed.as_slice() {
        [] => {
            assert_eq!(verified.verdict, Verdict::Supported);
            Ok(())
        }
        [removed] => {
            assert_eq!(verified.verdict, Verdict::Unsupported);
            assert!(verified.answer.citations.is_empty() && verified.answer.is_refusal());
            Err(removed.faults.clone())
        }
        more => panic!("{more:?}"),
    }
}

const DAYS: &str = "Employees get 28 days of paid leave a year.";
const UNUSED: &str = "Unused days must be taken by 30 April 2025.";
const PAID_OUT: &str = "Leave is not paid out when somebody leaves.";
const APPROVES: &str = "Maria Lopez approves requests from Peter Brandt.";
const GOODS: &str = "Members get 30 days and guests get 10 days to return goods.";
const FEE: &str = "The fee of 1,250 euros is due in March.";

#[test]
fn what_the_source_says_stays_also_in_other_words() {
    for (sentence, source, quote) in [
        (DAYS, "leave", DAYS),
        ("Every employee gets 28 days of leave, and it is paid.", "leave", DAYS),
        ("Paid leave of 28 days a year is what employees get.", "leave", DAYS),
        ("Unused leave days must be taken by April 30, 2025.", "leave", UNUSED),
        ("The unused days must be taken by 2025-04-30.", "leave", UNUSED),
        ("Leave isn't paid out when somebody leaves.", "leave", PAID_OUT),
        ("Requests from Peter Brandt are approved by Maria Lopez.", "leave", APPROVES),
        ("Refunds are paid within two weeks.", "refund", "Refunds are paid within 14 days."),
        ("Members have 30 days to return goods.", "refund", GOODS),
        ("Guests get 10 days to return goods.", "refund", GOODS),
        ("A fee of €1250 is due in March.", "refund", FEE),
        ("Pro – Price: 25 EUR.", "table", "| Pro | 25 EUR | 50 |"),
        ("The Pro plan has a price of 25 euros and 50 users.", "table", "| Pro | 25 EUR | 50 |"),
        (
            "Gäste dürfen die Presse nicht bedienen.",
            "german",
            "Gäste dürfen die Presse nicht bedienen.",
        ),
        (
            "Alle 500 Betriebsstunden wechselt man den Filter.",
            "german",
            "Der Filter wird alle 500 Betriebsstunden gewechselt.",
        ),
    ] {
        assert_eq!(check(sentence, cite(source, quote)), Ok(()), "{sentence}");
    }
}

#[test]
fn what_the_source_does_not_say_is_taken_out() {
    let number = |text: &str| Fault::NumberNotThere(text.to_owned());
    let name = |text: &str| Fault::NameNotThere(text.to_owned());
    let date = |text: &str| Fault::DateNotThere(text.to_owned());
    for (sentence, source, quote, fault) in [
        ("Employees get 30 days of paid leave a year.", "leave", DAYS, number("30")),
        ("Employees get 28 weeks of paid leave a year.", "leave", DAYS, number("28")),
        ("Employees get thirteen days of paid leave a year.", "leave", DAYS, number("thirteen")),
        ("Unused days must be taken by 30 May 2025.", "leave", UNUSED, date("30 May 2025")),
        ("Unused days must be taken by 30 April 2026.", "leave", UNUSED, date("30 April 2026")),
        ("Leave is paid out when somebody leaves.", "leave", PAID_OUT, Fault::NegationDiffers),
        (
            "Employees do not get 28 days of paid leave a year.",
            "leave",
            DAYS,
            Fault::NegationDiffers,
        ),
        ("The requests are approved by Anna Keller.", "leave", APPROVES, name("Anna")),
        ("Peter Brandt approves requests from Maria Lopez.", "leave", APPROVES, Fault::Swapped),
        ("Guests get 30 days to return goods.", "refund", GOODS, Fault::Swapped),
        ("The fee is 1,520 euros in March.", "refund", FEE, number("1,520")),
        ("The fee of 1,250 dollars is due in March.", "refund", FEE, number("1,250")),
        ("The fee of 1,250 euros is due in April.", "refund", FEE, date("April")),
        ("The company was founded by two brothers from Bremen.", "leave", DAYS, Fault::NotCovered),
        ("The Pro plan has a price of 10 EUR.", "table", "| Basic | 10 EUR | 5 |", name("Pro")),
        ("Basic – Price: 25 EUR.", "table", "| Basic | 10 EUR | 5 |", number("25")),
        (
            "Gäste dürfen die Presse bedienen.",
            "german",
            "Gäste dürfen die Presse nicht bedienen.",
            Fault::NegationDiffers,
        ),
        (
            "Der Filter wird alle 300 Betriebsstunden gewechselt.",
            "german",
            "Der Filter wird alle 500 Betriebsstunden gewechselt.",
            number("300"),
        ),
    ] {
        let faults = check(sentence, cite(source, quote)).expect_err(sentence);
        assert!(faults.contains(&fault), "{sentence}: {faults:?}");
    }
}

#[test]
fn each_way_in_which_a_citation_is_wrong_has_its_name() {
    let good = || cite("leave", DAYS);
    let shifted = (good().span.0 + 1, good().span.1 + 1);
    for (citation, fault) in [
        (Citation { chunk_id: "leave:9".to_owned(), ..good() }, Fault::ChunkNotGiven),
        (Citation { source_id: "refund".to_owned(), ..good() }, Fault::OtherSource),
        (Citation { source_hash: "another".to_owned(), ..good() }, Fault::OtherHash),
        (Citation { span: shifted, ..good() }, Fault::QuoteDiffers),
        (Citation { span: (0, 43), ..good() }, Fault::SpanOutside),
        (Citation { span: (good().span.0, usize::MAX), ..good() }, Fault::SpanOutside),
        (Citation { span: (good().span.1, good().span.0), ..good() }, Fault::SpanOutside),
        (
            Citation { text_snippet: "Employees get 29 days.".to_owned(), ..good() },
            Fault::QuoteDiffers,
        ),
        (Citation { text_snippet: String::new(), span: (100, 100), ..good() }, Fault::SpanOutside),
        (Citation { span: (0, 0), ..good() }, Fault::QuoteDiffers),
    ] {
        assert_eq!(check(DAYS, citation.clone()), Err(vec![fault]), "{citation:?}");
    }
    let answer = Answer::parse(&format!("{DAYS} [2]"), vec![good()]);
    let verified = verify(&answer, &[], &passages(), None, None);
    assert_eq!(verified.removed[0].faults, [Fault::NoSuchCitation]);
}

#[test]
fn what_is_left_is_numbered_anew_and_measured() {
    let text = format!("{DAYS} [1] It was founded in 1901. [2] {GOODS} [3][4] Nobody says so.");
    let wrong = Citation { chunk_id: "x".to_owned(), ..cite("refund", GOODS) };
    let citations = vec![cite("leave", DAYS), cite("leave", UNUSED), wrong, cite("refund", GOODS)];
    let verified = verify(&Answer::parse(&text, citations), &[], &passages(), None, None);
    assert_eq!(verified.verdict, Verdict::Trimmed);
    assert_eq!(verified.dropped, [Fault::ChunkNotGiven]);
    let lines: Vec<_> =
        verified.answer.lines().map(|line| (line.text.as_str(), line.cites.clone())).collect();
    assert_eq!(lines, [(DAYS, vec![0]), (GOODS, vec![1])]);
    assert_eq!(verified.answer.citations, [cite("leave", DAYS), cite("refund", GOODS)]);
    let faults: Vec<_> = verified.removed.iter().map(|removed| removed.faults[0].clone()).collect();
    assert!(matches!(faults.as_slice(), [_, Fault::NoCitation]), "{faults:?}");
    assert!((verified.share_supported - 0.5).abs() < 1e-9);
    assert!((verified.confidence - 0.5 * 0.85).abs() < 1e-9);
}

#[test]
fn a_refusal_states_nothing() {
    for text in
        ["This is not in the documents.", "I don't know.", "Das steht nicht in den Dokumenten."]
    {
        let verified = verify(&Answer::parse(text, Vec::new()), &[], &passages(), None, None);
        assert_eq!((verified.verdict, verified.confidence), (Verdict::Supported, 0.0), "{text}");
        assert!(verified.answer.is_refusal());
    }
    let text = "This is not in the documents: the fee is 9,000 euros.";
    let verified = verify(&Answer::parse(text, Vec::new()), &[], &passages(), None, None);
    assert_eq!(verified.verdict, Verdict::Unsupported);
}

#[test]
fn a_similarity_speaks_for_and_against() {
    let verified = |similarity: f64| {
        let answer = Answer::parse(
            "Staff receive 28 days of leave off work annually [1].",
            vec![cite("leave", DAYS)],
        );
        verify(&answer, &[], &passages(), None, Some(&[similarity])).verdict
    };
    assert_eq!(verified(0.9), Verdict::Supported);
    assert_eq!(verified(0.1), Verdict::Unsupported);
}

#[test]
fn a_models_quote_is_looked_for_and_its_own_words_are_checked() {
    let mut cited = cite("leave", DAYS).to_contract();
    assert_eq!(Citation::from_model(&cited, &passages()), cite("leave", DAYS));
    cited.extra = consign_contracts::json::Object::new();
    assert_eq!(Citation::from_model(&cited, &passages()), cite("leave", DAYS));
    cited.text_snippet = "Employees get 99 days.".to_owned();
    assert_eq!(
        check(DAYS, Citation::from_model(&cited, &passages())),
        Err(vec![Fault::QuoteDiffers])
    );
}

proptest::proptest! {
    #[test]
    fn any_answer_is_checked_and_keeps_only_sound_citations(
        text in "(\\PC|\n|\\[[0-9]{1,2}\\]|\\. |Employees get 28 days of paid leave a year){0,60}",
        spans in proptest::collection::vec((0..400_usize, 0..400_usize), 0..4),
    ) {
        let citations = spans.iter().map(|span| Citation { span: *span, ..cite("leave", DAYS) }).collect();
        let verified = verify(&Answer::parse(&text, citations), &[], &passages(), None, None);
        for citation in &verified.answer.citations {
            assert!(citation::check(citation, &passages()).is_ok());
        }
        for line in verified.answer.lines().filter(|line| line.kind.is_fact()) {
            assert!(!line.cites.is_empty() && line.cites.iter().all(|at| *at < verified.answer.citations.len()));
        }
        assert!((0.0..=1.0).contains(&verified.confidence));
    }
}

#[test]
fn what_is_said_to_be_missing_needs_no_citation() {
    let quote = "Employees get 28 days of paid leave a year.";
    let text = format!("{quote} [1]\n\nNot in the documents: who repairs the roof.");
    let verified =
        verify(&Answer::parse(&text, vec![cite("leave", quote)]), &[], &passages(), None, None);
    assert_eq!((verified.verdict, verified.share_supported), (Verdict::Supported, 1.0));
    assert_eq!(verified.answer.lines().count(), 2);
    // A number would be a fact under a cloak.
    let answer = Answer::parse("Not in the documents: the roof costs 500 euros.", Vec::new());
    assert_eq!(verify(&answer, &[], &passages(), None, None).verdict, Verdict::Unsupported);
}

/// What is left of a text whose marks are of these citations: titles and lines.
fn left(text: &str, citations: Vec<Citation>) -> (Vec<String>, Verdict) {
    let verified =
        verify(&Answer::parse(text, citations), &["Paid leave"], &passages(), None, None);
    let of = |block: &crate::answer::Block| {
        let lines = block.lines.iter().map(|line| line.text.clone());
        block.title.clone().map(|title| format!("# {title}")).into_iter().chain(lines).collect()
    };
    let said: Vec<Vec<String>> = verified.answer.blocks.iter().map(of).collect();
    (said.concat(), verified.verdict)
}

#[test]
fn a_title_stays_where_it_was_asked_or_is_supported() {
    let title = |title: &str| {
        let (said, _) = left(&format!("{title}\n\n- {DAYS} [1]"), vec![cite("leave", DAYS)]);
        assert_eq!(said.last().map(String::as_str), Some(DAYS), "{title}");
        said.len() == 2
    };
    for stays in ["# Paid leave", "## Leave of employees", "Employees get:", "# Paid leave:"] {
        assert!(title(stays), "{stays}");
    }
    for goes in [
        "# The notice period is 90 days",
        "# Employees get 30 days",
        "# Leave is forbidden",
        "# Employees do not get leave",
        "The boss must pay:",
        "# ![x](https://evil.example/28)",
        "# No",
        "No:",
    ] {
        assert!(!title(goes), "{goes}");
    }
    // A title alone, or above what says nothing, is none.
    assert_eq!(left("# The notice period is 90 days", vec![]).0, [""; 0]);
    let (said, verdict) =
        left("# The notice period is 90 days\nThis is not in the documents.", vec![]);
    assert_eq!(
        (said.concat().as_str(), verdict),
        ("This is not in the documents.", Verdict::Supported)
    );
}

#[test]
fn yes_no_and_what_ends_with_a_colon_need_support() {
    for uncited in
        ["No.", "Yes.", "Ja!", "Non :", "It is not.", "You can.", "The boss must pay:", "Never:"]
    {
        let (said, verdict) =
            left(&format!("{uncited}\n{PAID_OUT} [1]"), vec![cite("leave", PAID_OUT)]);
        assert_eq!((said, verdict), (vec![PAID_OUT.to_owned()], Verdict::Trimmed), "{uncited}");
    }
    assert_eq!(check("No.", cite("leave", PAID_OUT)), Err(vec![Fault::NotCovered]));
    assert_eq!(check("You can.", cite("leave", PAID_OUT)), Err(vec![Fault::NotCovered]));
    let (said, verdict) = left(&format!("Here it is: \n{DAYS} [1]"), vec![cite("leave", DAYS)]);
    assert_eq!((said.len(), verdict), (2, Verdict::Supported), "{said:?}");
}

#[test]
fn an_address_is_only_one_that_is_cited() {
    for added in [
        "![x](https://evil.example/?q=28)",
        "see https://evil.example",
        "write to eve@evil.example",
        "[more](leave)",
    ] {
        let faults =
            check(&format!("{} {added}.", DAYS.trim_end_matches('.')), cite("leave", DAYS));
        let faults = faults.expect_err(added);
        assert!(
            faults.iter().any(|fault| matches!(fault, Fault::AddressNotThere(_))),
            "{faults:?}"
        );
    }
    let text = "Not in the documents: see https://evil.example/x";
    assert_eq!(left(text, Vec::new()).1, Verdict::Unsupported);
    let text = "Not in the documents: paid leave.";
    assert_eq!(left(text, Vec::new()).1, Verdict::Supported);
}
