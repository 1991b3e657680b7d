//! From the text of a definition to what it says, or to everything that is wrong with it.
//!
//! A function that returns nothing has noted why. What would only follow from another fault is not noted: of
//! two ways to be reached, whichever is removed decides which limits have an effect.

use std::{path::Path, time::Duration};

use consign_engine::Effect;
use toml::de::DeTable;

use super::{
    contract::contract,
    fault::{DefinitionFault, DefinitionFaults, FaultNotes, line_of, shown},
    fields::WAYS,
    file::Definition,
    limits::{Limits, seconds},
    table::TableReader,
    ways,
};

const DAY: u64 = 24 * 3600;
/// How long an attempt may take where nothing is said.
const USUAL_ATTEMPT: Duration = Duration::from_secs(600);
/// A clock cannot tell an instant that is too far off, and nothing waits for an attempt for so long.
const LONGEST_ATTEMPT: Duration = Duration::from_secs(30 * DAY);

const EFFECTS: [(&str, Effect); 4] = [
    ("pure", Effect::Pure),
    ("idempotent", Effect::Idempotent),
    ("keyed", Effect::Keyed),
    ("unsafe", Effect::Unsafe),
];

/// A part that cannot be read is noted, so that this is never told; a test holds it to that.
pub(super) const UNTOLD: &str = "it cannot be used";

impl Definition {
    /// Reads a definition; the files that it names are beside `path`. The error has everything that is wrong.
    pub fn read(text: &str, path: &Path) -> Result<Self, DefinitionFaults> {
        let table = DeTable::parse(text).map_err(|why| DefinitionFaults(vec![torn(text, &why)]))?;
        let notes = FaultNotes::of(text);
        let definition = whole(&TableReader::top(table.get_ref(), &notes), path);
        match (notes.faults(), definition) {
            (None, Some(definition)) => Ok(definition),
            (Some(faults), _) => Err(faults),
            (None, None) => Err(DefinitionFaults(vec![DefinitionFault::of_file(UNTOLD)])),
        }
    }
}

/// Text that is not TOML. Nothing can be said of what follows in it.
fn torn(text: &str, why: &toml::de::Error) -> DefinitionFault {
    let what = match (why.message(), why.span().and_then(|span| text.get(span))) {
        ("duplicate key", Some(key)) => {
            format!("duplicate key {}; remove one of the two", shown(key.trim()))
        }
        (message, _) => format!("not TOML: {message}; correct this line"),
    };
    let line = why.span().map(|span| line_of(text, span.start));
    DefinitionFault { line, ..DefinitionFault::of_file(what) }
}

fn whole(top: &TableReader<'_>, path: &Path) -> Option<Definition> {
    let folder = path.parent().unwrap_or(Path::new("/"));
    let name = name(top);
    let description = top.string("description");
    let effect = top.string("effect").and_then(|word| {
        let at = word.one_of(&EFFECTS.map(|(word, _)| word), top.notes)?;
        Some(EFFECTS[at].1)
    });
    let timeout = top.number("timeout_seconds");
    let timeout = timeout.and_then(|own| seconds(&own, LONGEST_ATTEMPT, top.notes));
    let timeout = timeout.unwrap_or(USUAL_ATTEMPT);
    let contracts = top.table("contract");
    let side = |side: &str| contracts.as_ref().and_then(|own| contract(own, side, folder));
    let (input, output) = (side("input"), side("output"));
    let own_limits = top.table("limits");
    let limits = Limits::read(own_limits.as_ref(), timeout);
    let there: Vec<_> = WAYS.into_iter().filter(|way| top.has(way)).collect();
    let tables: Vec<_> = there.iter().map(|way| top.table(way)).collect();
    let read = |(way, own): (&&str, &Option<_>)| ways::read(way, own.as_ref()?, folder, &limits);
    let mut reached: Vec<_> = there.iter().zip(&tables).map(read).collect();
    match (&there[..], &tables[..]) {
        ([], _) if top.has_strange_table => {}
        ([], _) => {
            let ways = WAYS.map(|way| format!("[{way}]")).join(", ");
            top.notes.note(&top.place, format!("the agent cannot be reached; add one of {ways}"));
        }
        ([way], [Some(own)]) => {
            let tables = SideTables { contracts: contracts.as_ref(), limits: own_limits.as_ref() };
            without_effect(way, own, top, &tables);
        }
        ([_], _) => {}
        ([..], _) => several(&there, top),
    }
    // A model by itself touches nothing. What else nothing was said about may do harm a second time.
    let usual = if there == ["model"] { Effect::Pure } else { Effect::Unsafe };
    Some(Definition {
        name: name?,
        description: description.map(|own| own.value).unwrap_or_default(),
        effect: effect.unwrap_or(usual),
        timeout,
        input,
        output,
        reached: reached.pop().flatten()?,
        path: path.to_owned(),
    })
}

