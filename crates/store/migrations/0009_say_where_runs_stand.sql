-- A run has a label of its workflow, and the command that a foreground run belongs to. Asks say who answered.

-- A short word of the workflow's own for where the run stands.
ALTER TABLE runs ADD COLUMN label TEXT;
-- The worker of the command that has a foreground run in its care. While it lives, other workers leave the run alone.
ALTER TABLE runs ADD COLUMN keeper TEXT;
-- A foreground run whose command stopped or died in the middle. It waits for a command, or for a delivery.
ALTER TABLE runs ADD COLUMN interrupted INTEGER NOT NULL DEFAULT 0;

UPDATE runs SET interrupted = 1 WHERE status = 'queued' AND placement = 'foreground';
UPDATE runs SET keeper = worker WHERE status = 'running' AND placement = 'foreground';

CREATE INDEX runs_by_label ON runs (label) WHERE label IS NOT NULL;

-- Foreground runs are claimed too, once their command is gone.
DROP INDEX runs_to_claim;
DROP INDEX runs_to_wake;
CREATE INDEX runs_to_claim ON runs (priority DESC, key) WHERE status = 'queued' AND interrupted = 0;
CREATE INDEX runs_to_wake ON runs (wake_at) WHERE status = 'waiting' AND wake_at IS NOT NULL;

ALTER TABLE interactions ADD COLUMN answered_by TEXT;
ALTER TABLE interactions ADD COLUMN answered_at INTEGER;

CREATE INDEX answered ON interactions (answered_at, place) WHERE state = 'answered';
