//! Failures of a job in the words of the command line: a payload's members are options here.

use crate::error::Error;

/// Members of the payload, and the options that fill them.
const OPTIONS: [(&str, &str); 8] = [
    ("payload.outputTargets.", "--target"),
    ("payload.featureBranch", "--branch"),
    ("payload.branchPattern", "--branch"),
    ("payload.baseBranch", "--base"),
    ("payload.analyzeLastNCommits", "--commits"),
    ("payload.targetPath", "--target-path"),
    ("payload.prTitleTemplate", "--pr-title"),
    ("payload.prBodyTemplate", "--pr-body"),
];

pub(super) fn of_options(mut error: Error) -> Error {
    match error.code.as_ref() {
        "VALIDATION_ERROR" => {
            error.message = told(&error.message);
            error
        }
        "AI_KEY_MISSING" => error.hint_too("`--model rules` writes without a model and a key"),
        _ => error,
    }
}

fn told(message: &str) -> String {
    let message = message.replace("only with requiresApproval", "only with --approve");
    let found = OPTIONS.iter().find(|(member, _)| message.starts_with(member));
    let rest = found.and_then(|(_, option)| Some((option, message.split_once(": ")?.1)));
    rest.map_or(message.clone(), |(option, rest)| format!("{option}: {rest}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_become_options() {
        let check = |given: &str, expected: &str| assert_eq!(told(given), expected);
        check("payload.outputTargets.12: the path is absolute", "--target: the path is absolute");
        check(
            "payload.outputTargets.0: files in .github/workflows are written only with requiresApproval",
            "--target: files in .github/workflows are written only with --approve",
        );
        check("payload.featureBranch: it is: the base", "--branch: it is: the base");
        check("payload.task: it is empty", "payload.task: it is empty");
    }

    #[test]
    fn a_missing_key_names_the_way_without_one() {
        let error =
            of_options(Error::new("AI_KEY_MISSING", "No AI key configured.").hint("add one"));
        assert_eq!(
            error.hint.as_deref(),
            Some("add one; `--model rules` writes without a model and a key")
        );
        assert_eq!(of_options(Error::new("OTHER", "x")).hint, None);
    }
}
