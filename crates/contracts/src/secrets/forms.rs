//! The forms that keys, tokens and passwords have in a text, and where they are.
//!
//! All beginnings are looked for in one pass. What follows a beginning is looked at up to a bound
//! before it is taken, and what was taken is not looked at again, so the whole is linear in the text.

use std::{ops::Range, sync::LazyLock};

use aho_corasick::{AhoCorasick, MatchKind};

/// Where a secret is, and whether its form alone proves that it is one.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) range: Range<usize>,
    pub(super) kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    PrivateKey,
    /// The form is unmistakable.
    Token,
    /// It stands where a secret would. Examples often do, too.
    Likely,
}

/// What has to follow the beginning of a form.
#[derive(Clone, Copy)]
enum Rest {
    /// At least so many letters, digits and others of these.
    Token(usize, &'static [u8]),
    /// Exactly so many letters and digits, each of which is one of the class.
    Exactly(usize, fn(&u8) -> bool),
    /// A separator and a value of at least so many letters, digits and others of these. The name
    /// is known in whichever case.
    Named(usize, &'static [u8], Kind),
    /// The rest of a name that an HTTP header has, a scheme and its value.
    Header,
    /// A value of a connection string, up to the next `;`.
    Password,
    /// Parts of base64url with a dot between them, each at least so long.
    Parts(&'static [usize]),
    /// `user:password@`.
    Url,
    /// The body of a private key.
    Pem,
}

const WIDE: &[u8] = b"_-.";
const BASE64: &[u8] = b"+/=";
const AWS: Rest = Rest::Named(40, BASE64, Kind::Token);
const TWILIO: Rest = Rest::Named(32, b"", Kind::Token);
const CONNECTION: Rest = Rest::Named(40, BASE64, Kind::Token);
const SLACK: Rest = Rest::Token(16, WIDE);
const GITHUB: Rest = Rest::Token(30, WIDE);
const GITLAB: Rest = Rest::Token(20, WIDE);
const STRIPE: Rest = Rest::Token(16, b"");
const DIGITAL_OCEAN: Rest = Rest::Exactly(64, u8::is_ascii_hexdigit);
const ACCESS_KEY_ID: Rest = Rest::Exactly(16, is_upper_or_digit);

const FORMS: &[(&str, Rest)] = &[
    ("AKIA", ACCESS_KEY_ID),
    ("ASIA", ACCESS_KEY_ID),
    ("aws_secret_access_key", AWS),
    ("aws_secret_key", AWS),
    ("secretAccessKey", AWS),
    ("aws_session_token", AWS),
    ("ghp_", GITHUB),
    ("gho_", GITHUB),
    ("ghr_", GITHUB),
    ("ghs_", GITHUB),
    ("ghu_", GITHUB),
    ("github_pat_", Rest::Token(20, WIDE)),
    ("glpat-", GITLAB),
    ("gldt-", GITLAB),
    ("glrt-", GITLAB),
    ("glcbt-", GITLAB),
    ("glptt-", GITLAB),
    ("glsoat-", GITLAB),
    ("gloas-", GITLAB),
    ("xoxa-", SLACK),
    ("xoxb-", SLACK),
    ("xoxc-", SLACK),
    ("xoxd-", SLACK),
    ("xoxe-", SLACK),
    ("xoxe.", SLACK),
    ("xoxp-", SLACK),
    ("xoxr-", SLACK),
    ("xoxs-", SLACK),
    ("xapp-1-", SLACK),
    ("hooks.slack.com/services/", Rest::Token(40, b"/")),
    ("sk-ant-", Rest::Token(16, WIDE)),
    ("sk-proj-", Rest::Token(16, WIDE)),
    ("sk-svcacct-", Rest::Token(16, WIDE)),
    ("sk-admin-", Rest::Token(16, WIDE)),
    ("sk-live-", Rest::Token(16, WIDE)),
    ("sk-or-v1-", Rest::Token(32, b"")),
    // Without dashes, as words have them: `sk-container-id-1`.
    ("sk-", Rest::Token(32, b"")),
    ("sk_live_", STRIPE),
    ("sk_test_", STRIPE),
    ("rk_live_", STRIPE),
    ("rk_test_", STRIPE),
    ("whsec_", Rest::Token(24, BASE64)),
    ("AIza", Rest::Token(35, b"_-")),
    ("GOCSPX-", Rest::Token(24, b"_-")),
    ("ya29.", Rest::Token(30, b"_-.")),
    ("npm_", Rest::Token(36, b"")),
    ("_authToken", Rest::Named(8, b"_-.+/=", Kind::Likely)),
    ("pypi-AgEI", Rest::Token(40, WIDE)),
    ("pypi-AgEN", Rest::Token(40, WIDE)),
    ("hf_", Rest::Token(30, b"")),
    ("api_org_", Rest::Token(30, b"")),
    ("SG.", Rest::Parts(&[16, 32])),
    ("SK", Rest::Exactly(32, is_lower_hex)),
    ("twilio_auth_token", TWILIO),
    ("twilioAuthToken", TWILIO),
    ("dop_v1_", DIGITAL_OCEAN),
    ("doo_v1_", DIGITAL_OCEAN),
    ("dor_v1_", DIGITAL_OCEAN),
    ("AccountKey", CONNECTION),
    ("SharedAccessKey", CONNECTION),
    (";password=", Rest::Password),
    ("; password=", Rest::Password),
    (";pwd=", Rest::Password),
    ("; pwd=", Rest::Password),
    ("authorization", Rest::Header),
    (JWT, Rest::Parts(&[7, 8, 20])),
    ("://", Rest::Url),
    (BEGIN, Rest::Pem),
];

static FINDER: LazyLock<AhoCorasick> = LazyLock::new(|| {
    AhoCorasick::builder()
        .match_kind(MatchKind::Standard)
        .ascii_case_insensitive(true)
        .build(FORMS.iter().map(|(begin, _)| begin))
        .expect("a few short words are not too many")
});

/// All secrets of a text. Their ranges lie between characters, and may overlap.
pub(super) fn find(text: &str) -> impl Iterator<Item = Found> {
    let mut taken = 0;
    // All beginnings in these bytes were looked at as part of an earlier one.
    let mut header = 0;
    FINDER.find_overlapping_iter(text).flat_map(move |hit| {
        let (at, end) = (hit.start(), hit.end());
        let (begin, rest) = FORMS[hit.pattern().as_usize()];
        let exact = &text[at..end] == begin;
        let one = |kind, range: Option<Range<usize>>| {
            range.map(|range| Found { range, kind }).into_iter().collect()
        };
        let found: Vec<Found> = if at < taken {
            Vec::new()
        } else {
            match rest {
                Rest::Token(least, also) if exact && begins(text, at) => {
                    one(Kind::Token, token(text, end, least, also).map(|end| at..end))
                }
                Rest::Exactly(length, class) if exact && begins(text, at) => {
                    one(Kind::Token, exactly(text, end, length, class).map(|end| at..end))
                }
                Rest::Parts(least)
                    if exact && begins(text, at) && (begin != JWT || at >= header) =>
                {
                    header = header.max(if begin == JWT { end + run(text, end, b"_-") } else { 0 });
                    one(Kind::Token, parts(text, end, least).map(|end| at..end))
                }
                Rest::Token(..) | Rest::Exactly(..) | Rest::Parts(_) => Vec::new(),
                Rest::Named(least, also, kind) => one(kind, named(text, end, least, also)),
                Rest::Header => one(Kind::Likely, authorization(text, end)),
                Rest::Password => one(Kind::Likely, password(text, end)),
                Rest::Url => one(Kind::Likely, user(text, end)),
                Rest::Pem => {
                    let ranges = if exact { pem(text, end) } else { Vec::new() };
                    let kind = Kind::PrivateKey;
                    ranges.into_iter().map(|range| Found { range, kind }).collect()
                }
            }
        };
        // Between the pieces of a key there may be something else.
        let last = found.last().filter(|found| found.kind != Kind::PrivateKey);
        taken = last.map_or(taken, |found| taken.max(found.range.end));
        found
    })
}

fn is_upper_or_digit(byte: &u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit()
}

fn is_lower_hex(byte: &u8) -> bool {
    byte.is_ascii_hexdigit() && !byte.is_ascii_uppercase()
}

/// Whether a word begins here. In JSON a line that ended before it is an `n` after a backslash.
fn begins(text: &str, at: usize) -> bool {
    let mut before = text[..at].chars().rev();
    match before.next() {
        Some('n' | 'r' | 't' | 'b' | 'f') => before.next() == Some('\\'),
        // `\npm_` is the end of a line.
        Some('\\') if text[at..].starts_with(['n', 'r', 't', 'b', 'f', 'u']) => {
            before.take_while(|it| *it == '\\').count() % 2 == 1
        }
        Some(it) => !it.is_alphanumeric(),
        None => true,
    }
}

/// How many letters, digits and others of these there are.
fn run(text: &str, at: usize, also: &[u8]) -> usize {
    let rest = &text.as_bytes()[at..];
    rest.iter().take_while(|it| it.is_ascii_alphanumeric() || also.contains(it)).count()
}

/// Whether it looks random. Words and placeholders (`YOUR_KEY`, `xxxx`) do not.
fn is_random(value: &[u8]) -> bool {
    let mut seen = [false; 256];
    let (mut letters, mut digit, mut upper, mut lower) = (0, false, false, false);
    for byte in value {
        if !std::mem::replace(&mut seen[usize::from(*byte)], true) {
            letters += 1;
        }
        digit |= byte.is_ascii_digit();
        upper |= byte.is_ascii_uppercase();
        lower |= byte.is_ascii_lowercase();
    }
    letters > 3 && (digit || (upper && lower))
}

/// Where the token ends whose rest begins here.
fn token(text: &str, at: usize, least: usize, also: &[u8]) -> Option<usize> {
    let looked_at = text.as_bytes()[at..].iter().take(least.max(64));
    let first = looked_at.take_while(|it| it.is_ascii_alphanumeric() || also.contains(it)).count();
    let held = first >= least && is_random(&text.as_bytes()[at..at + first]);
    // A sentence may end after it.
    held.then(|| {
        let end = at + first + run(text, at + first, also);
        at + text[at..end].trim_end_matches('.').len()
    })
}

fn exactly(text: &str, at: usize, length: usize, class: fn(&u8) -> bool) -> Option<usize> {
    let value = text.as_bytes().get(at..at + length)?;
    let ends = !text.as_bytes().get(at + length).is_some_and(u8::is_ascii_alphanumeric);
    (ends && value.iter().all(class) && is_random(value)).then_some(at + length)
}

/// What stands between a name and its value: `=`, `": "`, `", "`, `"] = "`, `>`.
fn separated(text: &str, at: usize) -> Option<usize> {
    let between = |it: &&u8| b" \t\"'`\\:=>,[](".contains(it);
    let length = text.as_bytes()[at..].iter().take(13).take_while(between).count();
    let between = &text.as_bytes()[at..at + length];
    // After a backslash stands the letter of an escape.
    let whole = between.last().is_some_and(|last| *last != b'\\');
    (length < 13 && whole && between.iter().any(|it| b":=>,".contains(it))).then_some(at + length)
}

fn named(text: &str, at: usize, least: usize, also: &[u8]) -> Option<Range<usize>> {
    let start = separated(text, at)?;
    token(text, start, least, also).map(|end| start..end)
}

fn authorization(text: &str, at: usize) -> Option<Range<usize>> {
    let scheme = separated(text, at)?;
    let (length, least) =
        [("bearer", 12), ("basic", 8), ("token", 12)].into_iter().find_map(|(name, least)| {
            let said = text.as_bytes().get(scheme..scheme + name.len())?;
            said.eq_ignore_ascii_case(name.as_bytes()).then_some((name.len(), least))
        })?;
    let spaces = text.as_bytes()[scheme + length..].iter().take(5).take_while(|it| **it == b' ');
    let spaces = spaces.count();
    let start = scheme + length + spaces;
    let end = token(text, start, least, b"_-.~+/=")?;
    (spaces > 0).then_some(start..end)
}

fn password(text: &str, at: usize) -> Option<Range<usize>> {
    let ends = |it: char| it.is_whitespace() || ";\"'`\\<>{}$%".contains(it);
    let value = text[at..].split(ends).next()?;
    (!value.is_empty()).then_some(at..at + value.len())
}

/// Credentials in URLs: `scheme://user:password@host`.
fn user(text: &str, at: usize) -> Option<Range<usize>> {
    let ends = |it: char| it.is_whitespace() || "/\"'`<>?#\\".contains(it);
    let place = text[at..].split(ends).next()?;
    let user = place.rsplit_once('@').map(|(user, _)| user)?;
    user.contains(':').then_some(at..at + user.len())
}

/// Where the parts end. An encrypted JWT has more of them than a signed one.
fn parts(text: &str, at: usize, least: &[usize]) -> Option<usize> {
    let mut end = at;
    for (number, least) in least.iter().enumerate() {
        if number > 0 {
            end += usize::from(text.as_bytes().get(end) == Some(&b'.'));
        }
        let length = run(text, end, b"_-");
        if length < *least {
            return None;
        }
        end += length;
    }
    let more = run(text, end, b"_-.");
    let found = text[at..end + more].trim_end_matches('.');
    is_random(found.as_bytes()).then_some(at + found.len())
}

/// How a JSON object begins in base64.
const JWT: &str = "eyJ";
const BEGIN: &str = "-----BEGIN ";
const LARGEST_KEY: usize = 16 << 10;

/// The pieces of a private key's body. Quotes between them stay, so that a string that ends in it still
/// does.
fn pem(text: &str, at: usize) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let dashes = |from: usize, most: usize| {
        let within = &bytes[from..bytes.len().min(from + most)];
        within.windows(5).position(|it| it == b"-----").map(|it| from + it)
    };
    let Some(start) = dashes(at, 40).map(|it| it + 5) else { return Vec::new() };
    let head = &text[at..start - 5];
    if !head.ends_with("PRIVATE KEY") && !head.ends_with("PRIVATE KEY BLOCK") {
        return Vec::new();
    }
    // A test that looks for the words has no key behind them. In a string lines end with `\\n`.
    let spaces = |it: &&u8| it.is_ascii_whitespace() || b"\\n\"'+,".contains(it);
    let first = start + bytes[start..].iter().take_while(spaces).count();
    let headers: [&[u8]; 3] = [b"Proc-Type", b"Version:", b"Comment:"];
    let held = bytes[first..].iter().take(16).take_while(|it| is_base64(it)).count() == 16;
    if !held && !headers.iter().any(|header| bytes[first..].starts_with(header)) {
        return Vec::new();
    }
    let (end, ended) = match dashes(start, LARGEST_KEY) {
        Some(end) => (end, bytes[end..].starts_with(b"-----END")),
        None => (bytes.len().min(start + LARGEST_KEY), false),
    };
    if ended { quoted(bytes, start, end) } else { lines(bytes, start, end) }
}

fn is_base64(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || BASE64.contains(byte)
}

/// What is between quotes, of a body that has an end.
fn quoted(bytes: &[u8], start: usize, end: usize) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let (mut from, mut at) = (start, start);
    while at <= end {
        let backslashes = bytes[at..end].iter().take_while(|it| **it == b'\\').count();
        let escape = backslashes > 0
            && at + backslashes < end
            && b"nrtbfu/".contains(&bytes[at + backslashes]);
        if escape {
            at += backslashes + 1;
        } else if at == end || b"\"'`\\".contains(&bytes[at]) {
            let piece = &bytes[from..at];
            // Outside of strings stand separators, and words such as `false`.
            let letters = piece.iter().filter(|it| it.is_ascii_alphabetic()).count();
            let inside = from == start || at == end;
            let words = piece.iter().filter(|it| is_base64(it)).count();
            if !piece.is_empty() && (inside || (letters >= 2 && words >= 6)) {
                pieces.push(from..at);
            }
            at += backslashes.max(1);
            from = at;
        } else {
            at += 1;
        }
    }
    pieces
}

/// The lines of base64 of a body that was cut off, up to where something else follows.
fn lines(bytes: &[u8], start: usize, end: usize) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let mut at = start;
    while at < end {
        // The letter of an escape stays.
        if bytes[at] == b'\\' {
            at += 2;
            continue;
        }
        let length = bytes[at..end].iter().take_while(|it| is_base64(it)).count();
        let letters = bytes[at..at + length].iter().filter(|it| it.is_ascii_alphabetic());
        // A long number has no place here, and may stand outside of strings.
        if length >= 16 && letters.count() >= 4 {
            pieces.push(at..at + length);
        } else {
            let between = bytes[at].is_ascii_whitespace() || b"\"'`,".contains(&bytes[at]);
            if !pieces.is_empty() && !between {
                break;
            }
        }
        at += length.max(1);
    }
    pieces
}
