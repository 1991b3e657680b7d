//! The prompt template of a model agent.
//!
//! `{{input}}` is replaced by the whole input, `{{input.some.field}}` by a part of it. Text is
//! inserted as it is, all else as JSON. A placeholder that is not of this form, or that names
//! nothing in the input, is an error: an incomplete prompt must not be sent.

use consign_engine::Data;

/// A prompt with placeholders for the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptTemplate(Vec<Part>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    /// The members that lead to the value.
    Place(Vec<String>),
}

impl PromptTemplate {
    pub fn read(text: &str) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("{{") {
            let Some((place, after)) = after.split_once("}}") else {
                return Err("a placeholder begins with {{ and does not end with }}".to_owned());
            };
            let mut names = place.trim().split('.');
            let known = names.next() == Some("input");
            let names: Vec<String> = names.map(|name| name.trim().to_owned()).collect();
            if !known || names.iter().any(String::is_empty) {
                let place = place.trim();
                return Err(format!(
                    "{{{{{place}}}}} is not a placeholder: write {{{{input}}}} or {{{{input.field}}}}"
                ));
            }
            parts.push(Part::Text(before.to_owned()));
            parts.push(Part::Place(names));
            rest = after;
        }
        parts.push(Part::Text(rest.to_owned()));
        Ok(Self(parts))
    }

    /// The prompt for an input.
    pub fn fill(&self, input: &Data) -> Result<String, String> {
        let tree = input.tree().map_err(|why| why.to_string())?;
        let mut prompt = String::new();
        for part in &self.0 {
            match part {
                Part::Text(text) => prompt.push_str(text),
                Part::Place(names) => {
                    let mut value = &tree;
                    for name in names {
                        value = value.get(name).ok_or_else(|| {
                            format!(
                                "the input has no `{}`, which the prompt needs",
                                names.join(".")
                            )
                        })?;
                    }
                    match value.as_str() {
                        Some(text) => prompt.push_str(text),
                        None => prompt.push_str(&value.to_string()),
                    }
                }
            }
        }
        Ok(prompt)
    }
}

/// Without a template the input is the prompt.
impl Default for PromptTemplate {
    fn default() -> Self {
        Self(vec![Part::Place(Vec::new())])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_filled_from_the_input() {
        let check = |template: &str, input: &str, prompt: &str| {
            let template = PromptTemplate::read(template).unwrap();
            assert_eq!(template.fill(&Data::parse(input).unwrap()).unwrap(), prompt);
        };
        check("Review: {{input}}", r#""x < y""#, "Review: x < y");
        check("{{ input.a.b }}!", r#"{"a": {"b": [1.10, null]}}"#, "[1.10,null]!");
        check("{{input.a}} {{input.a}}", r#"{"a": "{{input.b}}"}"#, "{{input.b}} {{input.b}}");
        check("no place", "1", "no place");
        assert_eq!(PromptTemplate::default().fill(&Data::of("hello")).unwrap(), "hello");
    }

    #[test]
    fn half_a_prompt_is_never_made() {
        for template in ["{{input", "{{output}}", "{{input.}}", "{{}}"] {
            assert!(PromptTemplate::read(template).is_err(), "{template}");
        }
        let template = PromptTemplate::read("{{input.path}}").unwrap();
        let missing = template.fill(&Data::parse(r#"{"file": 1}"#).unwrap()).unwrap_err();
        assert_eq!(missing, "the input has no `path`, which the prompt needs");
    }
}
