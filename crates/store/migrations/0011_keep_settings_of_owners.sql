-- What owners have set, such as the model and the defaults of an agent. Nothing secret: keys are sealed.

CREATE TABLE settings (
    owner TEXT NOT NULL,
    name  TEXT NOT NULL,
    value TEXT NOT NULL,
    at    INTEGER NOT NULL,
    PRIMARY KEY (owner, name)
) STRICT, WITHOUT ROWID;
