use super::*;

fn asked(message: &str, before: &[&str]) -> Plan {
    let history: Vec<Said<'_>> =
        before.iter().map(|content| Said { role: "user", content }).collect();
    plan(message, &history)
}

fn searched(message: &str, before: &[&str]) -> Vec<String> {
    asked(message, before).questions.into_iter().map(|question| question.search).collect()
}

#[test]
fn one_question_stays_one() {
    for message in [
        "What is the notice period?",
        "Wie hoch ist der Beitrag für Kinder und Jugendliche?",
        "¿Cuándo abre la piscina?",
        "salt and pepper",
        "",
        "???",
        "退款需要多少天？",
    ] {
        let plan = asked(message, &[]);
        assert_eq!((plan.questions.len(), plan.shape), (1, Shape::Single), "{message}");
    }
    assert_eq!(asked("Who signs it?", &[]).questions[0].asks, Asks::Who);
    assert_eq!(asked("Wie lange dauert es?", &[]).questions[0].asks, Asks::HowLong);
    assert_eq!(asked("¿Cuántos socios hay?", &[]).questions[0].asks, Asks::HowMany);
    assert_eq!(asked("Combien coûte le billet ?", &[]).questions[0].asks, Asks::HowMuch);
}

#[test]
fn questions_that_are_joined_are_taken_apart() {
    let check = |message: &str, expected: &[&str]| {
        let plan = asked(message, &[]);
        assert_eq!(plan.shape, Shape::Parts, "{message}");
        assert_eq!(searched(message, &[]), expected, "{message}");
    };
    check("What is the deposit and when does the season begin?", &["deposit", "season begin"]);
    check("Wie hoch ist die Kaution, und ab wann gilt der Vertrag?", &["Kaution", "gilt Vertrag"]);
    check("¿Cuánto cuesta el abono y dónde se compra?", &["cuesta abono", "compra cuesta abono"]);
    check("Who runs the shop? Where is the office?", &["runs shop", "office"]);
    let many = "What is A1? What is B2? What is C3? What is D4? What is E5?";
    assert_eq!(asked(many, &[]).questions.len(), MOST_QUESTIONS);
}

#[test]
fn a_comparison_has_a_question_for_each_side() {
    let check = |message: &str, sides: &[&str], searched_for: &[&str]| {
        let plan = asked(message, &[]);
        assert_eq!(plan.shape, Shape::Compare, "{message}");
        let titles: Vec<_> =
            plan.questions.iter().map(|one| one.title.as_deref().unwrap()).collect();
        assert_eq!(titles, sides, "{message}");
        assert_eq!(searched(message, &[]), searched_for, "{message}");
    };
    check(
        "What is the difference in price between Basic and Pro?",
        &["Basic", "Pro"],
        &["price Basic", "price Pro"],
    );
    check(
        "Compare the notice period of Basic and Pro",
        &["Basic", "Pro"],
        &["notice period Basic", "notice period Pro"],
    );
    check(
        "Was ist der Unterschied zwischen Silber und Gold?",
        &["Silber", "Gold"],
        &["Silber", "Gold"],
    );
    check(
        "¿Qué diferencia hay entre el plan Azul y el plan Rojo?",
        &["plan Azul", "plan Rojo"],
        &["plan Azul", "plan Rojo"],
    );
    check("Quelle est la différence entre Rouge et Vert ?", &["Rouge", "Vert"], &["Rouge", "Vert"]);
    check("Basic vs Pro", &["Basic", "Pro"], &["Basic", "Pro"]);
    check("Which one weighs more, C2 or C3?", &["C2", "C3"], &["weighs C2", "weighs C3"]);
}

#[test]
fn a_follow_up_takes_its_subject_from_the_question_before() {
    let check = |message: &str, before: &[&str], expected: &str| {
        assert_eq!(searched(message, before), [expected], "{message}");
    };
    check(
        "and for managers?",
        &["What is the notice period for trainees?"],
        "managers notice period",
    );
    check(
        "What about Germany?",
        &["How many vacation days are there in Spain?"],
        "Germany vacation days",
    );
    check("Who signs it?", &["Where is the lease kept?"], "signs lease kept");
    check("Und für Gäste?", &["Wie hoch ist der Beitrag für Mitglieder?"], "Gäste Beitrag");
    check("¿Y en invierno?", &["¿Cuándo abre el museo en verano?"], "invierno abre museo");
    check("Et pour les enfants ?", &["Quel est le prix pour les adultes ?"], "enfants prix");
    // Each follow-up stands on the one before.
    check("and when?", &["Who repairs the bridge?", "and for how much?"], "repairs bridge");
    // What has a subject of its own is no follow-up, and what was answered is not carried over.
    check(
        "What does the annual ticket for the tower cost?",
        &["Who repairs the bridge?"],
        "annual ticket tower cost",
    );
    let history = [Said { role: "assistant", content: "Ask about the secret vault." }];
    assert_eq!(plan("and when?", &history).questions[0].carried, Vec::<String>::new());
}

proptest::proptest! {
    #[test]
    fn any_message_has_a_plan(message in "\\PC{0,200}", before in "\\PC{0,100}") {
        let plan = asked(&message, &[&before]);
        assert!((1..=MOST_QUESTIONS).contains(&plan.questions.len()));
        assert_eq!(plan, asked(&message, &[&before]));
    }
}
