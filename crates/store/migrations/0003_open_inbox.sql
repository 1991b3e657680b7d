-- What runs ask. Asks that ended stay, so that a late answer can be told so.

CREATE TABLE interactions (
    -- Grows with each ask that opens: it breaks ties between asks of the same instant.
    place     INTEGER PRIMARY KEY,
    run       INTEGER NOT NULL,
    key       TEXT NOT NULL,
    kind      TEXT NOT NULL,
    prompt    TEXT NOT NULL,
    schema    TEXT NOT NULL,
    deadline  INTEGER,
    fallback  TEXT,
    opened_at INTEGER NOT NULL,
    state     TEXT NOT NULL,
    UNIQUE (run, key)
) STRICT;

CREATE INDEX inbox ON interactions (opened_at, place) WHERE state = 'open';
