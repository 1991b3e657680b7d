//! What an older Consign left behind is migrated and goes on.
//!
//! `tests/older/N.sql` is a database of version N as text, with its large values as hex at the end.
//! (1 to 4 were made of 5 with the migrations of then, before anything was released.) These files
//! never change: a migration that is touched afterwards would no longer bring them to the tables of
//! a new home, and is found out here.
//!
//! A new migration comes with a file of its own. Let [`story`] write what the new tables are for, say
//! in the lists below from which version on that is there, and then
//!
//! ```text
//! cargo test -p consign-store --test it -- --ignored older::writes_a_file_of_this_version
//! ```
//!
//! and add the file to [`OLDER`].

use std::{fs, path::Path, time::Duration};

use consign_accounts::{
    AccountStore, CodeTry, Counted, Digest, Email, KeptAttempt, Limit, NewCode, NewSession,
    NewToken, NewUser, OutsideSignIn, PasswordHash, Provider, Purpose, Role, Scopes, Secret,
    Setting, SettingsStore, SignedInOutside, Subject, Tried, UserId,
};
use consign_contracts::crew::LayoutType;
use consign_engine::{
    AskKind, At, Nanos, Owner, Seq, Status,
    discussion::{Comment, Discussion, Revised},
    journal::{Chain, Hash},
    store::{
        AskState, Figures, InboxQuery, Interaction, NewRun, Placement, RunQuery, Store, Wanted,
    },
    vault::{Sealed, Vault},
};
use consign_knowledge::{
    About, Ask, Chunk, ChunkId, Draft as DocumentDraft, Filters, Index, Progress, SourceId,
    SourceQuery, Vector, Version,
    conversation::{Conversations, Ended, LastTurn, Message as Said, SessionQuery, TurnEnd},
};
use consign_store::SqliteStore;
use consign_testkit::draft::{DAWN, Draft, WORKFLOW, advice, answer, claim_of, json, new_run};
use rusqlite::Connection;

use crate::ground::{Home, held, step};

/// By version, from the first on.
const OLDER: [&str; 16] = [
    include_str!("../older/1.sql"),
    include_str!("../older/2.sql"),
    include_str!("../older/3.sql"),
    include_str!("../older/4.sql"),
    include_str!("../older/5.sql"),
    include_str!("../older/6.sql"),
    include_str!("../older/7.sql"),
    include_str!("../older/8.sql"),
    include_str!("../older/9.sql"),
    include_str!("../older/10.sql"),
    include_str!("../older/11.sql"),
    include_str!("../older/12.sql"),
    include_str!("../older/13.sql"),
    include_str!("../older/14.sql"),
    include_str!("../older/15.sql"),
    include_str!("../older/16.sql"),
];

