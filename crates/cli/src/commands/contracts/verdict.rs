//! Prints the verdict on a document, for programs and for people.

use consign_contracts::{
    Breach,
    json::{Json, Malformed, Object},
    schema::Verdict,
};

use crate::{
    error::{Error, Exit},
    output::{BAD, GOOD, Output, object, printable, styled},
};

pub(in crate::commands) fn exit(verdict: &Result<Verdict, Malformed>) -> Exit {
    match verdict {
        Ok(verdict) if verdict.is_valid() => Exit::Done,
        Ok(_) | Err(_) => Exit::Failed,
    }
}

/// A verdict for programs.
pub(in crate::commands) fn as_object<'a>(
    contract: &'a str,
    verdict: &'a Result<Verdict, Malformed>,
) -> Object<'a> {
    let valid = Json::Bool(exit(verdict) == Exit::Done);
    let mut answer = object([("contract", Json::from(contract)), ("valid", valid)]);
    match verdict {
        Ok(verdict) => {
            answer.set("breaches", breaches(&verdict.breaches));
            if verdict.more {
                answer.set("more", Json::Bool(true));
            }
        }
        Err(malformed) => answer.set("malformed", Json::String(malformed.to_string().into())),
    }
    answer
}

/// A verdict for people.
pub(in crate::commands) fn report(
    source: &str,
    contract: &str,
    verdict: &Result<Verdict, Malformed>,
    output: &mut Output,
) -> Result<(), Error> {
    match verdict {
        Ok(verdict) if verdict.is_valid() => {
            output.line(format!("{source}: {} {contract}", styled(GOOD, "valid")))?;
        }
        Ok(verdict) => {
            output.line(format!("{source}: {} {contract}", styled(BAD, "invalid")))?;
            print_breaches(&verdict.breaches, output)?;
            if verdict.more {
                output.line("… and more of them")?;
            }
        }
        Err(malformed) => {
            let why = malformed.to_string();
            output.line(format!("{source}: {}: {}", styled(BAD, "malformed"), printable(&why)))?;
        }
    }
    Ok(())
}

/// A verdict in a few words, for a line of a stream.
pub(super) fn in_short(verdict: &Result<Verdict, Malformed>) -> String {
    match verdict {
        Ok(verdict) => match verdict.breaches.as_slice() {
            [] => styled(GOOD, "valid"),
            [first, others @ ..] => {
                let more = match (verdict.more, others.len()) {
                    (true, _) => " (and many more)".to_owned(),
                    (false, 0) => String::new(),
                    (false, others) => format!(" (and {others} more)"),
                };
                format!("{}: {}{more}", styled(BAD, "invalid"), printable(&first.to_string()))
            }
        },
        Err(malformed) => {
            // The line is the stream's to tell.
            let column = if malformed.column > 0 {
                format!(", column {}", malformed.column)
            } else {
                String::new()
            };
            let why = format!("{}{column}", malformed.reason);
            format!("{}: {}", styled(BAD, "malformed"), printable(&why))
        }
    }
}

/// Breaches for programs.
pub(super) fn breaches(breaches: &[Breach]) -> Json<'_> {
    let as_object = |breach: &Breach| {
        Json::Object(object([
            ("pointer", Json::String(breach.pointer.clone().into())),
            ("keyword", Json::String(breach.keyword.clone().into())),
            ("message", Json::String(breach.message.clone().into())),
        ]))
    };
    Json::Array(breaches.iter().map(as_object).collect())
}

/// Breaches for people. The empty pointer points at the whole document.
pub(super) fn print_breaches(breaches: &[Breach], output: &mut Output) -> Result<(), Error> {
    let rows = breaches.iter().map(|breach| {
        let place = if breach.pointer.is_empty() { "(document)" } else { &breach.pointer };
        vec![place.to_owned(), breach.keyword.clone(), breach.message.clone()]
    });
    output.rows(&["where", "rule", "what is wrong"], rows.collect())?;
    Ok(())
}
