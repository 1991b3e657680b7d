-- What people say about runs, and which run revises which.

CREATE TABLE comments (
    number INTEGER PRIMARY KEY,
    run    TEXT NOT NULL,
    id     TEXT NOT NULL,
    owner  TEXT NOT NULL,
    author TEXT NOT NULL,
    at     INTEGER NOT NULL,
    text   TEXT NOT NULL,
    UNIQUE (run, id)
) STRICT;
CREATE INDEX comments_of_run ON comments (run, number);

-- A run may be noted here before it is made. One that never came to be is not shown.
CREATE TABLE revisions (
    number      INTEGER PRIMARY KEY,
    run         TEXT NOT NULL UNIQUE,
    parent      TEXT NOT NULL,
    first       TEXT NOT NULL,
    owner       TEXT NOT NULL,
    at          INTEGER NOT NULL,
    instruction TEXT NOT NULL,
    mode        TEXT NOT NULL,
    scope       TEXT NOT NULL
) STRICT;
CREATE INDEX revisions_of_first ON revisions (first, number);
