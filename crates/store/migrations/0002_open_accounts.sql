-- What each owner has spent over all runs, and may spend.

CREATE TABLE owners (
    name     TEXT PRIMARY KEY,
    -- Large values of this owner are named with it, so that equal values of two owners share nothing.
    secret   BLOB NOT NULL,
    spent    INTEGER NOT NULL DEFAULT 0,
    reserved INTEGER NOT NULL DEFAULT 0,
    cap      INTEGER
) STRICT, WITHOUT ROWID;

INSERT INTO owners (name, secret, spent, reserved)
SELECT owner, randomblob(32), sum(spent), sum(reserved) FROM runs GROUP BY owner;
