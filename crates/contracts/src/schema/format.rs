//! Formats that the validator leaves alone in draft-07 and that our documents rely on.

use jsonschema::ValidationOptions;

use super::node::Ours;

type Options<'i> = ValidationOptions<'i, std::sync::Arc<dyn jsonschema::Retrieve>, Ours>;

/// Draft-07 does not list `uuid`, so the validator would let anything pass.
pub(super) fn register(options: Options<'_>) -> Options<'_> {
    options.with_format("uuid", is_uuid)
}

/// Eight, four, four, four and twelve hexadecimal digits. The crate reads other forms too, of other lengths.
fn is_uuid(text: &str) -> bool {
    text.len() == uuid::fmt::Hyphenated::LENGTH && uuid::Uuid::try_parse(text).is_ok()
}
