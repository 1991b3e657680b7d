//! Works out the values of a template's placeholders.
//!
//! What is set is split into words and written in each casing. What is not set keeps the template's own
//! name, but for a namespace, which follows the project where it was called after it. Project and namespace
//! that are two names in the template (`choir` and its application `singers`) stay two.

use super::legal;
use crate::{
    manifest::Manifest,
    placeholders::{Casing, Key, Subject, Values, plural, words},
};

const LONGEST: usize = 64;
const LONGEST_NAMESPACE: usize = 120;
/// The address of an author who has none.
const NO_ADDRESS: &str = "author@example.com";

/// A setting that cannot be used, and what was expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{setting}={value:?} cannot be used: {why}")]
pub struct WrongValue {
    pub setting: String,
    pub value: String,
    pub why: String,
}

/// Where a value came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    Set,
    /// It is what the template's project had.
    Default,
    /// It follows from the project's new name.
    Derived,
}

/// A value that was filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Used {
    pub setting: String,
    pub value: String,
    pub origin: Origin,
}

#[derive(Debug, Default)]
pub(super) struct Settled {
    pub(super) values: Values,
    pub(super) used: Vec<Used>,
    pub(super) unused: Vec<String>,
}

pub(super) fn settle(manifest: &Manifest, set: &[(String, String)]) -> Result<Settled, WrongValue> {
    let mut settled = Settled::default();
    for placeholder in &manifest.placeholders {
        // A placeholder that we do not know fills nothing.
        if let Some(key) = Key::named(&placeholder.name) {
            settled.values.insert(key, placeholder.default.clone());
        }
    }
    let mut name = None;
    for (at, (setting, value)) in set.iter().enumerate() {
        let wrong =
            |why: String| WrongValue { setting: setting.clone(), value: value.clone(), why };
        let subject = subject(setting).ok_or_else(|| wrong(unknown(manifest)))?;
        if set[..at].iter().any(|(other, _)| self::subject(other) == Some(subject)) {
            return Err(wrong("it is set twice".to_owned()));
        }
        check(&manifest.language, subject, value).map_err(wrong)?;
        let has = settled.values.keys().any(|key| key.subject == subject);
        if subject == Subject::Project {
            name = Some(value.clone());
            if !has {
                settled.unused.push(setting.clone());
                continue;
            }
        } else if !has {
            return Err(wrong(unknown(manifest)));
        }
        write(&mut settled.values, subject, value);
        settled.used.push(used(subject, value, Origin::Set));
    }
    if let Some(name) = &name {
        derive(manifest, name, set, &mut settled);
    }
    let is_set = |setting: &str| set.iter().any(|(other, _)| other == setting);
    if is_set("author") && !is_set("author-email") {
        // Nobody writes to one person at the address of another.
        write(&mut settled.values, Subject::Email, NO_ADDRESS);
        if manifest.placeholders.iter().any(|it| it.subject == Subject::Email) {
            settled.used.push(used(Subject::Email, NO_ADDRESS, Origin::Derived));
        }
    }
    let all =
        [Subject::Project, Subject::Namespace, Subject::Entity, Subject::Author, Subject::Email];
    for subject in all {
        if settled.used.iter().any(|it| it.setting == subject.setting()) {
            continue;
        }
        let default = manifest.placeholders.iter().find(|it| it.subject == subject);
        settled.used.extend(default.map(|it| used(subject, &it.default, Origin::Default)));
    }
    Ok(settled)
}

/// Two settings with the same words, if there are such: the reason why two files of a template
/// would get the same path.
pub(super) fn alike(used: &[Used]) -> Option<WrongValue> {
    let set = |it: &&Used| it.origin == Origin::Set;
    used.iter().filter(set).find_map(|one| {
        let other = used.iter().find(|other| {
            other.setting != one.setting && words(&other.value) == words(&one.value)
        })?;
        let why = format!(
            "{} has the value {} too, and two files would get the same path; set one of them to \
             something else",
            other.setting, other.value
        );
        Some(WrongValue { setting: one.setting.clone(), value: one.value.clone(), why })
    })
}

fn used(subject: Subject, value: &str, origin: Origin) -> Used {
    Used { setting: subject.setting().to_owned(), value: value.to_owned(), origin }
}

fn subject(setting: &str) -> Option<Subject> {
    Some(match setting {
        "name" => Subject::Project,
        "namespace" => Subject::Namespace,
        "entity" => Subject::Entity,
        "author" => Subject::Author,
        "author-email" => Subject::Email,
        _ => return None,
    })
}

fn unknown(manifest: &Manifest) -> String {
    let mut known: Vec<&str> =
        manifest.placeholders.iter().map(|it| it.subject.setting()).collect();
    known.sort_unstable();
    known.dedup();
    if known.is_empty() {
        return "the template has nothing that can be set".to_owned();
    }
    format!("the template has {}", known.join(", "))
}

