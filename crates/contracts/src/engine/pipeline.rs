//! A pipeline: stages in order, and how one leads to another.

use crate::{
    json::{Json, Number},
    wire::{Integer, wire, words},
};

wire! {
    /// Stages that an envelope passes through. In TOML `stages` may be written as `[[stage]]` and
    /// `routes` as `[[stage.route]]`.
    pub closed struct Pipeline = "engine/pipeline" {
        /// Names the pipeline.
        name: String [pattern: "^[a-z][a-z0-9_-]{0,63}$"],
        /// For people.
        description: Option<String>,
        /// How often the critic may send an envelope back to intent.
        max_critic_fires: Option<Integer> [minimum: 0, default: 3],
        /// What new envelopes get as `max_iterations`.
        max_iterations: Option<Integer> [minimum: 1, maximum: 1000, default: 3],
        /// What new envelopes get as `max_llm_calls`.
        max_llm_calls: Option<Integer> [minimum: 1, maximum: 10000, default: 10],
        /// What new envelopes get as `max_agent_hops`.
        max_agent_hops: Option<Integer> [minimum: 1, maximum: 10000, default: 21],
        /// What new envelopes get as `max_stages`.
        max_stages: Option<Integer> [minimum: 1, maximum: 1000, default: 5],
        /// The first one is where an envelope starts.
        stages: Vec<PipelineStage> [minItems: 1, maxItems: 200],
    }
}

wire! {
    /// One stage. It has an agent, a person who is asked, or other stages that run at once.
    pub closed struct PipelineStage {
        /// Names the stage.
        name: String [pattern: "^[a-z][a-z0-9_-]{0,63}$"],
        /// For people.
        description: Option<String>,
        /// Who does the work: a built-in agent, an agent of yours, a file with one (`summary.toml`), or the
        /// definition itself.
        agent: Option<Json<'static>> [type: ["string", "object"]],
        /// A person who is asked, in place of an agent.
        person: Option<PipelinePerson>,
        /// Stages that run at once, in place of an agent. When all have ended, this stage has.
        parallel: Option<Vec<String>> [minItems: 2, maxItems: 32, uniqueItems: true],
        /// Where its output goes in the envelope; the stage's own name if left out.
        output_key: Option<String> [pattern: "^[A-Za-z][A-Za-z0-9_.-]{0,63}$"],
        /// Members that its output must have.
        required: Option<Vec<String>> [maxItems: 100],
        /// What the agent is given, with places such as `{{outputs.plan.steps}}`; the whole envelope if left out.
        input: Option<Json<'static>>,
        /// The model that a built-in agent thinks with, or that stands in for that of yours.
        model: Option<String> [minLength: 1],
        /// The tools that it may use; all if left out.
        tools: Option<Vec<String>> [maxItems: 100],
        /// How often its call is tried where trying again may help.
        tries: Option<Integer> [minimum: 1, maximum: 10, default: 3],
        /// When and how often its call is tried again, in place of `tries`.
        retry: Option<PipelineRetry>,
        /// Where to go next: the first that fits the stage's own output.
        routes: Option<Vec<PipelineRoute>> [maxItems: 100],
        /// Where to go if no route fits: a stage or `end`. If left out, the next stage of the list that does not run
        /// beside others, and after the last `end`. In what a run keeps it is `end` if left out.
        default_next: Option<String>,
        /// Where to go if the stage fails. If left out, the envelope ends there.
        error_next: Option<String>,
    }
}

wire! {
    /// When and how often a call is tried again where that may help.
    pub closed struct PipelineRetry {
        /// All tries, the first included.
        tries: Option<Integer> [minimum: 1, maximum: 10, default: 3],
        /// The wait before the second try, such as `500ms`, `2s` or `1m`.
        first: Option<String> [pattern: "^[0-9]{1,9}(ms|s|m|h|d)$", default: "500ms"],
        /// What each wait is multiplied by to give the next.
        factor: Option<Number<'static>> [minimum: 1, maximum: 100, default: 2],
        /// The longest wait.
        most: Option<String> [pattern: "^[0-9]{1,9}(ms|s|m|h|d)$", default: "1m"],
        /// The codes of the faults that are tried again, or with `!` before each those that are not. `TIMEOUT` is
        /// every timeout.
        on: Option<Vec<String>> [minItems: 1, maxItems: 20, uniqueItems: true],
    }
}

words! {
    /// What a person is asked for: a yes or no, or values.
    pub enum PersonAsk {
        Approval = "approval",
        Form = "form",
    }
}

wire! {
    /// A person who is asked. The run waits for the answer.
    pub closed struct PipelinePerson {
        /// What the person is asked for.
        ask: PersonAsk,
        /// What the person reads, with places such as `{{outputs.plan.steps}}`.
        prompt: String [minLength: 1],
        /// The JSON Schema of the answer to a form; a text if left out.
        schema: Option<Json<'static>> [type: ["object", "boolean"]],
        /// How long to wait for the answer, such as `90s`, `30m`, `2h` or `7d`; for as long as it takes if left out.
        deadline: Option<String> [pattern: "^[0-9]{1,9}(ms|s|m|h|d)$"],
        /// The answer that is taken at the deadline; if left out, the stage fails then.
        default: Option<Json<'static>>,
    }
}

wire! {
    /// Where to go when a member of the output has a value.
    pub closed struct PipelineRoute {
        /// The member of the stage's output.
        key: String [minLength: 1],
        /// The value that it must have.
        equals: Json<'static>,
        /// The stage to go to, or `end`.
        to: String,
    }
}
