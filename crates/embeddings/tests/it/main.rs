//! With the model, where it is: in the folder of `CONSIGN_MODELS`, or in the platform's cache. Otherwise each test says
//! that it was skipped.

#![expect(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]
#![expect(clippy::print_stdout, reason = "it says what was skipped")]

mod arctic;
