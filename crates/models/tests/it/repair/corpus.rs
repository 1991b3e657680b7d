//! Every damaged answer of the corpus: each kind of damage, at each place where it can be done.
//!
//! Nothing here is drawn by lot, so that the table in `docs/repair.md` is the same everywhere.

use std::ops::Range;

use consign_contracts::json::Json;

use super::{
    bases::Base,
    tokens::{Kind, Token, tokens, with},
};

/// What may be read from a damaged answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Truth {
    /// The base's value, or nothing.
    Base,
    /// Nothing: there is no value, or nobody can know which.
    Nothing,
    /// It is JSON of another value, which the schema must refuse.
    Breach,
}

pub(super) struct Case {
    pub(super) damage: &'static str,
    pub(super) text: String,
    pub(super) truth: Truth,
}

/// Another text for a value, where there is one.
type Change<'c> = &'c dyn Fn(&Json<'_>) -> Option<String>;

/// Gathers the cases of one base.
pub(super) struct Corpus<'b> {
    base: &'b Base,
    pub(super) cases: Vec<Case>,
}

impl<'b> Corpus<'b> {
    pub(super) fn of(base: &'b Base) -> Self {
        let mut corpus = Self { base, cases: Vec::new() };
        for layout in base.layouts() {
            corpus.around(&layout);
            corpus.inside(&layout);
            corpus.beyond_mending(&layout);
            corpus.cut(&layout);
        }
        corpus.against_the_schema();
        corpus
    }

    fn add(&mut self, damage: &'static str, truth: Truth, text: String) {
        self.cases.push(Case { damage, text, truth });
    }

    fn wrap(&mut self, damage: &'static str, truth: Truth, layout: &str, around: &[(&str, &str)]) {
        for (before, after) in around {
            self.add(damage, truth, format!("{before}{layout}{after}"));
        }
    }

    /// Damage around a value that is whole.
    fn around(&mut self, layout: &str) {
        use Truth::{Base, Nothing};
        self.wrap("none", Base, layout, &[("", ""), ("\n\n", "\n"), (" \t", " ")]);
        self.add("CRLF line ends", Base, layout.replace('\n', "\r\n"));
        self.wrap("byte order mark", Base, layout, &[("\u{feff}", ""), ("\u{feff}\n", "\n")]);
        self.wrap(
            "code fence",
            Base,
            layout,
            &[
                ("```json\n", "\n```"),
                ("```\n", "\n```\n"),
                ("```JSON\r\n", "\r\n```"),
                ("~~~json\n", "\n~~~"),
                ("```json", "```"),
                ("```json\n", ""),
                ("", "\n```"),
                ("  ```json5\n  ", "\n  ```\n\n"),
            ],
        );
        self.wrap(
            "nested fences",
            Base,
            layout,
            &[
                ("```\n```json\n", "\n```\n```"),
                ("````markdown\n```json\n", "\n```\n````"),
                ("```text\nThe answer:\n```json\n", "\n```\n```\n"),
            ],
        );
        self.wrap(
            "surrounding prose",
            Base,
            layout,
            &[
                ("Here is the JSON you asked for:\n\n", ""),
                ("", "\n\nLet me know if you need anything else!"),
                ("Sure! I've used the \"strict\" form: ", " I hope that it's right."),
                ("As [noted above], with {placeholders} kept:\n", "\n[end of answer]"),
                ("Voilà — 答え:\n```json\n", "\n```\nC'est tout."),
                ("result = ", ";"),
                ("`", "`"),
                ("Answer (1 of 1): ", ""),
            ],
        );
        self.wrap(
            "prose that leaves doubt",
            Base,
            layout,
            &[
                ("See [1]: ", ""),
                ("Sure, ", ""),
                ("", " (see [1, 2])"),
                ("The \"answer\": ", ""),
                ("x = '", "'"),
                ("\"", "\""),
                ("", ","),
                ("", " 12"),
                ("true\n", ""),
                ("\\[ ", " \\]"),
            ],
        );
        self.wrap(
            "the word json",
            Base,
            layout,
            &[("json\n", ""), ("json", ""), ("JSON: ", ""), ("json:\n\n", "\n")],
        );
        self.wrap(
            "thoughts before it",
            Base,
            layout,
            &[
                ("<think>Let me see.</think>\n", ""),
                ("<think>\nPerhaps {\"draft\": true} or [1]? It's \"hard\n</think>\n\n", ""),
                ("<THINKING>{</thinking>```json\n", "\n```"),
                ("Is it {\"draft\": true}? No.\n</think>\n", ""),
                ("", "<reflection>was it [2]?</reflection>"),
            ],
        );
        self.wrap("thoughts that do not end", Nothing, layout, &[("<think>I would say ", "")]);
        self.wrap(
            "tags around it",
            Base,
            layout,
            &[
                ("<answer>", "</answer>"),
                ("<pre><code class=\"language-json\">\n", "\n</code></pre>"),
                ("<json>\n", "\n</json>\n"),
                ("<output format=json>", "</output>"),
            ],
        );
        let other = "{\"another\": 1}";
        self.wrap(
            "two different values",
            Nothing,
            layout,
            &[
                ("", other),
                (other, ""),
                ("First:\n", &format!("\nSecond:\n{other}")),
                ("```json\n", &format!("\n```\n\n```json\n{other}\n```")),
                (&format!("{other}\n"), "\n"),
            ],
        );
        self.wrap(
            "the same value twice",
            Base,
            layout,
            &[
                ("", layout),
                ("", &format!("\n{layout}")),
                ("I think it is\n", &format!("\nso the answer is\n{layout}")),
                ("```json\n", &format!("\n```\nand again\n```json\n{layout}\n```\n")),
            ],
        );
        self.wrap("as a string", Truth::Breach, &Json::from(layout).to_string(), &[("", "")]);
        self.wrap(
            "nested too deep",
            Nothing,
            layout,
            &[
                (&"[".repeat(200), &"]".repeat(200)),
                (&"[".repeat(100_000), ""),
                (&"{\"a\":".repeat(100_000), &"}".repeat(100_000)),
            ],
        );
        for empty in ["", " ", "\n\n", "\u{feff}"] {
            self.add("empty", Nothing, empty.to_owned());
        }
        for words in
            ["I'm sorry, I can't help with that.", "```json\n```", "null and void", "{", "]"]
        {
            self.add("no value at all", Nothing, words.to_owned());
        }
    }

