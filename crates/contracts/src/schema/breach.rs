//! A breach: where a document breaks its contract, by which keyword, in words that a person can
//! act on.

use std::fmt;

use jsonschema::{
    ValidationError,
    error::{TypeKind, ValidationErrorKind},
};

use crate::json::Json;

/// One rule that a document breaks.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Breach {
    /// A JSON pointer to the value that breaks the rule. A missing or unknown member is a breach
    /// of the object around it.
    pub pointer: String,
    /// The JSON Schema keyword that was broken.
    pub keyword: String,
    pub message: String,
}

impl Breach {
    /// A breach at the value itself.
    pub(crate) fn new(keyword: &str, message: String) -> Self {
        Self { pointer: String::new(), keyword: keyword.to_owned(), message }
    }

    /// This breach, seen from the object or array around it.
    pub(crate) fn under(mut self, member: &str) -> Self {
        let escaped = member.replace('~', "~0").replace('/', "~1");
        self.pointer = format!("/{escaped}{}", self.pointer);
        self
    }

    pub(super) fn from_error(error: &ValidationError<'_>, document: &Json<'_>) -> Self {
        let pointer = error.instance_path().as_str().to_owned();
        Self {
            keyword: error.kind().keyword().to_owned(),
            message: describe(error, document.at(&pointer), document),
            pointer,
        }
    }
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = if self.pointer.is_empty() { "the document" } else { &self.pointer };
        write!(f, "{place}: {}", self.message)
    }
}

/// `found` is the value that breaks the rule, somewhere in `document`.
fn describe(error: &ValidationError<'_>, found: Option<&Json<'_>>, document: &Json<'_>) -> String {
    use ValidationErrorKind as Kind;
    let shown = found.map_or_else(|| "this".to_owned(), show);
    let size = |unit: &str| match found {
        Some(Json::String(text)) => format!("{} {unit}", text.chars().count()),
        Some(Json::Array(items)) => format!("{} {unit}", items.len()),
        Some(Json::Object(object)) => format!("{} {unit}", object.len()),
        Some(Json::Null | Json::Bool(_) | Json::Number(_)) | None => shown.clone(),
    };
    #[expect(clippy::wildcard_enum_match_arm, reason = "the rest keep the validator's own words")]
    match error.kind() {
        Kind::Required { property } => format!("`{}` is missing", plain(property)),
        Kind::AdditionalProperties { unexpected } => {
            let (noun, names) =
                (if unexpected.len() == 1 { "field" } else { "fields" }, unexpected);
            format!("unknown {noun} {}", list(names.iter().map(|name| format!("`{}`", cut(name)))))
        }
        Kind::Type { kind } => {
            let expected = match kind {
                TypeKind::Single(one) => one.to_string(),
                TypeKind::Multiple(many) => {
                    many.iter().map(|one| one.to_string()).collect::<Vec<_>>().join(" or ")
                }
            };
            format!("expected {expected}, found {}", found.map_or("something else", Json::kind))
        }
        Kind::Enum { options } => {
            let options = options.as_array().map(Vec::as_slice).unwrap_or_default();
            format!("{shown} is not one of {}", list(options.iter().map(ToString::to_string)))
        }
        Kind::Constant { expected_value } => format!("{shown} is not {expected_value}"),
        Kind::Pattern { pattern } => format!("{shown} does not match {pattern}"),
        Kind::Format { format } if format == "date-time" => {
            format!("{shown} is not a valid date-time, such as 2026-01-31T12:00:00Z")
        }
        Kind::Format { format } => format!("{shown} is not a valid {format}"),
        Kind::Minimum { limit } => format!("{shown} is below the minimum of {limit}"),
        Kind::Maximum { limit } => format!("{shown} is above the maximum of {limit}"),
        Kind::ExclusiveMinimum { limit } => format!("{shown} is not above {limit}"),
        Kind::ExclusiveMaximum { limit } => format!("{shown} is not below {limit}"),
        Kind::MinLength { limit } => format!("{}, at least {limit} needed", size("characters")),
        Kind::MaxLength { limit } => format!("{}, at most {limit} allowed", size("characters")),
        Kind::MinItems { limit } => format!("{}, at least {limit} needed", size("items")),
        Kind::MaxItems { limit } => format!("{}, at most {limit} allowed", size("items")),
        Kind::MinProperties { limit } => format!("{}, at least {limit} needed", size("fields")),
        Kind::MaxProperties { limit } => format!("{}, at most {limit} allowed", size("fields")),
        Kind::MultipleOf { multiple_of } => format!("{shown} is not a multiple of {multiple_of}"),
        Kind::UniqueItems => "two of its items are equal".to_owned(),
        Kind::Contains => "no item is of the kind that it must contain".to_owned(),
        Kind::UnevaluatedProperties { unexpected } => {
            format!(
                "unknown fields {}",
                list(unexpected.iter().map(|name| format!("`{}`", cut(name))))
            )
        }
        Kind::AnyOf { context } => match missing_everywhere(context) {
            Some(names) => format!("one of {} is needed", list(names.into_iter())),
            None => none_of(context, error, document),
        },
        Kind::OneOfNotValid { context } => none_of(context, error, document),
        Kind::OneOfMultipleValid { .. } => "matches more than one of the allowed forms".to_owned(),
        Kind::PropertyNames { error } => {
            let key = error.instance().as_str().map(Json::from);
            let shown = key.as_ref().map_or_else(|| "a key".to_owned(), show);
            format!("the key {shown}: {}", describe(error, key.as_ref(), document))
        }
        Kind::FalseSchema => "nothing is allowed here".to_owned(),
        Kind::Not { .. } => "is what the contract forbids".to_owned(),
        _ => error.masked_with("the value").to_string(),
    }
}

