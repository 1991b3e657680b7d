//! Reads schemas that the user wrote.

use std::{io::Write, path::Path};

use consign_contracts::{
    json::{Json, Limits, parse_within},
    schema::{SchemaError, Stray, Strays, stray_words},
};

use crate::{
    error::Error,
    input::Source,
    output::{WARN, printable, styled},
};

/// Reads a schema file. Words in it that mean nothing are pointed out on standard error: a typo in
/// a schema makes it weaker, not wrong.
pub(super) fn read(file: &Path) -> Result<Json<'static>, Error> {
    let source = Source::of(file);
    let bytes = source.read(Limits::default().bytes)?;
    let schema =
        parse_within(&bytes, Limits::default()).map(Json::into_owned).map_err(|malformed| {
            Error::new("SCHEMA_UNUSABLE", format!("{}: {malformed}", source.name()))
                .hint("a schema is a JSON file")
        })?;
    let strays = stray_words(&schema);
    if strays.nothing_known {
        return Err(Error::new(
            "SCHEMA_UNUSABLE",
            format!("{}: not a JSON Schema: it has no keyword of one", source.name()),
        )
        .hint("every document would pass; are schema and document swapped?"));
    }
    point_out(&source.name(), &strays);
    Ok(schema)
}

/// Says which words of a schema mean nothing.
pub(in crate::commands) fn point_out(name: &str, strays: &Strays) {
    let mut stderr = anstream::stderr();
    for Stray { pointer, word, near } in strays.words.iter().take(10) {
        let near = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
        let warning = styled(WARN, "warning:");
        let (pointer, word) = (printable(pointer), printable(word));
        let place = if pointer.is_empty() { "at the top".into() } else { pointer };
        // A warning that cannot be shown must not stop the check.
        let _ = writeln!(stderr, "{warning} {name}: `{word}` {place} has no meaning{near}");
    }
}

pub(super) fn unusable(name: &str, error: &SchemaError) -> Error {
    let failure = Error::new("SCHEMA_UNUSABLE", format!("{name}: {error}"));
    match error {
        SchemaError::UnsupportedDraft(_) => failure.hint("leave `$schema` out for draft-07"),
        SchemaError::RemoteReference(_) => failure
            .hint("copy what it refers to into `definitions` (draft-07) or `$defs` (2020-12)"),
        SchemaError::Invalid(_) => failure,
    }
}