/// Notes that an agent is reached in more than one way, where the second stands.
fn several(there: &[&str], top: &TableReader<'_>) {
    let mut places: Vec<_> = there.iter().map(|way| (top.at(way), *way)).collect();
    places.sort_by_key(|(place, _)| place.byte);
    let named: Vec<_> = places.iter().map(|(_, way)| format!("[{way}]")).collect();
    let what = format!("an agent is reached in one way; keep one of {}", named.join(", "));
    top.notes.note(&places[1].0, what);
}

/// The tables that are beside the way to be reached.
struct SideTables<'a> {
    contracts: Option<&'a TableReader<'a>>,
    limits: Option<&'a TableReader<'a>>,
}

/// Notes what would have no effect for an agent that is reached in this way.
fn without_effect(way: &str, own: &TableReader<'_>, top: &TableReader<'_>, side: &SideTables<'_>) {
    let notes = top.notes;
    if way == "bridge" && top.has("timeout_seconds") {
        let what =
            "timeout_seconds has no effect on [bridge]; write bridge.deadline_seconds instead";
        notes.note_alone(&top.at("timeout_seconds"), what);
    }
    let tools = own.raw("tools").and_then(|tools| tools.value.as_array());
    let tools = tools.is_some_and(|tools| !tools.is_empty());
    if way == "model" && tools && side.contracts.is_some_and(|own| own.has("output")) {
        let what = "model.tools and contract.output exclude each other: a model that asks for a tool \
                    does not give the output; remove one of them";
        notes.note(&own.at("tools"), what);
    }
    // Without either, and with both, it is not clear which of them is meant.
    let program = way == "subprocess" || way == "mcp" && (own.has("command") || !own.has("url"));
    let reads = program || way == "http" || way == "mcp";
    let limits = [
        ("max_cost_usd", way != "model", ", whose price is known by its tokens"),
        ("memory_mb", program, ""),
        ("output_mb", reads, ""),
    ];
    for (field, has_effect, because) in limits {
        if let Some(own) = side.limits.filter(|own| own.has(field) && !has_effect) {
            let place = own.at(field);
            let what = format!("{place} has no effect on [{way}]{because}; remove it");
            notes.note_alone(&place, what);
        }
    }
}

fn name(top: &TableReader<'_>) -> Option<String> {
    top.require("name", "name = \"my-agent\" in the first line");
    let name = top.string("name")?;
    match check_name(&name.value) {
        Ok(()) => Some(name.value),
        Err(why) => {
            top.notes.note(&name.place, format!("name is {}; {why}", shown(&name.value)));
            None
        }
    }
}

/// Names are typed, printed, and parts of file names.
pub(super) fn check_name(name: &str) -> Result<(), &'static str> {
    let fit =
        |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
    let begins = name.starts_with(|first: char| first.is_ascii_lowercase());
    match begins && name.len() <= 64 && name.chars().all(fit) {
        true => Ok(()),
        false => Err("begin with a letter and use a to z, 0 to 9 and -, 64 at most"),
    }
}