/// What keeps a value from the form that it comes closest to.
fn none_of(
    context: &[Vec<ValidationError<'static>>],
    around: &ValidationError<'_>,
    document: &Json<'_>,
) -> String {
    use ValidationErrorKind as Kind;
    let is_here = |error: &ValidationError<'_>| error.instance_path() == around.instance_path();
    // A form for another kind of value is not close.
    let about_it = |errors: &&Vec<ValidationError<'static>>| {
        !errors.iter().any(|error| is_here(error) && matches!(error.kind(), Kind::Type { .. }))
    };
    let closest = context.iter().filter(about_it).min_by_key(|errors| errors.len());
    let Some(error) = closest.and_then(|errors| errors.first()) else {
        return "matches none of the allowed forms".to_owned();
    };
    let pointer = error.instance_path().as_str();
    // One level is enough to act on.
    let why = match matches!(error.kind(), Kind::AnyOf { .. } | Kind::OneOfNotValid { .. }) {
        true => "matches none of its forms".to_owned(),
        false => describe(error, document.at(pointer), document),
    };
    let place = if is_here(error) { String::new() } else { format!("{}: ", cut(pointer)) };
    format!("matches none of the allowed forms; for the closest, {place}{why}")
}

/// Where every form fails only for a missing member, the names of those members.
fn missing_everywhere(context: &[Vec<ValidationError<'static>>]) -> Option<Vec<String>> {
    let missing = |errors: &Vec<ValidationError<'static>>| {
        let [error] = errors.as_slice() else { return None };
        let ValidationErrorKind::Required { property } = error.kind() else { return None };
        Some(format!("`{}`", plain(property)))
    };
    context.iter().map(missing).collect()
}

fn plain(name: &serde_json::Value) -> String {
    name.as_str().map_or_else(|| name.to_string(), str::to_owned)
}

/// The value where it is short, its kind where it is not.
fn show(json: &Json<'_>) -> String {
    match json {
        Json::Array(_) => "the array".to_owned(),
        Json::Object(_) => "the object".to_owned(),
        Json::String(text) => crate::json::quoted(&cut(text)),
        Json::Number(number) => cut(number.as_str()),
        Json::Null | Json::Bool(_) => json.to_string(),
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

fn list(items: impl ExactSizeIterator<Item = String>) -> String {
    const SHOWN: usize = 10;
    let hidden = items.len().saturating_sub(SHOWN);
    let mut text = items.take(SHOWN).collect::<Vec<_>>().join(", ");
    if hidden > 0 {
        text.push_str(&format!(" and {hidden} more"));
    }
    text
}
