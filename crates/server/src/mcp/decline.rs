//! `inbox_decline`: declines to answer for an agent.

use consign_app::runs::{self, Reply};
use consign_contracts::json::Object;

use super::{
    McpContext,
    answer::{TAKEN, taken},
    arguments::Arguments,
    failure::Failure,
    tool::{Tool, What},
};

pub(super) const TOOL: Tool = Tool {
    name: "inbox_decline",
    title: "Say that no answer will come",
    description: "Says that an entry of kind agent_response will not be answered, and why: the call fails \
        with DECLINED, and the run goes on without an agent where it can. Only for work that you were to do \
        and cannot; what is asked of people is answered, not declined.",
    input: r#"{
        "type": "object",
        "additionalProperties": false,
        "required": ["run", "interaction", "why"],
        "properties": {
            "run": {"type": "string", "description": "The run, by its whole id."},
            "interaction": {"type": "string", "description": "The entry, as inbox_list names it."},
            "why": {"type": "string", "minLength": 1, "description": "Why, for the people who look after the run."}
        }
    }"#,
    output: TAKEN,
    what: What::Decline,
};

pub(super) async fn decline(
    context: &McpContext,
    given: &Arguments,
) -> Result<Object<'static>, Failure> {
    let (run, key) = given.ask()?;
    let why = given.text("why").unwrap_or_default();
    let reply = Reply::Decline(why);
    let declined = runs::answer(&context.home.engine, &run, Some(key), &reply, &context.by).await;
    taken(context, declined?).await
}
