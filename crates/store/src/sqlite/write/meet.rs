//! An account for an owner whose first run is large: its values cannot be named without one.

use consign_engine::Owner;

use crate::sqlite::{
    fail::Halt,
    writer::{Desk, Write},
};

pub(crate) struct Meet {
    pub(crate) owner: Owner,
}

impl Write for Meet {
    type Answer = ();

    fn write(&self, desk: &mut Desk<'_>) -> Result<(), Halt> {
        desk.meet(&self.owner)
    }
}
