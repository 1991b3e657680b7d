//! A list of results, and whether it is complete.

/// Results, best first. An empty one with `truncated` false means that there is nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Found<T> {
    pub items: Vec<T>,
    /// There is, or may be, more: a limit or the time was reached.
    pub truncated: bool,
    /// How many there were before the limit, as far as they were counted.
    pub total: usize,
    /// There may be more than `total`: not all were counted. Only some calls tell.
    pub at_least: bool,
    pub files_read: usize,
    /// How many of them were parsed. Only some calls tell.
    pub files_parsed: usize,
    /// Files left out: too large, binary, unreadable, or gone since they were listed.
    pub skipped: usize,
    /// A remark about the results for their reader.
    pub note: Option<String>,
}

impl<T> Default for Found<T> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            truncated: false,
            total: 0,
            at_least: false,
            files_read: 0,
            files_parsed: 0,
            skipped: 0,
            note: None,
        }
    }
}

impl<T> Found<T> {
    /// Keeps the first `limit`, and sets `truncated` if there were more.
    pub(crate) fn cut(&mut self, limit: usize) {
        self.total = self.total.max(self.items.len());
        self.truncated |= self.total > limit;
        self.items.truncate(limit);
    }
}
