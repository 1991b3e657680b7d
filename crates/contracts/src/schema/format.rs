//! Formats that the validator leaves alone in draft-07 and that our documents rely on.

use jsonschema::ValidationOptions;

use super::node::Ours;

type Options<'i> = ValidationOptions<'i, std::sync::Arc<dyn jsonschema::Retrieve>, Ours>;

/// Draft-07 does not list `uuid`, so the validator would let anything pass.
pub(super) fn register(options: Options<'_>) -> Options<'_> {
    options.with_format("uuid", is_uuid)
}

/// Eight, four, four, four and twelve hexadecimal digits.
fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}
