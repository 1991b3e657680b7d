//! The progress events of template use cases, which each surface shows in its own way.

use consign_contracts::bridge::AgentRequest;
use consign_template::maker::MakerEvent;

/// How a creation gets on. A surface shows it as it likes, or not at all.
#[derive(Clone, Debug, PartialEq)]
pub enum TemplateEvent<'a> {
    /// A phase begins.
    Begins { phase: u8, name: &'static str },
    /// An agent is asked.
    Asks(&'a AgentRequest),
    /// A phase is done.
    Done { phase: u8, summary: &'a str },
    /// Something is not as one would wish, such as a part that was done without an agent.
    Warns(&'a str),
    /// A file of an earlier creation was moved out of the way, to this name.
    MovedAside(&'a str),
    /// The files are as they should be, and the inbox does not show it.
    NotInInbox(&'a str),
    /// The creation that was begun anew is still in the inbox.
    EarlierInInbox(&'a str),
}

/// Where events go.
pub(super) type Events<'e> = dyn FnMut(TemplateEvent<'_>) + 'e;

/// Passes an event of the maker on as a [`TemplateEvent`].
pub(super) fn of_maker(told: MakerEvent<'_>, events: &mut Events<'_>) {
    match told {
        MakerEvent::Begins(step) => {
            events(TemplateEvent::Begins { phase: step.phase(), name: step.phase_name() });
        }
        MakerEvent::Asks(request) => events(TemplateEvent::Asks(request)),
        MakerEvent::Done { phase, summary } => events(TemplateEvent::Done { phase, summary }),
        MakerEvent::Warns(text) => events(TemplateEvent::Warns(&text)),
    }
}
