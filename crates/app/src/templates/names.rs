//! Names of templates and projects, as types that can only hold what is allowed.

use std::{fmt, str::FromStr};

use consign_template::placeholders::check_name;

/// What a template is called: 3 to 50 small letters, digits and hyphens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateName(String);

impl FromStr for TemplateName {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let fits =
            |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
        if (3..=50).contains(&name.len()) && name.chars().all(fits) {
            return Ok(Self(name.to_owned()));
        }
        Err("a name is 3 to 50 small letters, digits and hyphens".to_owned())
    }
}

impl fmt::Display for TemplateName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The name of a project that becomes a placeholder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectName(String);

impl FromStr for ProjectName {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        check_name(name).map(|()| Self(name.to_owned()))
    }
}

impl fmt::Display for ProjectName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_has_a_plain_name() {
        for (name, fits) in [
            ("web-api", true),
            ("abc", true),
            ("ab", false),
            ("Web-api", false),
            ("web_api", false),
            ("web/api", false),
            (&*"a".repeat(50), true),
            (&*"a".repeat(51), false),
        ] {
            assert_eq!(name.parse::<TemplateName>().is_ok(), fits, "{name}");
        }
    }
}