fn check(language: &str, subject: Subject, value: &str) -> Result<(), String> {
    let longest = if subject == Subject::Namespace { LONGEST_NAMESPACE } else { LONGEST };
    if value.is_empty() || value.chars().count() > longest {
        return Err(format!("it must have 1 to {longest} characters"));
    }
    if subject == Subject::Email {
        let fits = |it: char| it.is_ascii_alphanumeric() || "@._+-".contains(it);
        let parts = value.split_once('@').filter(|(who, host)| !who.is_empty() && !host.is_empty());
        return match parts {
            Some((_, host)) if value.chars().all(fits) && !host.contains('@') => Ok(()),
            Some(_) | None => Err("write an e-mail address, such as `jane@example.org`".to_owned()),
        };
    }
    if subject == Subject::Author {
        // It gets into strings of every language.
        let bad = |it: char| it.is_control() || "\"\\`${}<>".contains(it);
        return if value.contains(bad) || value.trim() != value {
            Err("write a person or company, such as `Jane Doe`, without quotes, braces or addresses".to_owned())
        } else {
            Ok(())
        };
    }
    let separators = if subject == Subject::Namespace { "-_./\\:" } else { "-_. " };
    if let Some(bad) = value.chars().find(|it| !(it.is_alphanumeric() || separators.contains(*it)))
    {
        return Err(format!("it has {bad:?}; write words, such as `my-shop` or `MyShop`"));
    }
    let parts: Vec<&str> = if subject == Subject::Namespace {
        value.split(['.', '/', '\\', ':']).filter(|it| !it.is_empty()).collect()
    } else {
        vec![value]
    };
    let odd = subject == Subject::Namespace
        && (value.starts_with(['.', '/'])
            || value.ends_with(['.', '/'])
            || value.contains("..")
            || value.contains("//"));
    if parts.is_empty() || odd || parts.iter().any(|it| words(it).is_empty()) {
        return Err("it has no words; write something like `my-shop` or `com.acme.shop`".to_owned());
    }
    // The last part is what packages are called; those before it may be `2ndquadrant.com`.
    let checked = if value.contains('/') { &parts[parts.len() - 1..] } else { &parts[..] };
    checked.iter().find_map(|part| legal::fault(language, &words(part))).map_or(Ok(()), Err)
}

/// Writes a value in each casing that there is a placeholder for.
fn write(values: &mut Values, subject: Subject, value: &str) {
    let one = words(value);
    let many = plural(&one);
    for (key, text) in values.iter_mut() {
        let of = match (subject, key.subject) {
            (Subject::Entity, Subject::Entities) => &many,
            (subject, other) if subject == other => &one,
            (_, _) => continue,
        };
        *text = match (key.subject, key.casing) {
            (Subject::Namespace, Casing::AsIs) => joined(value, separator(text)),
            (Subject::Namespace, Casing::Lower) => joined(value, separator(text)).to_lowercase(),
            (Subject::Namespace, Casing::Path) => joined(value, "/"),
            (Subject::Namespace, Casing::Escaped) => joined(value, "\\\\"),
            (Subject::Author | Subject::Email, Casing::AsIs) => value.to_owned(),
            (_, casing) => casing.write(of),
        };
    }
}

/// What stands between the parts of a namespace. A dot belongs to a host where there are slashes.
fn separator(namespace: &str) -> &'static str {
    ["/", "\\", "::", "."].into_iter().find(|it| namespace.contains(it)).unwrap_or(".")
}

/// A namespace in the template's own manner, whichever it was given in.
fn joined(value: &str, with: &str) -> String {
    let own = separator(value);
    value.split(own).filter(|it| !it.is_empty()).collect::<Vec<_>>().join(with)
}

/// Whether one begins with the other: `args4j` and `args4j-site`.
fn is_akin(one: &str, other: &str) -> bool {
    one.len().min(other.len()) >= 3 && (one.starts_with(other) || other.starts_with(one))
}

/// A namespace that was called after the project is called after the new one.
fn derive(manifest: &Manifest, name: &str, set: &[(String, String)], settled: &mut Settled) {
    if set.iter().any(|(setting, _)| setting == "namespace") {
        return;
    }
    let of =
        |subject: Subject| manifest.placeholders.iter().filter(move |it| it.subject == subject);
    if of(Subject::Namespace).next().is_none() {
        return;
    }
    let old = of(Subject::Project).next().map(|it| words(&it.default)).unwrap_or_default();
    let flat = |words: &[String]| words.concat();
    let whole = of(Subject::Namespace).find(|it| it.casing == Casing::AsIs);
    let Some(whole) = whole else {
        // One word, such as the folder of the code. Where the template writes both names in one casing, one
        // value for both would make one folder of two.
        let akin = of(Subject::Namespace)
            .next()
            .is_some_and(|it| is_akin(&flat(&words(&it.default)), &flat(&old)));
        let both = of(Subject::Namespace)
            .any(|it| of(Subject::Project).any(|other| other.casing == it.casing));
        if akin && !both {
            write(&mut settled.values, Subject::Namespace, name);
            settled.used.push(used(Subject::Namespace, name, Origin::Derived));
        }
        return;
    };
    let between = separator(&whole.default);
    let mut parts: Vec<String> = whole.default.split(between).map(str::to_owned).collect();
    let new = words(name);
    if flat(&words(&whole.default)) == flat(&old) {
        parts = vec![Casing::Pascal.write(&new)];
    } else if let Some(last) = parts.last_mut()
        && is_akin(&flat(&words(last)), &flat(&old))
    {
        let casings = Casing::OF_WORDS.into_iter();
        let like = casings.filter(|it| it.write(&words(last)) == *last).max_by_key(|it| {
            // A plain word is written flat in a package and with hyphens in an address.
            let plain = if between == "/" { Casing::Kebab } else { Casing::Flat };
            (*it == plain, *it == Casing::Pascal)
        });
        *last = like.unwrap_or(Casing::Flat).write(&new);
    } else {
        return;
    }
    let value = parts.join(between);
    write(&mut settled.values, Subject::Namespace, &value);
    settled.used.push(used(Subject::Namespace, &value, Origin::Derived));
}
