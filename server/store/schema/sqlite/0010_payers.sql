-- Who pays: the team that a send is charged to (NULL: none, as of everything
-- before there were teams, and of personal keys) and the label of the key.

ALTER TABLE runs ADD COLUMN team INTEGER REFERENCES teams (n);
ALTER TABLE runs ADD COLUMN paid_by TEXT NOT NULL DEFAULT '';
ALTER TABLE video_tasks ADD COLUMN team INTEGER REFERENCES teams (n);
ALTER TABLE video_tasks ADD COLUMN paid_by TEXT NOT NULL DEFAULT '';
ALTER TABLE video_keys ADD COLUMN team INTEGER REFERENCES teams (n); -- NULL: the owner's own
ALTER TABLE ledger ADD COLUMN team INTEGER REFERENCES teams (n);
ALTER TABLE ledger ADD COLUMN paid_by TEXT NOT NULL DEFAULT '';
CREATE INDEX video_tasks_team ON video_tasks (team) WHERE team IS NOT NULL;

-- The ledger's pages of a team, of a key, and of everybody.
CREATE INDEX ledger_team ON ledger (team, created_ms) WHERE team IS NOT NULL;
CREATE INDEX ledger_key ON ledger (paid_by, created_ms) WHERE paid_by <> '';
CREATE INDEX ledger_time ON ledger (created_ms);

-- The sums by the hour know team and key, too. 0 is no team.
DROP TRIGGER ledger_hours;
CREATE TABLE spend_hours_new (
  owner         INTEGER NOT NULL REFERENCES users (n),
  hour          INTEGER NOT NULL,
  what          TEXT    NOT NULL,
  model         TEXT    NOT NULL,
  team          INTEGER NOT NULL,
  paid_by       TEXT    NOT NULL,
  charged       INTEGER NOT NULL, -- nano-USD, as the three below
  returned      INTEGER NOT NULL,
  corrected     INTEGER NOT NULL,
  estimated     INTEGER NOT NULL,
  rows          INTEGER NOT NULL,
  input_tokens  INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  PRIMARY KEY (owner, hour, what, model, team, paid_by)
) STRICT, WITHOUT ROWID;
INSERT INTO spend_hours_new
  SELECT owner, hour, what, model, 0, '', charged, returned, corrected, estimated, rows, input_tokens, output_tokens FROM spend_hours;
DROP TABLE spend_hours;
ALTER TABLE spend_hours_new RENAME TO spend_hours;
CREATE INDEX spend_hours_team ON spend_hours (team, hour) WHERE team > 0;

CREATE TRIGGER ledger_hours AFTER INSERT ON ledger
BEGIN
  INSERT INTO spend_hours VALUES (NEW.owner, NEW.created_ms / 3600000, NEW.what, NEW.model, coalesce(NEW.team, 0), NEW.paid_by,
    CASE NEW.kind WHEN 'charge' THEN NEW.cost_nano_usd ELSE 0 END,
    CASE NEW.kind WHEN 'return' THEN NEW.cost_nano_usd ELSE 0 END,
    CASE NEW.kind WHEN 'correction' THEN NEW.cost_nano_usd ELSE 0 END,
    NEW.estimated_nano_usd, 1, NEW.input_tokens, NEW.output_tokens)
  ON CONFLICT DO UPDATE SET
    charged = charged + excluded.charged, returned = returned + excluded.returned, corrected = corrected + excluded.corrected,
    estimated = estimated + excluded.estimated, rows = rows + 1,
    input_tokens = input_tokens + excluded.input_tokens, output_tokens = output_tokens + excluded.output_tokens;
END;
