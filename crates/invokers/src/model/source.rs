//! Where the answers of a model agent come from: models, a recording, a script, or a person.

use std::path::PathBuf;

use consign_models::ModelName;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A model, and those to fall back to.
    Models(Vec<ModelName>),
    /// A recording.
    Replay(PathBuf),
    /// A script.
    Script(PathBuf),
    /// An answer from outside, over the bridge.
    Bridge,
}

impl Source {
    /// Reads `provider/model`, `replay:FILE`, `scripted:FILE` or `bridge`.
    pub fn read(name: &str, fallback: &[String]) -> Result<Self, String> {
        let alone = |source| match fallback {
            [] => Ok(source),
            _ => Err(format!("{name} replaces the model and takes no fallback")),
        };
        if let Some(path) = name.strip_prefix("replay:") {
            return alone(Self::Replay(file(name, path)?));
        }
        if let Some(path) = name.strip_prefix("scripted:") {
            return alone(Self::Script(file(name, path)?));
        }
        if name == "bridge" {
            return alone(Self::Bridge);
        }
        let chain: Vec<ModelName> = std::iter::once(name)
            .chain(fallback.iter().map(String::as_str))
            .map(str::parse)
            .collect::<Result<_, _>>()
            .map_err(|why| {
                format!(
                    "{why}. Instead of a model you can write bridge, replay:FILE or scripted:FILE"
                )
            })?;
        if chain.len() > MOST_MODELS {
            return Err(format!("{} models are too many; the most are {MOST_MODELS}", chain.len()));
        }
        Ok(Self::Models(chain))
    }
}

/// The most models in a chain: each is tried in turn, and the worst case adds up.
const MOST_MODELS: usize = 8;

fn file(name: &str, path: &str) -> Result<PathBuf, String> {
    if path.is_empty() {
        return Err(format!("{name} names no file"));
    }
    // A run may go on in another folder.
    std::path::absolute(path).map_err(|cause| format!("{name}: {cause}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_is_read_by_its_name() {
        let check = |name: &str, is: fn(&Source) -> bool| {
            assert!(is(&Source::read(name, &[]).unwrap()), "{name}");
        };
        check("gpt-5-mini", |source| matches!(source, Source::Models(chain) if chain.len() == 1));
        check(
            "replay:a.jsonl",
            |source| matches!(source, Source::Replay(path) if path.is_absolute()),
        );
        check("scripted:/a.json", |source| matches!(source, Source::Script(_)));
        check("bridge", |source| *source == Source::Bridge);
        for bad in ["", "replay:", "scripted:", "nobody/x"] {
            assert!(Source::read(bad, &[]).is_err(), "{bad}");
        }
        assert!(Source::read("bridge", &["gpt-5".to_owned()]).is_err());
    }
}
