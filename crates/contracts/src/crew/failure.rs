//! How an agent says that it failed, and what is done about it.

use crate::{
    json::Object,
    wire::{Nullable, Timestamp, wire, words},
};

wire! {
    /// An agent that failed, with enough to decide what to do.
    pub open struct AgentFailure = "crew/agent-failure" {
        /// The agent.
        agent_id: String,
        /// For programs; docs/spec/crew.md lists the document's own.
        error_code: String,
        /// For people.
        message: String,
        /// Whether trying again may help.
        recoverable: Option<bool> [default: false],
        /// Facts about the failure.
        details: Option<Nullable<Object<'static>>>,
        /// When; a reader takes an absent one as now.
        timestamp: Option<Timestamp>,
    }
}

words! {
    /// The document's failure codes.
    pub enum FailureCode {
        /// The request tries to take over the agent.
        GuardrailInjection = "ERR_GUARDRAIL_INJECTION",
        /// The text is unsafe or private.
        GuardrailUnsafe = "ERR_GUARDRAIL_UNSAFE",
        /// The source refused the credentials.
        ConnectorAuth = "ERR_CONNECTOR_AUTH",
        /// There is no such source.
        ConnectorNotFound = "ERR_CONNECTOR_NOT_FOUND",
        /// The file wants a password.
        ParserEncrypted = "ERR_PARSER_ENCRYPTED",
        /// The file is of a kind that is not read.
        ParserUnsupported = "ERR_PARSER_UNSUPPORTED",
        /// Nothing relevant enough was found.
        MemoryNoResults = "ERR_MEMORY_NO_RESULTS",
        /// The answer's claims have no source.
        TailorHallucination = "ERR_TAILOR_HALLUCINATION",
        /// The agent took too long.
        Timeout = "ERR_TIMEOUT",
    }
}

/// What the orchestrator does about a failure: the first thing, and what follows where that does
/// not help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Refuse the request and tell the user.
    BlockRequest,
    /// Hold the answer back and try again with stricter instructions.
    BlockResponseAndRetryStricter,
    /// Ask for credentials, or leave the source out.
    AskForCredentialsOrSkip,
    /// Tell the user and leave the source or file out.
    NotifyAndSkip,
    /// Ask for the password, or leave the file out.
    AskForPasswordOrSkip,
    /// Search more broadly, or ask what is meant.
    BroadenOrClarify,
    /// Try again with strict instructions, or say that it is not known.
    RetryStrictlyOrAdmit,
    /// Try once more, then fail.
    RetryOnceThenFail,
}

impl FailureCode {
    #[must_use]
    pub const fn expected(self) -> Expected {
        match self {
            Self::GuardrailInjection => Expected::BlockRequest,
            Self::GuardrailUnsafe => Expected::BlockResponseAndRetryStricter,
            Self::ConnectorAuth => Expected::AskForCredentialsOrSkip,
            Self::ConnectorNotFound | Self::ParserUnsupported => Expected::NotifyAndSkip,
            Self::ParserEncrypted => Expected::AskForPasswordOrSkip,
            Self::MemoryNoResults => Expected::BroadenOrClarify,
            Self::TailorHallucination => Expected::RetryStrictlyOrAdmit,
            Self::Timeout => Expected::RetryOnceThenFail,
        }
    }
}
