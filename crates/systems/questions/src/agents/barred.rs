//! Tools that were needed but are not allowed, and what would allow them.
//!
//! The plan leaves out what its stage may not use, and execution is denied what the policy forbids.
//! Both record it here, so that an answer does not say "there is none" where nothing was looked up.

use consign_contracts::json::Object;

use super::{
    Brief,
    goals::Need,
    json::{self, object},
};

/// A tool, and the rule that forbids it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Barred {
    pub(super) tool: String,
    pub(super) rule: String,
}

/// The name of the rule of the plan stage. Rules of a policy have their own names.
pub(super) const PLAN: &str = "plan.tools";
pub(super) const EXECUTION: &str = "execution.tools";
const PATHS: &str = "deny_paths";

impl Barred {
    pub(super) fn to_json(&self) -> Object<'static> {
        object! { "tool": &self.tool, "rule": &self.rule }
    }

    /// What execution recorded.
    pub(super) fn read(brief: &Brief) -> Vec<Self> {
        let Some(execution) = brief.output("execution") else { return Vec::new() };
        let one = |one: &Object<'static>| {
            Some(Self {
                tool: json::text(one, "tool")?.to_owned(),
                rule: json::text(one, "rule")?.to_owned(),
            })
        };
        json::objects(execution, "barred").filter_map(one).collect()
    }
}

/// The tools for a need that were forbidden altogether, not only for some paths.
fn lacking(barred: &[Barred], need: Need) -> Vec<&str> {
    let whole = barred.iter().filter(|one| one.rule != PATHS).map(|one| one.tool.as_str());
    whole.filter(|tool| need.tools().contains(tool)).collect()
}

/// Whether all tools for a need were forbidden.
pub(super) fn is_closed(barred: &[Barred], need: Need) -> bool {
    let lacking = lacking(barred, need);
    need.tools().iter().all(|tool| lacking.contains(tool))
}

/// One sentence for each rule: which tools it forbids, and what would allow them.
pub(super) fn ways(barred: &[Barred]) -> Vec<String> {
    let under = |fits: &dyn Fn(&str) -> bool| -> Vec<&str> {
        let mut tools: Vec<&str> = Vec::new();
        for one in barred.iter().filter(|one| fits(&one.rule)) {
            if !tools.contains(&one.tool.as_str()) {
                tools.push(&one.tool);
            }
        }
        tools
    };
    let mut ways = Vec::new();
    for (rule, stage) in [(PLAN, "plan"), (EXECUTION, "execution")] {
        let tools = under(&|known| known == rule);
        if !tools.is_empty() {
            let (them, leave) = (it(&tools), if tools.len() == 1 { "is" } else { "are" });
            ways.push(format!(
                "{} {leave} not among the `tools` of the `{stage}` stage; add {them} there to allow {them}.",
                quoted(&tools)
            ));
        }
    }
    let tools = under(&|rule| rule.starts_with("tools."));
    if !tools.is_empty() {
        let rules: Vec<String> = tools.iter().map(|tool| format!("`{tool} = \"allow\"`")).collect();
        ways.push(format!(
            "The policy denies {}; {} under `[tools]` would allow {}.",
            quoted(&tools),
            joined(&rules),
            it(&tools)
        ));
    }
    if !under(&|rule| rule == PATHS).is_empty() {
        ways.push(
            "The policy hides some of what was asked for; its `deny_paths` say what.".to_owned(),
        );
    }
    ways
}

fn it(tools: &[&str]) -> &'static str {
    if tools.len() == 1 { "it" } else { "them" }
}

/// Names in backticks, as a sentence lists them.
fn quoted(names: &[&str]) -> String {
    joined(&names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>())
}

/// `a`, `a and b`, `a, b and c`.
fn joined(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn barred(tool: &str, rule: &str) -> Barred {
        Barred { tool: tool.to_owned(), rule: rule.to_owned() }
    }

    #[test]
    fn each_rule_says_what_would_allow_the_tool() {
        let all = [
            barred("git_log", PLAN),
            barred("git_blame", PLAN),
            barred("outline", "tools.outline"),
            barred("read_file", PATHS),
        ];
        assert_eq!(
            ways(&all),
            [
                "`git_log` and `git_blame` are not among the `tools` of the `plan` stage; add them there to allow them.",
                "The policy denies `outline`; `outline = \"allow\"` under `[tools]` would allow it.",
                "The policy hides some of what was asked for; its `deny_paths` say what.",
            ]
        );
        assert!(is_closed(&all, Need::History) && !is_closed(&all, Need::Parts));
        assert_eq!(lacking(&all, Need::Parts), ["outline"]);
        assert!(ways(&[]).is_empty());
    }
}
