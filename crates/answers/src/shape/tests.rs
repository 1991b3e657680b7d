use super::*;

fn answer() -> (Answer, Vec<Passage>) {
    let text = "It takes 14 days. It is free. Only [members](http://x) pay 5 EUR.";
    let passage = Passage {
        chunk_id: "a:0".to_owned(),
        source_id: "a".to_owned(),
        source_hash: "hash".to_owned(),
        content: text.to_owned(),
        span: 0..text.len(),
        page_number: Some(3),
        url: None,
        title: Some("Terms <b>".to_owned()),
        file_name: None,
        heading: Vec::new(),
        layout_type: "text".to_owned(),
        collection: None,
        relevance: 0.9,
    };
    let line = |from: usize, to: usize, at, kind| Line {
        text: text[from..to].to_owned(),
        cites: vec![at],
        kind,
    };
    let lines = vec![
        line(0, 17, 0, Kind::Claim),
        line(18, 29, 1, Kind::Claim),
        line(30, text.len(), 2, Kind::Context),
    ];
    let citations = [0..17, 18..29, 30..text.len()].map(|range| passage.cite(&range).unwrap());
    let block = Block { title: None, lines, list: false };
    (Answer { blocks: vec![block], citations: citations.to_vec() }, vec![passage])
}

fn text(persona: Persona, instructions: &str) -> String {
    let (answer, passages) = answer();
    shape(&answer, "How long?", persona, Some(instructions), &passages).text
}

#[test]
fn a_persona_chooses_what_is_said() {
    assert_eq!(text(Persona::Executive, ""), "It takes 14 days. [1]");
    assert_eq!(text(Persona::General, ""), "It takes 14 days. [1] It is free. [2]");
    let technical = text(Persona::Technical, "");
    assert!(technical.ends_with("pay 5 EUR. [3]"), "{technical}");
}

#[test]
fn forms_are_followed_and_what_cannot_be_is_said() {
    assert_eq!(text(Persona::General, "bullets"), "- It takes 14 days. [1]\n- It is free. [2]");
    assert_eq!(
        text(Persona::General, "numbered list"),
        "1. It takes 14 days. [1]\n2. It is free. [2]"
    );
    assert_eq!(text(Persona::Technical, "one sentence"), "It takes 14 days. [1]");
    let noted = text(Persona::Executive, "in the voice of a pirate");
    assert!(noted.contains("not followed") && noted.contains("voice of a pirate"), "{noted}");
    let table = text(Persona::Executive, "sources as a table");
    assert!(table.contains("| 1 | Terms \\<b\\> | 3 | It takes 14 days. |"), "{table}");
}

#[test]
fn markdown_has_no_markup_of_strangers() {
    let check = |text: &str, expected: &str| assert_eq!(markdown(text), expected);
    check(
        "See ![x](http://x) <b> `a` &lt; [1]",
        "See \\!\\[x\\](http://x) \\<b\\> \\`a\\` \\&lt; \\[1\\]",
    );
    check("Basic\nIt is free. [1]\n\nPro", "Basic\n\nIt is free. \\[1\\]\n\nPro");
    check("Members:\n- a ![x](y)\n* b\n2. c", "Members:\n\n- a \\!\\[x\\](y)\n- b\n2. c");
    check("| a \\! | 2 |\n|---|---|", "| a \\! | 2 |\n|---|---|");
    check("| ![x](y) | 2 |", "\\| \\!\\[x\\](y) \\| 2 \\|");
    check("| \\\\![x](y) |", "\\| \\\\\\\\\\!\\[x\\](y) \\|");
}

#[test]
fn the_text_has_no_pictures_and_the_contract_its_members() {
    let (mut answer, passages) = answer();
    answer.blocks[0].lines[0].text = "It ![takes](http://x/y.png) 14 days.".to_owned();
    let shaped = shape(&answer, "Wie lange?", Persona::Technical, None, &passages);
    assert!(shaped.text.starts_with("It [takes](http://x/y.png) 14 days. [1]"), "{}", shaped.text);
    let output = shaped.to_output(vec!["More?".to_owned()], 0.87654);
    assert_eq!(
        (output.tone_used.as_str(), output.confidence_score.as_str()),
        ("Technical", "0.8765")
    );
    assert_eq!(output.citations.len(), 3);
    assert_eq!(
        output.citations[0].extra.get("page_number").and_then(|page| page.as_number()?.as_u64()),
        Some(3)
    );
    assert_eq!(shaped.to_output(Vec::new(), f64::NAN).confidence_score.as_f64(), 0.0);
}

#[test]
fn a_refusal_is_in_the_language_of_the_question() {
    assert!(
        refusal("Was kostet das?").lines().next().unwrap().text.starts_with("Das weiß ich nicht")
    );
    assert!(refusal("What does it cost?").is_refusal());
}