/// Something that a file tells from this version on.
struct Told(usize, &'static str);

/// Runs: owner, placement, priority, status, newest event, epoch, holder, instant, money.
const RUNS: [Told; 6] = [
    Told(1, "done ada anywhere 0 succeeded 1 1 - - 7 0 -"),
    Told(1, "held ada anywhere 0 running 2 1 w1 - 3 2 9"),
    Told(1, "due bob host:desk 5 waiting 0 0 - 1800003600000000 0 0 -"),
    Told(1, "next bob foreground -1 queued 0 0 - - 0 0 -"),
    Told(3, "asks bob anywhere 0 waiting 5 2 - - 0 0 -"),
    Told(4, "large cy anywhere 0 running 1 1 w1 - 0 0 -"),
];

/// Owners: spent, reserved, cap.
const ACCOUNTS: [Told; 4] =
    [Told(1, "ada 10 2"), Told(1, "bob 0 0"), Told(2, "dan 0 0 100"), Told(4, "cy 0 0")];

/// Open asks: kind, deadline, default, code.
const INBOX: [Told; 2] = [
    Told(3, "asks when clarification 1800086400000000 \"noon\""),
    Told(3, "asks @outcome:send@1 intervention - -"),
];

/// Sealed secrets: owner, name, bytes, instant.
const SEALED: [Told; 2] = [
    Told(6, "ada openai [0, 1, 39, 255] 1800000000000000"),
    Told(6, "bob openai [] 1800000000000000"),
];

/// Users: address, role, state, whether there is a password, tokens.
const USERS: [Told; 3] = [
    Told(
        10,
        "Ada@Example.org admin verified password [\"id-of-t1 - jobs answer\", \"id-of-t2 ci\"]",
    ),
    Told(10, "bob@example.org member unverified password []"),
    Told(10, "cy@example.org member verified - []"),
];

/// Settings of `ada`: name, value.
const SETTINGS: [Told; 1] = [Told(11, "agents/trace {\"model\":\"it's\"}")];

/// Documents of `ada`: identifier, chunks, vectors, what a search finds.
const DOCUMENTS: [Told; 1] =
    [Told(13, "it's.txt 2 1 of 2 Refunds take 14 days. 1.0 | 1 of 1 for \"14 days\"")];

/// What was said about `done`: comments, then revisions.
const SAID: [Told; 2] =
    [Told(14, "1 it's good"), Told(14, "again done edit files shorter, it's long")];

/// Conversations of `ada`: session, turns, preferences, what was said, how many runs are to be redacted.
const CONVERSATIONS: [Told; 1] =
    [Told(15, r#"it's 1 {"persona":"it's"} ["user: how long?", "assistant: it's 14 days"] 1"#)];

/// From this version on there are users.
const USED: usize = 10;

/// From this version on an ask has its code.
const CODED: usize = 5;

/// From this version on an ask has its agent.
const NAMED: usize = 7;

/// From this version on a run has a label, an ask who answered it, and a foreground run goes on without its command.
const LABELLED: usize = 9;

/// Writes all that a file is to hold.
async fn story(store: &SqliteStore) {
    let figures = |spent, reserved, cap: Option<u64>| {
        let cap = cap.map(Nanos::new);
        Figures { spent: Nanos::new(spent), reserved: Nanos::new(reserved), cap }
    };
    let done = held(store, "done").await;
    let draft = Draft::after(&done).completes("call", r#"{"it's":"done"}"#).spends(7);
    let closed = draft.figures(figures(7, 0, None)).closed(Status::Succeeded);
    store.commit(closed.by(&claim_of(&done))).await.unwrap();

    let row = held(store, "held").await;
    let draft = Draft::after(&row).completes("call", "1").reserves(2).spends(3);
    let draft = draft.figures(figures(3, 2, Some(9))).snapshot(r#"{"calls":1}"#);
    store.commit(draft.by(&claim_of(&row))).await.unwrap();
    let row = store.row(&row.id).await.unwrap();
    store.deliver(advice(&row, "be quick")).await.unwrap();

    let bobs = |name: &str| NewRun { owner: Owner::from("bob"), ..new_run(name) };
    let run = NewRun { placement: Placement::Host("desk".into()), priority: 5, ..bobs("due") };
    let first = Draft::first(&run, DAWN).parked_until(DAWN + Duration::from_secs(3_600));
    store.create(run, first.unclaimed()).await.unwrap();
    let run = NewRun { placement: Placement::Foreground, priority: -1, ..bobs("next") };
    let first = Draft::first(&run, DAWN);
    store.create(run, first.unclaimed()).await.unwrap();
    store.set_cap(&Owner::from("dan"), Some(Nanos::new(100))).await.unwrap();

    let run = bobs("asks");
    let first = Draft::first(&run, DAWN).held_by("w1");
    store.create(run, first).await.unwrap();
    let row = store.row(&"asks".into()).await.unwrap();
    let ask = |key: &str, kind| Interaction {
        run: "asks".into(),
        key: key.into(),
        kind,
        code: None,
        agent: None,
        prompt: format!("{key}?"),
        schema: json(r#"{"type":"string"}"#),
        deadline: None,
        default: None,
        opened_at: DAWN,
        state: AskState::Open,
        answered: None,
    };
    let deadline = Some(DAWN + Duration::from_secs(86_400));
    let when = Interaction {
        deadline,
        default: Some(json(r#""noon""#)),
        ..ask("when", AskKind::Clarification)
    };
    let code = Some("OUTCOME_UNKNOWN".to_owned());
    let agent = Some("mailer".to_owned());
    let unknown = Interaction {
        code,
        agent: agent.map(consign_engine::AgentName::from),
        ..ask("@outcome:send@1", AskKind::Intervention)
    };
    let draft = Draft::after(&row).opens(ask("who", AskKind::Clarification)).opens(when);
    store.commit(draft.opens(unknown).parked().by(&claim_of(&row))).await.unwrap();
    let row = store.row(&row.id).await.unwrap();
    store.deliver(answer(&row, "who", r#""Ada""#)).await.unwrap();
    let row = store.claim_run(&"w1".into(), &row.id).await.unwrap().row;
    let draft = Draft::after(&row).completes("call", "1").labelled(Some("draft")).parked();
    store.commit(draft.by(&claim_of(&row))).await.unwrap();

    let run = NewRun { owner: Owner::from("cy"), ..new_run("large") };
    let first = Draft::first(&run, DAWN).completes("call", large("x")).snapshot(large("s"));
    store.create(run, first.held_by("w1")).await.unwrap();

    for (owner, bytes) in [("bob", vec![]), ("ada", vec![0, 1, 39, 255])] {
        let name = "openai".to_owned();
        let secret = Sealed { owner: owner.into(), name, bytes, at: DAWN };
        store.keep(secret, false).await.unwrap();
    }
    story_of_users(store).await;
    story_of_documents(store).await;
    story_of_conversations(store).await;
    let (name, value) = ("agents/trace".to_owned(), json(r#"{"model":"it's"}"#));
    store.put_setting(&"ada".into(), Setting { name, value, at: DAWN }).await.unwrap();
    let comment = Comment {
        run: "done".into(),
        id: "1".to_owned(),
        owner: "ada".into(),
        author: "cli:ada".into(),
        at: DAWN,
        text: "it's good".to_owned(),
    };
    store.add_comment(comment).await.unwrap();
    let revised = Revised {
        run: "again".into(),
        parent: "done".into(),
        first: "done".into(),
        owner: "ada".into(),
        at: DAWN,
        instruction: "shorter, it's long".to_owned(),
        mode: "edit".to_owned(),
        scope: "files".to_owned(),
    };
    store.add_revision(revised).await.unwrap();
}

/// A document with two chunks, one of which has a vector.
async fn story_of_documents(store: &SqliteStore) {
    let text = "Refunds take 14 days. It's free.";
    let chunk = |span| Chunk {
        span,
        content: None,
        page: None,
        layout: LayoutType::Text,
        heading: vec!["It's".to_owned()],
        bbox: None,
    };
    let about = About {
        collection: "default".to_owned(),
        source_type: "local".to_owned(),
        identifier: "it's.txt".to_owned(),
        url: None,
        checksum: "00".to_owned(),
        kind: "txt".to_owned(),
        file_type: "txt".to_owned(),
        file_name: Some("it's.txt".to_owned()),
        title: None,
        metadata: serde_json::Map::from_iter([("team".to_owned(), "it's".into())]),
        pages: 1,
        ingested_at: DAWN,
    };
    let chunks = vec![chunk(0..21), chunk(22..32)];
    let version =
        Version::of(&"ada".into(), DocumentDraft { about, text: text.to_owned(), chunks }).unwrap();
    let id = ChunkId { document: version.document.clone(), index: 0 };
    Index::put(store, &"ada".into(), vec![version]).await.unwrap();
    let vector = Vector::of(&[1.0, 0.0]).unwrap();
    store.add_vectors(&"ada".into(), "m", vec![(id, vector)]).await.unwrap();
}

async fn reads_documents(store: &SqliteStore, number: usize) {
    let ada = "ada".into();
    let mut documents = Vec::new();
    for source in store.sources(&ada, &SourceQuery::default()).await.unwrap() {
        assert_eq!(Index::source(store, &ada, &source.id).await.unwrap().as_ref(), Some(&source));
        let text = store.text(&ada, &source.document, 0..21).await.unwrap().unwrap();
        let Progress { done, total } = store.progress(&ada, "m").await.unwrap();
        let filters = Filters::default().and("team", "it's");
        let question = "refund in days".to_owned();
        let ask = Ask { question, vector: None, filters, top_k: 5, min_relevance: 0.7 };
        let found = store.find(&ada, &ask).await.unwrap();
        let hit = &found.hits[0];
        let (identifier, chunks) = (&source.about.identifier, source.chunks);
        documents.push(format!(
            "{identifier} {chunks} {done} of {total} {text} {:.1} | {} of {} for {:?}",
            hit.relevance,
            found.hits.len(),
            found.total,
            &hit.chunk.content[13..20],
        ));
    }
    let told = DOCUMENTS.iter().filter(|Told(from, _)| *from <= number).map(|Told(_, what)| *what);
    assert_eq!(documents, told.collect::<Vec<_>>(), "version {number}");
}

/// A conversation of one turn, whose run had passages of a source that was removed since.
async fn story_of_conversations(store: &SqliteStore) {
    let ada = "ada".into();
    let of = store.open(&ada, "it's", "drawn", DAWN).await.unwrap();
    let said = |role: &str, content: &str| Said {
        role: role.to_owned(),
        content: content.to_owned(),
        at: DAWN,
    };
    let gone = SourceId::of(&ada, "default", "gone.txt");
    let turn = TurnEnd {
        id: of.id.clone(),
        number: 0,
        run: Some("done".into()),
        messages: vec![said("user", "how long?"), said("assistant", "it's 14 days")],
        last: LastTurn { plan: Some(json("[]")), context: json("[]") },
        preferences: json(r#"{"persona":"it's"}"#),
        marks: Some(json("{}")),
        sources: vec![gone.clone()],
        at: DAWN,
    };
    assert_eq!(store.end_turn(&ada, "it's", turn).await.unwrap(), Ended::Done);
    store.forget_source(&ada, &gone).await.unwrap();
}

async fn reads_conversations(store: &SqliteStore, number: usize) {
    let ada = "ada".into();
    let query = SessionQuery { after: None, most: 9 };
    let mut conversations = Vec::new();
    for listed in Conversations::list(store, &ada, &query).await.unwrap() {
        let of = store.conversation(&ada, &listed.session).await.unwrap().unwrap();
        assert_eq!((of.id.as_str(), of.turns), ("drawn", listed.turns));
        let said = store.messages(&of, 9).await.unwrap();
        let said = said.into_iter().map(|said| format!("{}: {}", said.role, said.content));
        let said: Vec<_> = said.collect();
        let forgotten = store.to_redact(9).await.unwrap().len();
        let preferences = of.preferences.as_str();
        conversations
            .push(format!("{} {} {preferences} {said:?} {forgotten}", of.session, of.turns));
    }
    let told = CONVERSATIONS.iter().filter(|Told(from, _)| *from <= number);
    assert_eq!(conversations, told.map(|Told(_, what)| *what).collect::<Vec<_>>());
}

/// Two users with a password and one from another site, and one of everything that they have.
async fn story_of_users(store: &SqliteStore) {
    let id = |number: u8| {
        UserId::from_word(&format!("00000000-0000-4000-8000-00000000000{number}")).unwrap()
    };
    let new = |number, email: &str, is_verified| NewUser {
        id: id(number),
        email: Email::parse(email).unwrap(),
        role: Role::Member,
        is_verified,
        password: Some(PasswordHash::new("$argon2id$it's")),
        created_at: DAWN,
    };
    store.add_user(new(1, "Ada@Example.org", true), None).await.unwrap();
    let digest = Digest::of("123456");
    let code = NewCode { digest, purpose: Purpose::Verify, made_at: DAWN, limit: codes() };
    store.add_user(new(2, "bob@example.org", false), Some(code)).await.unwrap();
    let ends_at = DAWN + Duration::from_secs(3_600);
    let session = |secret: &str, user| NewSession {
        digest: Digest::of(secret),
        user: id(user),
        made_at: DAWN,
        ends_at,
    };
    let (seen, clear) = (PasswordHash::new("$argon2id$it's"), Subject::new("none"));
    store.open_session(session("s1", 1), &seen, &clear).await.unwrap();
    for (secret, name, scopes) in [("t1", None, Some("jobs answer")), ("t2", Some("ci"), None)] {
        let token = NewToken {
            digest: Digest::of(secret),
            id: format!("id-of-{secret}"),
            user: id(1),
            name: name.map(str::to_owned),
            scopes: scopes.and_then(Scopes::from_words),
            made_at: DAWN,
        };
        store.add_token(token).await.unwrap();
    }
    store.sign_in_outside(from_outside("s3", Some("cy@example.org"))).await.unwrap();
    let attempt = KeptAttempt {
        state: Digest::of("state"),
        provider: Provider::Google,
        browser: Digest::of("browser"),
        verifier: Secret::new("verifier"),
        made_at: DAWN,
    };
    store.put_oauth(attempt, At(0)).await.unwrap();
}

fn codes() -> Limit {
    Limit { subject: Subject::new("codes"), most: 1, window: Duration::from_secs(900) }
}

/// Somebody who is `17` at GitHub.
fn from_outside(session: &str, email: Option<&str>) -> OutsideSignIn {
    OutsideSignIn {
        provider: Provider::GitHub,
        outside_id: "17".to_owned(),
        email: email.map(|email| Email::parse(email).unwrap()),
        new_id: UserId::from_word("00000000-0000-4000-8000-000000000003").unwrap(),
        session: Digest::of(session),
        now: DAWN,
        ends_at: DAWN + Duration::from_secs(3_600),
    }
}

async fn reads_users(store: &SqliteStore, number: usize) {
    let mut users = Vec::new();
    for user in store.users().await.unwrap() {
        assert!(!user.is_disabled && user.created_at == DAWN);
        let state = if user.is_verified { "verified" } else { "unverified" };
        let kept = store.user(&user.id).await.unwrap().unwrap();
        let password = kept.password.map_or("-", |_| "password");
        let mut tokens = Vec::new();
        for token in store.tokens(&user.id).await.unwrap() {
            let scopes = token.scopes.map(|scopes| format!(" {}", scopes.to_words()));
            let name = token.name.unwrap_or_else(|| "-".into());
            tokens.push(format!("{} {name}{}", token.id, scopes.unwrap_or_default()));
        }
        users.push(format!("{} {} {state} {password} {tokens:?}", user.email, user.role.as_str()));
    }
    let told = USERS.iter().filter(|Told(from, _)| *from <= number).map(|Told(_, what)| *what);
    assert_eq!(users, told.collect::<Vec<_>>(), "version {number}");
    for secret in ["s1", "s3"] {
        let session = store.session(&Digest::of(secret)).await.unwrap();
        assert_eq!(session.is_some(), number >= USED, "version {number}");
    }
    let token = store.token(&Digest::of("t1")).await.unwrap();
    assert_eq!(token.is_some(), number >= USED);
}

async fn users_go_on(store: &SqliteStore, number: usize) {
    let counted = store.count(&[codes()], DAWN + Duration::from_secs(1)).await.unwrap();
    assert_eq!(counted != Counted::Done, number >= USED, "version {number}");
    let taken = store.take_oauth(&Digest::of("state")).await.unwrap();
    assert_eq!(taken.is_some(), number >= USED);
    let linked = store.sign_in_outside(from_outside("s4", None)).await.unwrap();
    assert_eq!(matches!(linked, SignedInOutside::Done(_)), number >= USED);
    if number >= USED {
        let attempt = CodeTry {
            user: UserId::from_word("00000000-0000-4000-8000-000000000002").unwrap(),
            purpose: Purpose::Verify,
            digest: Digest::of("123456"),
            made_after: At(0),
            most: 1,
            password: None,
        };
        assert_eq!(store.try_code(attempt).await.unwrap(), Tried::Done);
    }
}

fn large(letter: &str) -> String {
    format!("\"{}\"", letter.repeat(70_000))
}

#[tokio::test]
async fn a_home_of_each_older_version_can_be_read_and_goes_on() {
    let fresh = Home::new();
    fresh.open().close().await;
    let (tables, newest) = (schema(&fresh.database()), version(&fresh.database()));
    assert_eq!(OLDER.len(), newest, "each version has a file: this module says how it is made");
    for (number, text) in (1..).zip(OLDER) {
        let home = Home::new();
        lay_down(&home, text);
        assert_eq!(version(&home.database()), number);
        let store = home.open();
        assert_eq!(version(&home.database()), newest);
        assert_eq!(schema(&home.database()), tables, "version {number} became something else");
        reads(&store, number).await;
        reads_users(&store, number).await;
        reads_documents(&store, number).await;
        reads_conversations(&store, number).await;
        goes_on(&store, number).await;
        users_go_on(&store, number).await;
    }
}

async fn reads(store: &SqliteStore, number: usize) {
    let told = |all: &[Told]| -> Vec<&'static str> {
        all.iter().filter(|Told(from, _)| *from <= number).map(|Told(_, what)| *what).collect()
    };
    let or_dash = |word: Option<String>| word.unwrap_or_else(|| "-".into());
    let mut runs = Vec::new();
    for row in Store::runs(store, &query_all()).await.unwrap().into_iter().rev() {
        let mut chain = Chain::default();
        for event in store.events(&row.id, Seq(0), usize::MAX).await.unwrap() {
            chain.take(&event).unwrap();
            assert!(event.body().unwrap().is_some());
        }
        assert_eq!(chain.head(), Some((row.seq, row.head)), "{}", row.id);
        let snapshot = store.load(&row.id).await.unwrap().snapshot;
        let state = snapshot.state.as_str();
        assert_eq!(snapshot.digest, Hash::of(state.as_bytes()));
        match row.id.as_str() {
            "held" => assert_eq!(state, r#"{"calls":1}"#),
            "large" => assert_eq!(state, large("s")),
            _ => assert_eq!(state, r#"{"new":true}"#),
        }
        assert_eq!((row.workflow.as_str(), row.version, row.redacted), (WORKFLOW, 1, false));
        let Figures { spent, reserved, cap } = row.figures;
        runs.push(format!(
            "{} {} {} {} {} {} {} {} {} {} {} {}",
            row.id,
            row.owner,
            row.placement,
            row.priority,
            row.status,
            row.seq,
            row.epoch.0,
            or_dash(row.worker.map(|worker| worker.to_string())),
            or_dash(row.wake_at.map(|at| at.0.to_string())),
            spent.get(),
            reserved.get(),
            or_dash(cap.map(|cap| cap.get().to_string())),
        ));
    }
    assert_eq!(runs, told(&RUNS), "version {number}");
    assert_eq!(store.poked(&"w1".into()).await.unwrap(), ["held".into()]);

    let mut accounts = Vec::new();
    for (owner, account) in store.accounts().await.unwrap() {
        let cap = account.cap.map(|cap| format!(" {}", cap.get())).unwrap_or_default();
        let (spent, reserved) = (account.spent.get(), account.reserved.get());
        accounts.push(format!("{owner} {spent} {reserved}{cap}"));
    }
    let mut expected = told(&ACCOUNTS);
    expected.sort_unstable();
    assert_eq!(accounts, expected, "version {number}");

    let mut inbox = Vec::new();
    let query = InboxQuery { most: 99, ..InboxQuery::default() };
    for ask in store.inbox(&query).await.unwrap() {
        let deadline = or_dash(ask.deadline.map(|at| at.0.to_string()));
        let default = or_dash(ask.default.map(|value| value.as_str().to_owned()));
        inbox.push(format!("{} {} {} {deadline} {default}", ask.run, ask.key, ask.kind.as_str()));
        let coded = number >= CODED && ask.kind == AskKind::Intervention;
        assert_eq!(ask.code.as_deref(), coded.then_some("OUTCOME_UNKNOWN"));
        let named = number >= NAMED && ask.kind == AskKind::Intervention;
        assert_eq!(ask.agent.as_deref(), named.then_some("mailer"));
        assert_eq!(ask.prompt, format!("{}?", ask.key));
        assert_eq!(ask.schema, json(r#"{"type":"string"}"#));
    }
    assert_eq!(inbox, told(&INBOX), "version {number}");
    let mut sealed = Vec::new();
    for Sealed { owner, name, bytes, at } in store.all_sealed().await.unwrap() {
        sealed.push(format!("{owner} {name} {bytes:?} {}", at.0));
    }
    assert_eq!(sealed, told(&SEALED), "version {number}");
    let mut settings = Vec::new();
    for Setting { name, value, at } in store.settings(&"ada".into()).await.unwrap() {
        assert_eq!(at, DAWN);
        settings.push(format!("{name} {}", value.as_str()));
    }
    assert_eq!(settings, told(&SETTINGS), "version {number}");
    let mut said = Vec::new();
    for Comment { id, text, .. } in store.comments(&"done".into(), None, 9).await.unwrap() {
        said.push(format!("{id} {text}"));
    }
    for Revised { run, parent, mode, scope, instruction, .. } in
        store.revisions(&"done".into()).await.unwrap()
    {
        said.push(format!("{run} {parent} {mode} {scope} {instruction}"));
    }
    assert_eq!(said, told(&SAID), "version {number}");
    let ended = store.interaction(&"asks".into(), &"who".into()).await.unwrap();
    let state = ended.as_ref().map(|ask| ask.state);
    assert_eq!(state, (number >= 3).then_some(AskState::Answered));
    let by = ended.and_then(|ask| ask.answered).map(|(by, _)| by.to_string());
    assert_eq!(by.is_some(), number >= LABELLED);
    let draft = RunQuery { label: Some("draft".to_owned()), ..query_all() };
    let draft = Store::runs(store, &draft).await.unwrap().into_iter().map(|row| row.id.to_string());
    assert_eq!(draft.collect::<Vec<_>>(), if number >= LABELLED { vec!["asks"] } else { vec![] });
}

fn query_all() -> RunQuery {
    RunQuery { most: 99, ..RunQuery::default() }
}

async fn goes_on(store: &SqliteStore, number: usize) {
    let row = store.row(&"held".into()).await.unwrap();
    store.commit(step(&row)).await.unwrap();
    let row = store.row(&"held".into()).await.unwrap();
    let output = Draft::after(&row).completes("large", large("y")).reserves(1);
    store.commit(output.by(&claim_of(&row))).await.unwrap();
    assert_eq!(store.events(&"held".into(), Seq(0), 99).await.unwrap().len(), 5);
    let wanted = Wanted { workflows: [(WORKFLOW.to_owned(), 1)].into(), host: Some("desk".into()) };
    let later = DAWN + Duration::from_secs(7_200);
    let claimed = store.claim(&"w2".into(), &wanted, 9, later).await.unwrap();
    let names: Vec<_> = claimed.runs.iter().map(|run| run.row.id.as_str()).collect();
    assert_eq!(names, if number >= LABELLED { vec!["due", "next"] } else { vec!["due"] });
    if number >= 3 {
        let row = store.row(&"asks".into()).await.unwrap();
        store.deliver(answer(&row, "when", r#""dawn""#)).await.unwrap();
        assert_eq!(store.row(&row.id).await.unwrap().status, Status::Queued);
    }
}

/// Makes a home of what a file says.
fn lay_down(home: &Home, text: &str) {
    let db = home.database();
    db.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())).unwrap();
    db.execute_batch(text).unwrap();
    for line in text.lines().filter_map(|line| line.strip_prefix(FILE)) {
        let (name, hex) = line.split_once(' ').unwrap();
        let bytes: Vec<u8> = db.query_row("SELECT unhex(?1)", [hex], |row| row.get(0)).unwrap();
        let path = home.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

/// What is not in the database stands in comments: a name in the home, and the bytes.
const FILE: &str = "-- file ";

#[tokio::test]
#[ignore = "it writes a file to keep, once for each migration"]
async fn writes_a_file_of_this_version() {
    let home = Home::new();
    let store = home.open();
    story(&store).await;
    store.close().await;
    let db = home.database();
    // The tables behind a virtual one are made with it, and have their first rows then.
    let shadows = "SELECT name FROM pragma_table_list WHERE type = 'shadow'";
    let made = format!(
        "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT IN ({shadows}) ORDER BY type DESC, name"
    );
    let mut lines: Vec<String> = texts(&db, &made).into_iter().map(|sql| sql + ";\n").collect();
    lines.extend(texts(
        &db,
        &format!("SELECT 'DELETE FROM ' || name || ';' FROM ({shadows} ORDER BY name)"),
    ));
    let tables = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type <> 'virtual' \
                  AND name <> 'sqlite_schema' ORDER BY name";
    for table in texts(&db, tables) {
        let columns = texts(&db, &format!("SELECT name FROM pragma_table_info('{table}')"));
        let values: Vec<_> = columns.iter().map(|name| format!("quote(\"{name}\")")).collect();
        let values = values.join(" || ', ' || ");
        let sql = format!("SELECT 'INSERT INTO {table} VALUES (' || {values} || ');' FROM {table}");
        lines.extend(texts(&db, &sql));
        lines.push(String::new());
    }
    for pragma in ["application_id", "user_version"] {
        let value: i64 = db.query_row(&format!("PRAGMA {pragma}"), [], |row| row.get(0)).unwrap();
        lines.push(format!("PRAGMA {pragma} = {value};"));
    }
    for path in home.blobs() {
        let name = path.strip_prefix(home.path()).unwrap().display().to_string();
        let bytes = fs::read(&path).unwrap();
        let hex: String = db.query_row("SELECT hex(?1)", [bytes], |row| row.get(0)).unwrap();
        lines.push(format!("{FILE}{name} {hex}"));
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/older");
    fs::write(folder.join(format!("{}.sql", version(&db))), lines.join("\n") + "\n").unwrap();
}

/// The tables and indexes, in the order in which they can be made.
fn schema(db: &Connection) -> Vec<String> {
    let sql = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type DESC, name";
    texts(db, sql)
}

fn version(db: &Connection) -> usize {
    let version = db.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0)).unwrap();
    usize::try_from(version).unwrap()
}

fn texts(db: &Connection, sql: &str) -> Vec<String> {
    let mut find = db.prepare(sql).unwrap();
    let found = find.query_map([], |row| row.get(0)).unwrap();
    found.map(Result::unwrap).collect()
}
