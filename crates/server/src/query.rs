//! What follows the `?`: each name once, none that is not known.

use std::borrow::Cow;

use axum::http::Uri;
use percent_encoding::percent_decode_str;

use crate::error::Problem;

/// Parameters that nobody has asked for yet.
pub(crate) struct Query<'a>(Vec<(Cow<'a, str>, Cow<'a, str>)>);

impl<'a> Query<'a> {
    pub(crate) fn of(uri: &'a Uri) -> Result<Self, Problem> {
        let pairs = uri.query().unwrap_or_default().split('&').filter(|pair| !pair.is_empty());
        let mut read: Vec<(Cow<'a, str>, Cow<'a, str>)> = Vec::new();
        for pair in pairs {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let (name, value) = (decoded(name)?, decoded(value)?);
            if read.iter().any(|(known, _)| *known == name) {
                return Err(Problem::invalid(format!("the parameter {name:?} is there twice")));
            }
            read.push((name, value));
        }
        Ok(Self(read))
    }

    pub(crate) fn take(&mut self, name: &str) -> Option<String> {
        let at = self.0.iter().position(|(known, _)| known == name)?;
        Some(self.0.swap_remove(at).1.into_owned())
    }

    /// A parameter that must be of a kind: `wanted` says in words which.
    pub(crate) fn read<T>(
        &mut self,
        name: &str,
        wanted: &str,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Result<Option<T>, Problem> {
        let Some(given) = self.take(name) else { return Ok(None) };
        let value = read(&given);
        value.map(Some).ok_or_else(|| Problem::invalid(format!("{name} is not {wanted}")))
    }

    /// How many entries are wanted.
    pub(crate) fn limit(&mut self) -> Result<usize, Problem> {
        const MOST: usize = 1000;
        let limit = self.read("limit", "a whole number from 1 to 1000", |given| {
            given.parse().ok().filter(|limit| (1..=MOST).contains(limit))
        })?;
        Ok(limit.unwrap_or(50))
    }

    /// Whoever sends something else expects something that will not happen.
    pub(crate) fn end(self) -> Result<(), Problem> {
        match self.0.first() {
            None => Ok(()),
            Some((name, _)) => {
                let name: String = name.chars().take(80).collect();
                Err(Problem::invalid(format!("there is no parameter {name:?} here")))
            }
        }
    }
}

fn decoded(text: &str) -> Result<Cow<'_, str>, Problem> {
    let broken = || Problem::invalid("the query is not percent-encoded UTF-8");
    if text.contains('+') {
        let spaced = text.replace('+', " ");
        let decoded = percent_decode_str(&spaced).decode_utf8().map_err(|_| broken())?;
        return Ok(Cow::Owned(decoded.into_owned()));
    }
    percent_decode_str(text).decode_utf8().map_err(|_| broken())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(query: &str) -> Result<Option<String>, String> {
        let uri: Uri = format!("/list?{query}").parse().unwrap();
        let told = |problem: Problem| problem.message.into_owned();
        let mut query = Query::of(&uri).map_err(told)?;
        let value = query.take("name");
        query.end().map_err(told)?;
        Ok(value)
    }

    #[test]
    fn a_parameter_is_decoded() {
        assert_eq!(read(""), Ok(None));
        assert_eq!(read("name"), Ok(Some(String::new())));
        assert_eq!(read("&name=a%2Fb+c%40&"), Ok(Some("a/b c@".to_owned())));
        assert_eq!(read("n%61me=%C3%A9"), Ok(Some("é".to_owned())));
    }

    #[test]
    fn what_is_not_known_or_there_twice_is_refused() {
        assert_eq!(read("nmae=1").unwrap_err(), "there is no parameter \"nmae\" here");
        assert_eq!(read("name=1&name=2").unwrap_err(), "the parameter \"name\" is there twice");
        assert_eq!(read("name=%ff").unwrap_err(), "the query is not percent-encoded UTF-8");
    }
}
