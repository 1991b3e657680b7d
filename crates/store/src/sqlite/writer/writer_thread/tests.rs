use std::{path::Path, sync::OnceLock, time::Duration};

use consign_engine::{Nanos, Owner};
use rusqlite::ffi;
use tokio::sync::oneshot::{self, Receiver};

use super::*;
use crate::sqlite::{
    fail::Halt,
    open,
    read::account,
    write::SetCap,
    writer::{Write, request::posted},
};

/// Does what a test wants of a request.
struct Does<F>(F);

impl<F: Fn(&Connection) -> Result<(), Halt> + Send + 'static> Write for Does<F> {
    type Answer = ();

    fn write(&self, context: &mut WriteContext<'_>) -> Result<(), Halt> {
        self.0(context.db)
    }
}

type Answer = Receiver<Result<(), Error>>;

fn request(write: impl Write<Answer = ()>) -> (Box<dyn Request>, Answer) {
    let (to, answer) = oneshot::channel();
    (posted(write, to), answer)
}

/// Gives an owner a cap: something that is easily looked up.
fn cap(owner: &str) -> (Box<dyn Request>, Answer) {
    request(SetCap { owner: Owner::from(owner), cap: Some(Nanos::new(1)) })
}

fn fails(code: i32) -> (Box<dyn Request>, Answer) {
    request(Does(move |db: &Connection| {
        db.execute("INSERT INTO owners (name, secret) VALUES ('half', x'00')", [])?;
        Err(rusqlite::Error::SqliteFailure(ffi::Error::new(code), None).into())
    }))
}

fn writer_thread(folder: &Path) -> WriterThread {
    let home = StoreFolder::make(folder).unwrap();
    let lock = WriteLock::open(&home.write_lock()).unwrap();
    let db = open::for_writing(&home, &lock).unwrap();
    let look = open::for_reading(&home).unwrap();
    let notifier = ChangeNotifier::new(look, Duration::from_millis(10)).unwrap();
    WriterThread::new(db, lock, home, notifier, Arc::new(OnceLock::new())).unwrap()
}

fn serve<const N: usize>(
    writer_thread: &mut WriterThread,
    requests: [(Box<dyn Request>, Answer); N],
) -> [Result<(), Error>; N] {
    let (batch, answers): (Vec<_>, Vec<_>) = requests.into_iter().unzip();
    writer_thread.serve(batch);
    let answers = answers.into_iter().map(|mut answer| answer.try_recv().unwrap());
    answers.collect::<Vec<_>>().try_into().unwrap()
}

fn is_capped(writer_thread: &WriterThread, owner: &str) -> bool {
    account(&writer_thread.db, &Owner::from(owner)).unwrap().cap.is_some()
}

#[test]
fn one_request_that_fails_half_way_does_not_fail_those_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer_thread = writer_thread(folder.path());
    let answers = serve(&mut writer_thread, [cap("ada"), fails(ffi::SQLITE_CORRUPT), cap("bob")]);
    assert!(matches!(answers, [Ok(()), Err(Error::Damaged(_)), Ok(())]), "{answers:?}");
    assert!(is_capped(&writer_thread, "ada") && is_capped(&writer_thread, "bob"));
    let half = "SELECT count(*) FROM owners WHERE name = 'half'";
    assert_eq!(writer_thread.db.query_row(half, [], |row| row.get::<_, i64>(0)).unwrap(), 0);
}

#[test]
fn a_full_disk_is_told_and_writing_goes_on_when_there_is_room() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer_thread = writer_thread(folder.path());
    let pages: i64 = writer_thread.db.query_row("PRAGMA page_count", [], |row| row.get(0)).unwrap();
    let most = |writer_thread: &WriterThread, pages: i64| {
        writer_thread
            .db
            .pragma_update_and_check(None, "max_page_count", pages, |_| Ok(()))
            .unwrap();
    };
    most(&writer_thread, pages);
    let large = || request(SetCap { owner: Owner::from("x".repeat(9_999)), cap: None });
    let answers = serve(&mut writer_thread, [cap("ada"), large()]);
    let [Ok(()), Err(Error::Unavailable(text))] = &answers else { panic!("{answers:?}") };
    assert!(text.contains("the disk is full"), "{text}");
    assert!(is_capped(&writer_thread, "ada"), "what is small still fits");
    most(&writer_thread, pages + 100);
    assert!(serve(&mut writer_thread, [large()])[0].is_ok());
}

#[test]
fn after_a_failed_sync_nothing_is_written_any_more() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer_thread = writer_thread(folder.path());
    let answers = serve(&mut writer_thread, [cap("ada"), fails(ffi::SQLITE_IOERR_FSYNC)]);
    assert!(matches!(answers, [Err(Error::Lost(_)), Err(Error::Lost(_))]), "{answers:?}");
    let [late] = serve(&mut writer_thread, [cap("bob")]);
    assert!(matches!(late, Err(Error::Lost(_))), "{late:?}");
    assert!(!is_capped(&writer_thread, "ada") && !is_capped(&writer_thread, "bob"));
}

#[test]
fn what_a_rolled_back_transaction_made_is_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer_thread = writer_thread(folder.path());
    let broken = || fails(ffi::SQLITE_IOERR_READ);
    let meets = || {
        request(Does(|db: &Connection| {
            db.execute("UPDATE owners SET cap = 5 WHERE name = 'ada'", [])?;
            Ok(())
        }))
    };
    // The account is made and rolled back with the batch, then made again alone.
    let answers = serve(&mut writer_thread, [cap("ada"), broken(), meets()]);
    assert!(answers[0].is_ok() && answers[1].is_err() && answers[2].is_ok(), "{answers:?}");
    assert_eq!(account(&writer_thread.db, &Owner::from("ada")).unwrap().cap, Some(Nanos::new(5)));
}

#[test]
fn a_stranger_who_holds_the_database_is_told_of_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer_thread = writer_thread(folder.path());
    writer_thread.db.busy_timeout(Duration::ZERO).unwrap();
    let stranger = Connection::open(folder.path().join("consign.db")).unwrap();
    stranger.execute_batch("BEGIN IMMEDIATE").unwrap();
    let answers = serve(&mut writer_thread, [cap("ada"), cap("bob")]);
    assert!(matches!(&answers, [Err(Error::Unavailable(_)), Err(Error::Unavailable(_))]));
    stranger.execute_batch("ROLLBACK").unwrap();
    assert!(serve(&mut writer_thread, [cap("ada")])[0].is_ok());
}