    /// Slips inside a value that can be mended, at each place.
    fn inside(&mut self, layout: &str) {
        use Truth::Base;
        let tokens = tokens(layout);
        let is = |token: &Token, marks: &str| {
            token.kind == Kind::Mark && marks.contains(&layout[token.range.clone()])
        };
        let ends = tokens.windows(2).filter(|pair| is(&pair[1], "]}"));
        let commas = ends.map(|pair| (pair[0].range.end..pair[0].range.end, ",".to_owned()));
        self.each_and_all("trailing comma", Base, layout, commas.collect());

        let strings = tokens.iter().filter(|token| matches!(token.kind, Kind::Key | Kind::Text));
        let strings: Vec<Range<usize>> = strings.map(|token| token.range.clone()).collect();
        let inner = |range: &Range<usize>| layout[range.start + 1..range.end - 1].to_owned();
        let single = strings.iter().map(|range| (range.clone(), format!("'{}'", inner(range))));
        self.each_and_all("single quotes", Base, layout, single.collect());

        let changed = |from: &[(&str, &str)]| -> Vec<(Range<usize>, String)> {
            let change = |range: &Range<usize>| {
                let text = inner(range);
                let text = from.iter().fold(text, |text, (from, to)| text.replace(from, to));
                (text != inner(range)).then(|| (range.clone(), format!("\"{text}\"")))
            };
            strings.iter().filter_map(change).collect()
        };
        let raw = changed(&[("\\n", "\n"), ("\\r", "\r"), ("\\t", "\t")]);
        let inner_quotes = changed(&[("\\\"", "\"")]);
        let typographic =
            strings.iter().map(|range| (range.clone(), format!("“{}”", inner(range))));
        let typographic = typographic.collect();
        let in_ascii = strings.iter().map(|range| {
            let escaped = layout[range.clone()].encode_utf16().map(|unit| match unit {
                0x20..=0x7e => char::from(unit as u8).to_string(),
                _ => format!("\\u{unit:04x}"),
            });
            (range.clone(), escaped.collect())
        });
        let in_ascii = in_ascii.collect();
        self.each_and_all("raw line breaks and tabs", Base, layout, raw.clone());
        self.each_and_all("quotes unescaped in a string", Base, layout, inner_quotes);
        self.each_and_all("typographic quotes", Base, layout, typographic);
        self.each_and_all("letters as \\u escapes", Base, layout, in_ascii);

        let mut several = raw;
        let last = layout.len() - 1;
        several.push((last..last, ",".to_owned()));
        let several = with(layout, &several);
        self.wrap(
            "several at once",
            Base,
            &several,
            &[
                ("\u{feff}```json\n", "\n```\n"),
                ("<think>hm [1]</think>Here you are:\n```json\n", "\n```\nDone."),
                ("The answer is ", " and that's it"),
            ],
        );
    }

