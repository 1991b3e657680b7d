//! Pages of lists, with the cursor at which the next page begins.

/// A page of a list, and where the next one begins.
#[derive(Clone, Debug)]
pub struct Page<T> {
    pub items: Vec<T>,
    /// What the next page follows. The last page has none.
    pub cursor: Option<String>,
}

impl<T> Page<T> {
    /// Makes a page of at most `most` items out of one item more, which tells whether another page follows.
    pub fn of(mut items: Vec<T>, most: usize, cursor: impl FnOnce(&T) -> String) -> Self {
        let more = items.len() > most;
        items.truncate(most);
        let cursor = items.last().filter(|_| more).map(cursor);
        Self { items, cursor }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_page_that_another_follows_has_a_cursor() {
        let page = |items: Vec<u8>| Page::of(items, 2, u8::to_string);
        assert_eq!((page(vec![]).items, page(vec![]).cursor), (vec![], None));
        assert_eq!(page(vec![1, 2]).cursor, None);
        let first = page(vec![1, 2, 3]);
        assert_eq!((first.items, first.cursor.as_deref()), (vec![1, 2], Some("2")));
    }
}
