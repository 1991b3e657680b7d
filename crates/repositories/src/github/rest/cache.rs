//! Answers that GitHub confirms without sending them again: a confirmed one does not count against the
//! rate limit.

use std::{collections::VecDeque, sync::Arc};

const MOST: usize = 64;
const LARGEST: usize = 1 << 20;

/// The newest answers with their tags.
#[derive(Default)]
pub(super) struct Cache {
    kept: VecDeque<Kept>,
}

#[derive(Clone)]
pub(super) struct Kept {
    address: String,
    pub(super) tag: String,
    pub(super) body: Arc<Vec<u8>>,
}

impl Cache {
    pub(super) fn get(&self, address: &str) -> Option<Kept> {
        self.kept.iter().find(|kept| kept.address == address).cloned()
    }

    pub(super) fn put(&mut self, address: &str, tag: &str, body: &Arc<Vec<u8>>) {
        self.kept.retain(|kept| kept.address != address);
        if body.len() > LARGEST {
            return;
        }
        if self.kept.len() == MOST {
            self.kept.pop_front();
        }
        let (address, tag) = (address.to_owned(), tag.to_owned());
        self.kept.push_back(Kept { address, tag, body: body.clone() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_answer_makes_room() {
        let mut cache = Cache::default();
        for number in 0..=MOST {
            cache.put(&number.to_string(), "t", &Arc::new(vec![1]));
        }
        assert!(cache.get("0").is_none() && cache.get("1").is_some());
        cache.put("1", "new", &Arc::new(vec![2]));
        assert_eq!(cache.get("1").map(|kept| kept.tag), Some("new".to_owned()));
        // An answer that is too large is asked for in full each time.
        cache.put("1", "huge", &Arc::new(vec![0; LARGEST + 1]));
        assert!(cache.get("1").is_none());
    }
}
