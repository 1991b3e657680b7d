-- Runs, what happened in them, and the newest state of each.

CREATE TABLE runs (
    key        INTEGER PRIMARY KEY,
    id         TEXT NOT NULL,
    workflow   TEXT NOT NULL,
    version    INTEGER NOT NULL,
    owner      TEXT NOT NULL,
    placement  TEXT NOT NULL,
    priority   INTEGER NOT NULL,
    status     TEXT NOT NULL,
    -- The newest event: its place, its hash, its instant.
    seq        INTEGER NOT NULL,
    head       BLOB NOT NULL,
    at         INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    epoch      INTEGER NOT NULL,
    worker     TEXT,
    wake_at    INTEGER,
    -- Something was delivered that the holder has not seen.
    poked      INTEGER NOT NULL DEFAULT 0,
    spent      INTEGER NOT NULL,
    reserved   INTEGER NOT NULL,
    cap        INTEGER
) STRICT;

CREATE UNIQUE INDEX runs_by_id ON runs (id);
-- Lists: an index ends with the key, so these are by age within each owner and status.
CREATE INDEX runs_by_owner ON runs (owner);
CREATE INDEX runs_by_status ON runs (status);
-- What workers look for. These hold only live runs, however long the history is.
CREATE INDEX runs_to_claim ON runs (priority DESC, key)
    WHERE status = 'queued' AND placement <> 'foreground';
CREATE INDEX runs_to_wake ON runs (wake_at)
    WHERE status = 'waiting' AND placement <> 'foreground' AND wake_at IS NOT NULL;
CREATE INDEX runs_held ON runs (worker) WHERE worker IS NOT NULL;
CREATE INDEX runs_poked ON runs (worker) WHERE poked = 1;

-- Rows are appended as they come, not clustered by run: that is more than twice as fast.
-- The hash of the event before is not kept: it is that of the row before.
CREATE TABLE journal (
    place      INTEGER PRIMARY KEY,
    run        INTEGER NOT NULL,
    seq        INTEGER NOT NULL,
    at         INTEGER NOT NULL,
    actor      TEXT NOT NULL,
    kind       TEXT NOT NULL,
    hash       BLOB NOT NULL,
    salt       BLOB,
    -- What binds a body that was redacted: then it has neither text nor salt.
    commitment BLOB,
    body       TEXT
) STRICT;

CREATE UNIQUE INDEX journal_by_run ON journal (run, seq);

CREATE TABLE snapshots (
    run    INTEGER PRIMARY KEY,
    seq    INTEGER NOT NULL,
    head   BLOB NOT NULL,
    digest BLOB NOT NULL,
    state  TEXT
) STRICT;
