//! What can be done with templates: create one, go on with a creation, answer what it asks, have a command or a model
//! answer, see how it stands, and make a project of one.
//!
//! [`create`] begins or goes on until an agent has to answer or the template is there; [`Watching`] does that in rounds.
//! The files in the project are the truth, and the run in the home is brought up to them afterwards: where that fails
//! the work goes on. One process works on a project at a time, by a lock. What there is to tell meanwhile comes as a
//! [`TemplateEvent`]. Nothing here prints, and the answers of agents count only as `consign_template` judges them.

mod analyze;
mod answer;
mod answerer;
mod create;
mod event;
mod making;
mod mirrored;
mod names;
mod new;
mod order;
mod project;
mod status;
mod watch;

pub use analyze::analyze;
pub use answer::{AgentSaid, GivenAnswer, OpenRequest};
pub use answerer::Answerer;
pub use create::{AgentReach, Create, Created, Mode, WaitingCreation, create};
pub use event::TemplateEvent;
pub use mirrored::{Advice, CreationPhases, DonePhase, advice, is_bridged, phases};
pub use names::{ProjectName, TemplateName};
pub use new::new;
pub use status::{AnswerFile, CreationStatus, PendingRequest, Standing, pending, status};
pub use watch::{Watch, WatchRound, Watching};
