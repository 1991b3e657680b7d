-- Secrets that were sealed before they came here. Nothing in this database can open them.

CREATE TABLE sealed (
    owner TEXT NOT NULL,
    name  TEXT NOT NULL,
    bytes BLOB NOT NULL,
    at    INTEGER NOT NULL,
    PRIMARY KEY (owner, name)
) STRICT, WITHOUT ROWID;
