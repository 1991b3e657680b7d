-- Owners take turns when runs are claimed.

-- By owner, so that a claim can step from one owner to the next. The last columns say whether a worker may have
-- the run, without a look at the run itself.
DROP INDEX runs_to_claim;
CREATE INDEX runs_to_claim ON runs (placement, owner, priority DESC, key, workflow, version, keeper)
    WHERE status = 'queued' AND interrupted = 0;
CREATE INDEX runs_held_of_owner ON runs (owner, worker) WHERE worker IS NOT NULL;

-- The owner of the run that was claimed last: one row, or none so far.
CREATE TABLE served (
    one   INTEGER PRIMARY KEY CHECK (one = 1),
    owner TEXT NOT NULL
) STRICT;
