//! Signals: named words with a value that a workflow takes from outside without asking for them.
//!
//! A workflow declares each with a contract ([`crate::Workflow::signals`]). [`Engine::signal`] holds the value
//! to it and writes it to the journal; the workflow hears it once. A signal that is not declared is refused.

use std::borrow::Cow;

use consign_contracts::schema::Schema;

use crate::{
    Data, Engine, Error, Fault, Role, RunId, Speaker,
    external_home::Wish,
    journal::{Body, Signalled},
    plan::breach,
};

/// A signal that the runs of a workflow take.
#[derive(Clone, Debug)]
pub struct SignalContract {
    pub name: Cow<'static, str>,
    /// The JSON Schema of its value.
    pub schema: Data,
    /// Who may send it. What is for a person is refused from an agent; what is for an agent a person may send too.
    pub from: Role,
}

impl Engine {
    /// Sends a signal to a run. It is refused if the workflow takes none of this name, if the value breaks its
    /// contract, or if it is for a person and an agent sends it.
    pub async fn signal(
        &self,
        run: &RunId,
        name: &str,
        value: &Data,
        by: &Speaker,
    ) -> Result<(), Error> {
        self.refuse_for_external_home(run, Wish::Continue).await?;
        let row = self.store.row(run).await?;
        let signals = self.workflows.signals(&row.workflow);
        let Some(signal) = signals.iter().find(|signal| signal.name == name) else {
            return Err(unknown(&row.workflow, name, &signals).into());
        };
        if signal.from == Role::Person {
            by.as_person(&format!("the signal {name}"))?;
        }
        let schema = Schema::compile(&signal.schema.tree().map_err(Fault::from)?);
        let schema = schema.map_err(|cause| {
            let text = format!("the contract of the signal {name}: {cause}");
            Fault::permanent("SCHEMA_INVALID", text)
        })?;
        breach(&schema, value, &format!("the value of the signal {name}"))?;
        self.append(run, signalled(name, value), &by.actor).await
    }
}

pub(crate) fn signalled(name: &str, value: &Data) -> Body {
    Signalled { name: name.to_owned(), value: value.clone() }.into()
}

fn unknown(workflow: &str, name: &str, signals: &[SignalContract]) -> Fault {
    let known: Vec<_> = signals.iter().map(|signal| signal.name.as_ref()).collect();
    let text = if known.is_empty() {
        format!("{workflow} takes no signals")
    } else {
        format!("{workflow} takes no signal {name:?}; it takes {}", known.join(", "))
    };
    Fault::permanent("SIGNAL_NOT_FOUND", text)
}
