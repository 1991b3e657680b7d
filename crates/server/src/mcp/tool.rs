//! The table of MCP tools: the name, the schemas and the function of each.

use std::sync::Arc;

use consign_contracts::json::{Json, Object};
use rmcp::model::{JsonObject, Tool as Described, ToolAnnotations};
use serde_json::Value;

use super::{
    McpContext, answer, arguments::Arguments, ask, decline, failure::Failure, job_activate,
    job_advise, job_cancel, job_decide, job_history, job_list, job_new, job_raise, job_show, list,
    process, run_cancel, run_fork, run_list, run_show, run_signal, run_start, search, show,
    show_source,
};

pub(super) struct Tool {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    pub(super) description: &'static str,
    /// JSON Schemas.
    pub(super) input: &'static str,
    pub(super) output: &'static str,
    pub(super) what: What,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    List,
    Show,
    Answer,
    Decline,
    StartRun,
    ShowRun,
    ListRuns,
    CancelRun,
    SignalRun,
    ForkRun,
    RetryRun,
    ListPoints,
    Process,
    NewJob,
    ListJobs,
    ShowJob,
    JobHistory,
    ActivateJob,
    AdviseJob,
    ApproveJob,
    RejectJob,
    RaiseJob,
    CancelJob,
    Search,
    ShowSource,
    Ask,
}

impl What {
    /// Whether it only looks.
    fn is_read_only(self) -> bool {
        let run = matches!(self, Self::ShowRun | Self::ListRuns | Self::ListPoints);
        let job = matches!(self, Self::ListJobs | Self::ShowJob | Self::JobHistory);
        let documents = matches!(self, Self::Search | Self::ShowSource);
        run || job || documents || matches!(self, Self::List | Self::Show)
    }

    /// Whether it does away with something, or settles it for good.
    fn is_final(self) -> bool {
        let job = matches!(self, Self::AdviseJob | Self::ApproveJob | Self::RejectJob);
        let run = matches!(self, Self::CancelRun | Self::SignalRun);
        job || run || matches!(self, Self::Answer | Self::Decline | Self::CancelJob)
    }

    /// Whether the same call again changes nothing more.
    fn is_idempotent(self) -> bool {
        self.is_read_only() || self == Self::Process
    }
}

pub(super) const TOOLS: [Tool; 26] = [
    list::TOOL,
    show::TOOL,
    answer::TOOL,
    decline::TOOL,
    run_start::TOOL,
    run_show::TOOL,
    run_list::TOOL,
    run_cancel::TOOL,
    run_signal::TOOL,
    run_fork::POINTS,
    run_fork::FORK,
    run_fork::RETRY,
    process::TOOL,
    job_new::TOOL,
    job_list::TOOL,
    job_show::TOOL,
    job_history::TOOL,
    job_activate::TOOL,
    job_advise::TOOL,
    job_decide::APPROVE,
    job_decide::REJECT,
    job_raise::TOOL,
    job_cancel::TOOL,
    search::TOOL,
    show_source::TOOL,
    ask::TOOL,
];

impl Tool {
    pub(super) fn described(&self) -> Described {
        let hints = ToolAnnotations::new()
            .read_only(self.what.is_read_only())
            .destructive(self.what.is_final())
            .idempotent(self.what.is_idempotent())
            .open_world(false);
        Described::new(self.name, self.description, schema(self.input))
            .with_title(self.title)
            .with_raw_output_schema(Arc::new(schema(self.output)))
            .with_annotations(hints)
    }

    /// What it gives; where that is for people too, also in words.
    pub(super) async fn call(
        &self,
        context: &McpContext,
        given: &Value,
    ) -> Result<(Value, Option<String>), Failure> {
        let arguments = Arguments::of(given, self.input)?;
        if self.what == What::Ask {
            let (answer, words) = ask::ask(context, &arguments).await?;
            return Ok((answer, Some(words)));
        }
        self.value(context, arguments).await.map(|value| (value, None))
    }

    async fn value(&self, context: &McpContext, arguments: Arguments) -> Result<Value, Failure> {
        let result = match self.what {
            What::List => list::list(context, &arguments).await?,
            What::Show => show::show(context, &arguments).await?,
            What::Answer => answer::answer(context, &arguments).await?,
            What::Decline => decline::decline(context, &arguments).await?,
            What::StartRun => run_start::start(context, &arguments).await?,
            What::ShowRun => run_show::show(context, &arguments).await?,
            What::ListRuns => run_list::list(context, &arguments).await?,
            What::CancelRun => run_cancel::cancel(context, &arguments).await?,
            What::SignalRun => run_signal::signal(context, &arguments).await?,
            What::ForkRun => run_fork::fork(context, &arguments).await?,
            What::RetryRun => run_fork::retry(context, &arguments).await?,
            What::ListPoints => run_fork::points(context, &arguments).await?,
            What::Process => process::process(context, &arguments).await?,
            What::NewJob => return job_new::new(context, &arguments).await,
            What::ListJobs => return job_list::list(context, &arguments).await,
            What::ShowJob => return job_show::show(context, &arguments).await,
            What::JobHistory => return job_history::history(context, &arguments).await,
            What::ActivateJob => return job_activate::activate(context, &arguments).await,
            What::AdviseJob => return job_advise::advise(context, &arguments).await,
            What::ApproveJob => return job_decide::approve(context, &arguments).await,
            What::RejectJob => return job_decide::reject(context, &arguments).await,
            What::RaiseJob => return job_raise::raise(context, &arguments).await,
            What::CancelJob => return job_cancel::cancel(context, &arguments).await,
            What::Search => return search::search(context, &arguments).await,
            What::ShowSource => return show_source::show(context, &arguments).await,
            What::Ask => return ask::ask(context, &arguments).await.map(|(answer, _)| answer),
        };
        Ok(value(result))
    }
}

/// As the protocol's library has it. What is written here is JSON.
fn value(result: Object<'_>) -> Value {
    serde_json::from_str(&Json::Object(result).to_string()).unwrap_or_default()
}

fn schema(source: &str) -> JsonObject {
    serde_json::from_str(source).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoint::compile_text;

    #[test]
    fn every_tool_has_schemas_and_says_what_it_is_for() {
        for tool in &TOOLS {
            for source in [tool.input, tool.output] {
                compile_text(source);
                assert_eq!(schema(source).get("type"), Some(&Value::from("object")));
            }
            assert!(tool.description.len() > 80, "{}", tool.name);
        }
    }
}
