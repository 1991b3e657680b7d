//! The steps that find the tests of something, by its name or by the words for it.

use super::{
    super::super::{
        json::{IntoJson, object},
        words,
    },
    Planner, Step,
};

/// Words that ask about tests, and not about what they test.
const ASKING: &str = " test tests tested testing cover covers covered covering coverage unit integration suite exercise exercises check checks well any ";

impl Planner<'_> {
    pub(super) fn tests(&self) {
        for name in self.topic.symbols.iter().take(2) {
            let bare = words::last_name(name.split('(').next().unwrap_or(name));
            let params = object! { "path": ".", "tests": true, "mentions": vec![bare.to_owned()] };
            self.add(Step::new("outline", params, format!("tests that mention `{bare}`")));
            self.find(name);
        }
        if !self.topic.symbols.is_empty() {
            return;
        }
        let asked = self.topic.groups.iter().filter(|group| {
            !ASKING.contains(&format!(" {} ", group.word)) && !self.is_of_path(&group.word)
        });
        let said: Vec<String> = asked.map(|group| group.word.clone()).take(3).collect();
        for path in self.paths.iter().take(1) {
            self.tests_of_place(path, &said);
        }
        if self.paths.is_empty() {
            let mut params = object! { "path": ".", "tests": true };
            let mut of = "tests".to_owned();
            if !said.is_empty() {
                params.set("words", said.clone().into_json());
                of.push_str(&format!(" that mention {}", said.join(" and ")));
            }
            self.add(Step::new("outline", params, of));
        }
        // Few tests have all of the words; then the first says most.
        if said.len() > 1 {
            let first = said[..1].to_vec();
            let of = format!("tests that mention {}", said[0]);
            let params = object! { "path": ".", "tests": true, "words": first };
            self.add(Step::new("outline", params, of));
        }
    }

    /// A folder's or file's own tests, and those that have its name.
    fn tests_of_place(&self, path: &str, said: &[String]) {
        let mut params = object! { "path": path, "tests": true };
        let mut of = format!("tests in {path}");
        if !said.is_empty() {
            params.set("words", said.to_vec().into_json());
            of.push_str(&format!(" that mention {}", said.join(" and ")));
        }
        self.add(Step::new("outline", params, of));
        let own = path.rsplit('/').next().unwrap_or_default();
        let stem = own.split('.').next().unwrap_or_default();
        if said.is_empty() && words::is_identifier(stem) {
            let params = object! { "path": ".", "tests": true, "mentions": vec![stem.to_owned()] };
            self.add(Step::new("outline", params, format!("tests that mention `{stem}`")));
        }
    }

    fn is_of_path(&self, word: &str) -> bool {
        self.paths.iter().any(|path| path.to_lowercase().contains(word))
    }
}
