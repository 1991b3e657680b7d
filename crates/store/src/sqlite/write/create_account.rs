//! An account for an owner whose first run is large: its values cannot be named without one.

use consign_engine::Owner;

use crate::sqlite::{
    fail::Halt,
    writer::{Write, WriteContext},
};

pub(crate) struct CreateAccount {
    pub(crate) owner: Owner,
}

impl Write for CreateAccount {
    type Answer = ();

    fn write(&self, context: &mut WriteContext<'_>) -> Result<(), Halt> {
        context.ensure_account(&self.owner)
    }
}