    /// Damage inside a value after which only a guess could tell what was meant.
    fn beyond_mending(&mut self, layout: &str) {
        use Truth::{Base, Nothing};
        let tokens = tokens(layout);
        let of = |kind: Kind| tokens.iter().filter(move |token| token.kind == kind);
        let to = |kind: Kind, change: &dyn Fn(&str) -> String| -> Vec<(Range<usize>, String)> {
            let change =
                |token: &Token| (token.range.clone(), change(&layout[token.range.clone()]));
            of(kind).map(change).collect()
        };
        let marks = |marks: &str, with: &str| -> Vec<(Range<usize>, String)> {
            let these = of(Kind::Mark).filter(|token| marks.contains(&layout[token.range.clone()]));
            these.map(|token| (token.range.clone(), with.to_owned())).collect()
        };
        let behind = |these: &str, more: &str| -> Vec<(Range<usize>, String)> {
            let these = marks(these, more).into_iter();
            these.map(|(range, more)| (range.end..range.end, more)).collect()
        };
        for odd in ["NaN", "Infinity", "-Infinity"] {
            self.each("NaN and infinities", Nothing, layout, to(Kind::Number, &|_| odd.to_owned()));
        }
        for (before, after) in [("+", ""), ("0", ""), ("0x", ""), ("", "."), ("", "_000")] {
            let number = |number: &str| format!("{before}{number}{after}");
            self.each("numbers that are not JSON", Nothing, layout, to(Kind::Number, &number));
        }
        let python = |word: &str| match word {
            "true" => "True".to_owned(),
            "false" => "False".to_owned(),
            _ => "None".to_owned(),
        };
        self.each_and_all("Python's words", Nothing, layout, to(Kind::Word, &python));
        for comment in [" // a note\n", " /* a note */ ", " # a note\n", " // ... and so on\n"] {
            self.each("comments", Base, layout, behind(",{[", comment));
        }
        self.each("values left out", Nothing, layout, behind(",[", " ..., "));
        self.each_and_all("keys without quotes", Base, layout, {
            to(Kind::Key, &|key| key.trim_matches('"').to_owned())
        });
        self.each("missing comma", Base, layout, marks(",", " "));
        self.each("missing colon", Base, layout, marks(":", " "));
        self.each("missing bracket", Base, layout, marks("{}[]", ""));
        self.each("one bracket too many", Base, layout, {
            [behind("{[", "{"), behind("{[", "["), behind("}]", "}"), behind("}]", "]")].concat()
        });
        let quotes = of(Kind::Key).chain(of(Kind::Text)).flat_map(|token| {
            let Range { start, end } = token.range;
            [(start..start + 1, String::new()), (end - 1..end, String::new())]
        });
        self.each("missing quote", Base, layout, quotes.collect());
        let escapes = of(Kind::Text).map(|token| token.range.end - 1);
        let escapes: Vec<usize> = escapes.collect();
        for escape in ["\\x41", "\\'", "\\ud800", "\\u12"] {
            let broken = escapes.iter().map(|end| (*end..*end, escape.to_owned())).collect();
            self.each("escapes that do not exist", Nothing, layout, broken);
        }
        self.each("no-break spaces", Base, layout, behind(",:{[", "\u{a0}"));
        let repeated = of(Kind::Key).map(|token| {
            let key = &layout[token.range.clone()];
            (token.range.start..token.range.start, format!("{key}: 0, "))
        });
        self.each("duplicate key", Nothing, layout, repeated.collect());
        self.add("escaped twice", Base, layout.replace('\\', "\\\\").replace('"', "\\\""));
    }

