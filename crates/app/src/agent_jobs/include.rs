//! What a job is shown with, besides what it always shows.

use crate::error::Refused;

/// The parts that `include` can name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Include {
    pub plan: bool,
    pub audit: bool,
    pub trace: bool,
    pub artifacts: bool,
}

impl Include {
    /// Reads a list such as `plan,audit`. An unknown word is refused.
    pub fn read(list: &str) -> Result<Self, Refused> {
        let mut include = Self::default();
        for word in list.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            match word {
                "plan" => include.plan = true,
                "audit" => include.audit = true,
                "trace" => include.trace = true,
                "artifacts" => include.artifacts = true,
                _ => {
                    let told = format!(
                        "include: there is no {word:?}; there are plan, audit, trace, artifacts"
                    );
                    return Err(Refused::usage("VALIDATION_ERROR", told));
                }
            }
        }
        Ok(include)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_names_parts_and_nothing_else() {
        let all = Include { plan: true, audit: true, trace: true, artifacts: true };
        assert_eq!(Include::read("plan,audit, trace,artifacts").ok(), Some(all));
        assert_eq!(Include::read("").ok(), Some(Include::default()));
        assert!(Include::read("plan,secrets").is_err());
    }
}
