//! What was found, and how far the looking went.

/// Results, best first. An empty one with `truncated` false means that there is nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Found<T> {
    pub items: Vec<T>,
    /// There is, or may be, more: a limit or the time was reached.
    pub truncated: bool,
    /// How many there were before the limit, as far as they were counted.
    pub total: usize,
    pub files_read: usize,
    /// Files left out: too large, binary, unreadable, or gone since they were listed.
    pub skipped: usize,
    /// What whoever reads the results should know about them, in words.
    pub note: Option<String>,
}

impl<T> Default for Found<T> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            truncated: false,
            total: 0,
            files_read: 0,
            skipped: 0,
            note: None,
        }
    }
}

impl<T> Found<T> {
    /// Keeps the first `limit` and says so if there were more.
    pub(crate) fn cut(&mut self, limit: usize) {
        self.total = self.total.max(self.items.len());
        self.truncated |= self.total > limit;
        self.items.truncate(limit);
    }
}
