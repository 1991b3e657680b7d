//! The words by which Trace knows who acts in a scenario and what kind of test it needs.
//!
//! `docs/spec/authoring.md` lists them for users; a test compares both.

/// What is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    HappyPath,
    ErrorHandling,
    EdgeCase,
    Permission,
}

impl Class {
    pub const ALL: [Self; 4] =
        [Self::HappyPath, Self::ErrorHandling, Self::EdgeCase, Self::Permission];

    /// The end of a test id.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::HappyPath => "happy-path",
            Self::ErrorHandling => "error-handling",
            Self::EdgeCase => "edge-case",
            Self::Permission => "permission",
        }
    }

    /// The words and phrases that select it.
    #[must_use]
    pub fn words(self) -> &'static [&'static str] {
        match self {
            Self::HappyPath => &[],
            Self::ErrorHandling => ERROR_HANDLING,
            Self::EdgeCase => EDGE_CASE,
            Self::Permission => PERMISSION,
        }
    }
}

/// Left out in front of an actor.
pub const ARTICLES: &[&str] = &["a", "an", "any", "each", "every", "the"];

/// Left out in front of an actor, after an article.
pub const ACTOR_ADJECTIVES: &[&str] = &[
    "anonymous",
    "authenticated",
    "existing",
    "first-time",
    "logged-in",
    "new",
    "registered",
    "returning",
    "signed-in",
    "unauthenticated",
    "unregistered",
];

/// Left out at the beginning of the name that becomes the subject.
pub const ACTORS: &[&str] = &[
    "admin",
    "administrator",
    "admins",
    "agent",
    "app",
    "application",
    "buyer",
    "client",
    "customer",
    "customers",
    "developer",
    "editor",
    "guest",
    "i",
    "manager",
    "member",
    "operator",
    "owner",
    "seller",
    "server",
    "service",
    "shopper",
    "system",
    "user",
    "users",
    "visitor",
    "we",
];

pub const PERMISSION: &[&str] = &[
    "401",
    "403",
    "access control",
    "access denied",
    "denied",
    "forbidden",
    "not allowed",
    "not authorised",
    "not authorized",
    "not permitted",
    "permission",
    "permissions",
    "permitted",
    "privilege",
    "privileges",
    "restricted",
    "role",
    "roles",
    "unauthorised",
    "unauthorized",
];

pub const ERROR_HANDLING: &[&str] = &[
    "400",
    "404",
    "409",
    "422",
    "500",
    "502",
    "503",
    "bad",
    "blocked",
    "broken",
    "can't",
    "cannot",
    "conflict",
    "corrupt",
    "corrupted",
    "crash",
    "crashes",
    "declined",
    "does not exist",
    "duplicate",
    "error",
    "errors",
    "exception",
    "expired",
    "fail",
    "failed",
    "failing",
    "fails",
    "failure",
    "incorrect",
    "invalid",
    "locked",
    "malformed",
    "mismatch",
    "missing",
    "not found",
    "not valid",
    "offline",
    "refused",
    "refuses",
    "reject",
    "rejected",
    "rejects",
    "timeout",
    "times out",
    "unavailable",
    "unknown",
    "unreachable",
    "unsuccessful",
    "unsupported",
    "wrong",
];

pub const EDGE_CASE: &[&str] = &[
    "at least",
    "at most",
    "blank",
    "boundary",
    "concurrent",
    "concurrently",
    "edge",
    "empty",
    "exactly",
    "huge",
    "largest",
    "leap",
    "limit",
    "limits",
    "longest",
    "maximum",
    "midnight",
    "minimum",
    "more than",
    "negative",
    "null",
    "overflow",
    "shortest",
    "simultaneous",
    "simultaneously",
    "smallest",
    "special characters",
    "too large",
    "too long",
    "too many",
    "too short",
    "too small",
    "twice",
    "unicode",
    "whitespace",
    "zero",
];

/// In front of a word of errors and edge cases, at most two words away, they take its meaning away.
pub const NEGATIONS: &[&str] = &["never", "no", "not", "without"];