    /// Parts of it are missing, from each byte on and up to each byte.
    fn cut(&mut self, layout: &str) {
        let prefixes = |text: &str| -> Vec<String> {
            let cut = |at| String::from_utf8_lossy(&text.as_bytes()[..at]).into_owned();
            (0..text.len()).map(cut).collect()
        };
        let fenced = format!("```json\n{layout}\n```\n");
        let told = format!("Here it is: {layout}\nThat is all.");
        for text in prefixes(layout) {
            self.add("cut off at each byte", Truth::Base, text);
        }
        for text in prefixes(&fenced) {
            self.add("fenced and cut off at each byte", Truth::Base, text);
        }
        for text in prefixes(&told) {
            self.add("told and cut off at each byte", Truth::Base, text);
        }
        for text in prefixes(layout) {
            let again = format!("{text}\n{layout}");
            self.add("cut off at each byte, begun again", Truth::Base, again);
            self.add(
                "cut off in a fence that is closed",
                Truth::Base,
                format!("```json\n{text}\n```"),
            );
        }
        for at in 1..layout.len() {
            let rest = String::from_utf8_lossy(&layout.as_bytes()[at..]).into_owned();
            self.add("beginning lost up to each byte", Truth::Base, rest);
        }
    }

    /// JSON of another value.
    fn against_the_schema(&mut self) {
        let base = self.base;
        let mut other = |damage, pointer: &str, change: Change<'_>| {
            let Some(value) = base.truth.at(pointer).and_then(change) else { return };
            let mut tree = base.truth.clone();
            tree.set_at(pointer, Json::String(value.into())).unwrap();
            for text in [tree.to_string(), format!("```json\n{tree:#}\n```")] {
                self.cases.push(Case { damage, text, truth: Truth::Breach });
            }
        };
        for pointer in base.words {
            let upper = |word: &Json<'_>| Some(word.as_str()?.to_uppercase());
            let title = |word: &Json<'_>| {
                let (first, rest) = word.as_str()?.split_at(1);
                Some(format!("{}{}", first.to_uppercase(), rest.to_lowercase()))
            };
            let lower = |word: &Json<'_>| Some(word.as_str()?.to_lowercase());
            let spaced = |word: &Json<'_>| Some(format!("{} ", word.as_str()?));
            let changes: [Change<'_>; 4] = [&upper, &title, &lower, &spaced];
            for change in changes {
                let same = |word: &Json<'_>| change(word).filter(|new| word.as_str() != Some(new));
                other("a word in the wrong case", pointer, &same);
            }
        }
        for pointer in pointers(&base.truth) {
            let number = |value: &Json<'_>| Some(value.as_number()?.as_str().to_owned());
            other("a number as a string", &pointer, &number);
            let truth = |value: &Json<'_>| Some(value.as_bool()?.to_string());
            other("true or false as a string", &pointer, &truth);
        }
    }

    fn each(
        &mut self,
        damage: &'static str,
        truth: Truth,
        layout: &str,
        changes: Vec<(Range<usize>, String)>,
    ) {
        for change in changes {
            self.add(damage, truth, with(layout, &[change]));
        }
    }

    fn each_and_all(
        &mut self,
        damage: &'static str,
        truth: Truth,
        layout: &str,
        changes: Vec<(Range<usize>, String)>,
    ) {
        if changes.len() > 1 {
            self.add(damage, truth, with(layout, &changes));
        }
        self.each(damage, truth, layout, changes);
    }
}

/// Pointers to every value that is not an object or array.
fn pointers(value: &Json<'_>) -> Vec<String> {
    let below = |name: &str, value: &Json<'_>| {
        pointers(value).into_iter().map(|rest| format!("/{name}{rest}")).collect::<Vec<_>>()
    };
    match value {
        Json::Object(members) => {
            members.iter().flat_map(|(name, value)| below(name, value)).collect()
        }
        Json::Array(items) => {
            let items = items.iter().enumerate();
            items.flat_map(|(at, value)| below(&at.to_string(), value)).collect()
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => vec![String::new()],
    }
}
