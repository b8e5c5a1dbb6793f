-- How much of a row is an estimate: its cost, if it is one; less than nothing,
-- if it puts an earlier estimate right. Summed up it is what still rests on
-- estimates.
ALTER TABLE ledger ADD COLUMN estimated_nano_usd INTEGER NOT NULL DEFAULT 0;
DROP TRIGGER ledger_no_update;
UPDATE ledger SET estimated_nano_usd = cost_nano_usd WHERE source = 'estimated';
CREATE TRIGGER ledger_no_update BEFORE UPDATE ON ledger
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only: book a correction'); END;

-- The ledger's order on its page. Its last column is n, as of every index.
-- Sums are read from spend_hours, so the index that held what they need goes.
DROP INDEX ledger_spend;
CREATE INDEX ledger_newest ON ledger (owner, created_ms);

-- Sums of the ledger by the hour (since 1970, in UTC), kept by a trigger with
-- each row, so that the two cannot differ. An hour is the largest piece that
-- the days of most time zones are made of; of a zone that is half an hour off,
-- the rows of the two hours at a day's ends are read as well.
CREATE TABLE spend_hours (
  owner         INTEGER NOT NULL REFERENCES users (n),
  hour          INTEGER NOT NULL,
  what          TEXT    NOT NULL,
  model         TEXT    NOT NULL,
  charged       INTEGER NOT NULL, -- nano-USD, as the three below
  returned      INTEGER NOT NULL,
  corrected     INTEGER NOT NULL,
  estimated     INTEGER NOT NULL,
  rows          INTEGER NOT NULL,
  input_tokens  INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  PRIMARY KEY (owner, hour, what, model)
) STRICT, WITHOUT ROWID;

INSERT INTO spend_hours
SELECT owner, created_ms / 3600000, what, model,
  sum(CASE kind WHEN 'charge' THEN cost_nano_usd ELSE 0 END),
  sum(CASE kind WHEN 'return' THEN cost_nano_usd ELSE 0 END),
  sum(CASE kind WHEN 'correction' THEN cost_nano_usd ELSE 0 END),
  sum(estimated_nano_usd), count(*), sum(input_tokens), sum(output_tokens)
FROM ledger GROUP BY 1, 2, 3, 4;

CREATE TRIGGER ledger_hours AFTER INSERT ON ledger
BEGIN
  INSERT INTO spend_hours VALUES (NEW.owner, NEW.created_ms / 3600000, NEW.what, NEW.model,
    CASE NEW.kind WHEN 'charge' THEN NEW.cost_nano_usd ELSE 0 END,
    CASE NEW.kind WHEN 'return' THEN NEW.cost_nano_usd ELSE 0 END,
    CASE NEW.kind WHEN 'correction' THEN NEW.cost_nano_usd ELSE 0 END,
    NEW.estimated_nano_usd, 1, NEW.input_tokens, NEW.output_tokens)
  ON CONFLICT DO UPDATE SET
    charged = charged + excluded.charged, returned = returned + excluded.returned, corrected = corrected + excluded.corrected,
    estimated = estimated + excluded.estimated, rows = rows + 1,
    input_tokens = input_tokens + excluded.input_tokens, output_tokens = output_tokens + excluded.output_tokens;
END;
