//! Random moves, for a game that two stores play side by side.

use std::sync::Arc;

use consign_engine::{
    AskKind, At, Placement, Status,
    store::{RunQuery, Standing, Wanted},
};
use proptest::{
    collection::{btree_map, vec},
    option,
    prelude::{Just, Strategy, any},
    prop_oneof,
    sample::select,
};

use crate::draft::DAWN;

/// Runs, workers, owners and keys are few, so that moves meet each other.
const RUNS: [&str; 5] = ["a1", "a2", "b1", "b2", "c"];
const WORKERS: [&str; 3] = ["w1", "w2", "w3"];
const OWNERS: [&str; 2] = ["ada", "bob"];
const WORKFLOWS: [&str; 2] = ["letters", "poems"];
const LABELS: [&str; 2] = ["draft", "done"];
const KEYS: [&str; 3] = ["k1", "k2", "@limit"];

#[derive(Clone, Debug)]
pub(super) enum Move {
    Ask(Question),
    Enlist(&'static str),
    Die(&'static str),
    /// The store is closed and opened again.
    Reopen,
}

/// What both stores are asked to do or to show.
#[derive(Clone, Debug)]
pub(super) enum Question {
    Create(Creation),
    Step(Stride),
    Deliver(Parcel),
    Claim {
        worker: &'static str,
        wanted: Wanted,
        most: usize,
        now: At,
    },
    ClaimRun {
        worker: &'static str,
        run: &'static str,
    },
    Reclaim,
    SetCap {
        owner: &'static str,
        cap: Option<u64>,
    },
    Redact {
        run: &'static str,
        is_stale: bool,
    },
    List {
        query: RunQuery,
        before: Option<&'static str>,
    },
    Events {
        run: &'static str,
        from: u64,
        most: usize,
    },
    Inbox {
        run: Option<&'static str>,
        owner: Option<&'static str>,
        answered: bool,
        after: Option<(&'static str, &'static str)>,
        most: usize,
    },
    NextWake(Wanted),
}

#[derive(Clone, Debug)]
pub(super) struct Creation {
    pub(super) run: &'static str,
    pub(super) owner: &'static str,
    pub(super) workflow: &'static str,
    pub(super) placement: Placement,
    pub(super) priority: i32,
    pub(super) holder: Option<&'static str>,
    pub(super) keeper: Option<&'static str>,
    pub(super) reserve: u64,
    /// Unless somebody holds it.
    pub(super) standing: Standing,
}

/// A step, mostly by the holder, who mostly knows the newest event. A run that is free is taken.
#[derive(Clone, Debug)]
pub(super) struct Stride {
    pub(super) run: &'static str,
    pub(super) is_stale: bool,
    pub(super) forgery: Option<Forgery>,
    pub(super) outputs: Vec<&'static str>,
    pub(super) ask: Option<(&'static str, AskMove)>,
    pub(super) settles: bool,
    pub(super) reserve: u64,
    pub(super) snapshots: bool,
    pub(super) label: Option<Option<&'static str>>,
    pub(super) standing: Standing,
}

/// Why a claim is worth nothing.
#[derive(Clone, Copy, Debug)]
pub(super) enum Forgery {
    OlderEpoch,
    OtherWorker,
}

/// What is done to an ask, where it makes sense.
#[derive(Clone, Copy, Debug)]
pub(super) enum AskMove {
    Open(AskKind),
    Expire,
    Withdraw,
}

#[derive(Clone, Debug)]
pub(super) struct Parcel {
    pub(super) run: &'static str,
    pub(super) is_stale: bool,
    pub(super) what: What,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum What {
    Advice,
    Answer(&'static str),
    Raise(u64),
}

/// A game begins with a few runs.
pub(super) fn games() -> impl Strategy<Value = Vec<Move>> {
    let creations = creations().prop_map(|creation| Move::Ask(Question::Create(creation)));
    (vec(creations, 2..6), vec(moves(), 1..70)).prop_map(|(mut game, moves)| {
        game.extend(moves);
        game
    })
}

fn moves() -> impl Strategy<Value = Move> {
    prop_oneof![
        12 => writes().prop_map(Move::Ask),
        3 => reads().prop_map(Move::Ask),
        1 => select(&WORKERS[..]).prop_map(Move::Enlist),
        1 => select(&WORKERS[..]).prop_map(Move::Die),
        1 => Just(Move::Reopen),
    ]
}

fn writes() -> impl Strategy<Value = Question> {
    let (run, worker) = (|| select(&RUNS[..]), || select(&WORKERS[..]));
    let claim = (worker(), wishes(), 0..4usize, instants());
    let cap = (select(&OWNERS[..]), option::of(0..150u64));
    prop_oneof![
        2 => creations().prop_map(Question::Create),
        12 => strides().prop_map(Question::Step),
        5 => parcels().prop_map(Question::Deliver),
        3 => claim.prop_map(|(worker, wanted, most, now)| {
            Question::Claim { worker, wanted, most, now }
        }),
        5 => (worker(), run()).prop_map(|(worker, run)| Question::ClaimRun { worker, run }),
        1 => Just(Question::Reclaim),
        4 => cap.prop_map(|(owner, cap)| Question::SetCap { owner, cap }),
        2 => (run(), rarely()).prop_map(|(run, is_stale)| Question::Redact { run, is_stale }),
    ]
}

fn reads() -> impl Strategy<Value = Question> {
    let run = || select(&RUNS[..]);
    let events = (run(), 0..9u64, 0..4usize);
    let owner = option::of(select(&OWNERS[..]));
    let after = option::of((run(), select(&KEYS[..])));
    let inbox = (option::of(run()), owner, any::<bool>(), after, 0..4usize);
    prop_oneof![
        (queries(), option::of(run())).prop_map(|(query, before)| Question::List { query, before }),
        events.prop_map(|(run, from, most)| Question::Events { run, from, most }),
        inbox.prop_map(|(run, owner, answered, after, most)| {
            Question::Inbox { run, owner, answered, after, most }
        }),
        wishes().prop_map(Question::NextWake),
    ]
}

fn creations() -> impl Strategy<Value = Creation> {
    let names = (select(&RUNS[..]), select(&OWNERS[..]), select(&WORKFLOWS[..]));
    let workers = (option::of(select(&WORKERS[..])), option::of(select(&WORKERS[..])));
    (names, placements(), -1..2i32, workers, amounts(), standings()).prop_map(
        |((run, owner, workflow), placement, priority, (holder, keeper), reserve, standing)| {
            Creation {
                run,
                owner,
                workflow,
                placement,
                priority,
                holder,
                keeper,
                reserve,
                standing,
            }
        },
    )
}

fn strides() -> impl Strategy<Value = Stride> {
    let ask = (select(&KEYS[..]), ask_moves());
    let outputs = vec(select(&["1", "0.10", "[\"手紙\"]"][..]), 0..3);
    let who = (select(&RUNS[..]), rarely(), forgeries());
    let money = (any::<bool>(), amounts());
    let label = option::of(option::of(select(&LABELS[..])));
    let marks = (any::<bool>(), label);
    (who, outputs, option::of(ask), money, marks, standings()).prop_map(
        |((run, is_stale, forgery), outputs, ask, (settles, reserve), marks, standing)| {
            let (snapshots, label) = marks;
            Stride {
                run,
                is_stale,
                forgery,
                outputs,
                ask,
                settles,
                reserve,
                snapshots,
                label,
                standing,
            }
        },
    )
}

fn parcels() -> impl Strategy<Value = Parcel> {
    let what = prop_oneof![
        Just(What::Advice),
        select(&KEYS[..]).prop_map(What::Answer),
        (0..99u64).prop_map(What::Raise),
    ];
    (select(&RUNS[..]), rarely(), what).prop_map(|(run, is_stale, what)| Parcel {
        run,
        is_stale,
        what,
    })
}

fn forgeries() -> impl Strategy<Value = Option<Forgery>> {
    let forgery = select(&[Forgery::OlderEpoch, Forgery::OtherWorker][..]);
    prop_oneof![9 => Just(None), 1 => forgery.prop_map(Some)]
}

fn ask_moves() -> impl Strategy<Value = AskMove> {
    prop_oneof![
        3 => select(&[AskKind::Approval, AskKind::Limit][..]).prop_map(AskMove::Open),
        1 => Just(AskMove::Expire),
        1 => Just(AskMove::Withdraw),
    ]
}

fn standings() -> impl Strategy<Value = Standing> {
    prop_oneof![
        12 => Just(Standing::Held),
        1 => Just(Standing::Queued),
        3 => option::of(instants()).prop_map(|wake_at| Standing::Parked { wake_at }),
        1 => select(&[Status::Succeeded, Status::Failed, Status::Cancelled][..])
            .prop_map(Standing::Closed),
    ]
}

fn placements() -> impl Strategy<Value = Placement> {
    prop_oneof![
        3 => Just(Placement::Foreground),
        1 => Just(Placement::HereOnly),
        4 => Just(Placement::Anywhere),
        1 => hosts().prop_map(Placement::Host),
    ]
}

fn hosts() -> impl Strategy<Value = Arc<str>> {
    select(&["here", "there"][..]).prop_map(Arc::from)
}

fn wishes() -> impl Strategy<Value = Wanted> {
    let workflows = btree_map(select(&WORKFLOWS[..]).prop_map(str::to_owned), 0..3u32, 0..3);
    (workflows, option::of(hosts())).prop_map(|(workflows, host)| Wanted { workflows, host })
}

fn queries() -> impl Strategy<Value = RunQuery> {
    let status = option::of(select(&Status::ALL[..]));
    let workflow = option::of(select(&WORKFLOWS[..]).prop_map(str::to_owned));
    let owner = option::of(select(&OWNERS[..]).prop_map(Into::into));
    let prefix = option::of(select(&["", "a", "b1", "C"][..]).prop_map(str::to_owned));
    let label = option::of(select(&LABELS[..]).prop_map(str::to_owned));
    (status, workflow, owner, label, prefix, 0..6usize).prop_map(
        |(status, workflow, owner, label, prefix, most)| RunQuery {
            status,
            workflow,
            owner,
            label,
            prefix,
            before: None,
            most,
        },
    )
}

fn instants() -> impl Strategy<Value = At> {
    (0..6i64).prop_map(|seconds| At(DAWN.0 + seconds * 1_000_000))
}

fn amounts() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0), 1..30u64]
}

fn rarely() -> impl Strategy<Value = bool> {
    prop_oneof![6 => Just(false), 1 => Just(true)]
}
