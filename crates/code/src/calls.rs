//! Finds the calls in a function's body.

use std::collections::BTreeSet;

use crate::{
    Error, Repository, Symbol,
    syntax::{self, Called, Want},
};

/// One call in a function's body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The last word of the call: `verify` of `self.keys.verify(token)`.
    pub name: String,
    /// The text before it: `self.keys`.
    pub receiver: Option<String>,
    /// From 1.
    pub line: usize,
}

impl Repository {
    /// What is called between the first and the last line of a symbol, in order, each once.
    ///
    /// # Errors
    /// [`Error::NoGrammar`] and [`Error::Unparsed`], and those of reading.
    pub fn calls_in(&self, symbol: &Symbol) -> Result<Vec<Call>, Error> {
        let (path, bytes, language) = self.code(&symbol.path)?;
        let parsed = self.parse(language, &bytes);
        self.cancel.check()?;
        let parsed = parsed.ok_or(Error::Unparsed { path })?;
        let rows = (symbol.line.saturating_sub(1), symbol.end_line.saturating_sub(1));
        let mut calls =
            syntax::scan(&parsed, &bytes, Want { calls: Some(rows), ..Want::default() }).calls;
        // In the order of the text: of `a(b())` the grammar has the outer one first, which reads better.
        calls.sort_by_key(|call| call.row);
        let mut seen = BTreeSet::new();
        calls.retain(|call| seen.insert((call.receiver.clone(), call.name.clone())));
        calls.truncate(self.limits.results);
        let call =
            |call: Called| Call { name: call.name, receiver: call.receiver, line: call.row + 1 };
        Ok(calls.into_iter().map(call).collect())
    }
}
