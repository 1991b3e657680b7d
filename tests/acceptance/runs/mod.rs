//! `consign runs …`

mod answer;
mod cancel;
mod escapes;
mod list;
mod output;
mod raise;
mod show;
mod start;
mod stop;
mod verify;
mod watch;
