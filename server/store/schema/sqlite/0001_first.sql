-- Every row has an owner (users.n). Ids that people and programs see are UUIDs
-- made by the browser, kept as 16 bytes and unique for one owner; inside, rows
-- are joined by their number n. Times are Unix milliseconds, money is nano-USD.

-- Facts about the data folder itself.
CREATE TABLE meta (
  name  TEXT PRIMARY KEY,
  value BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- AUTOINCREMENT: a number is never given twice, because the ledger outlives
-- what it speaks of.
CREATE TABLE users (
  n          INTEGER PRIMARY KEY AUTOINCREMENT,
  name       TEXT    NOT NULL,
  local      INTEGER NOT NULL DEFAULT 0 CHECK (local IN (0, 1)),
  created_ms INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX users_local ON users (local) WHERE local = 1;

-- id_hash is the SHA-256 of the id in the cookie: whoever reads the file can
-- take over no session. sealed holds the session's values.
CREATE TABLE sessions (
  id_hash    BLOB    PRIMARY KEY CHECK (length(id_hash) = 32),
  owner      INTEGER NOT NULL REFERENCES users (n),
  sealed     BLOB    NOT NULL,
  created_ms INTEGER NOT NULL,
  expires_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX sessions_expires ON sessions (expires_ms);

CREATE TABLE settings (
  owner INTEGER NOT NULL REFERENCES users (n),
  name  TEXT    NOT NULL,
  value TEXT    NOT NULL,
  PRIMARY KEY (owner, name)
) STRICT, WITHOUT ROWID;

-- turn is the n of the newest message of the person's, models the models that
-- were asked for it, comma separated.
CREATE TABLE conversations (
  n          INTEGER PRIMARY KEY,
  owner      INTEGER NOT NULL REFERENCES users (n),
  id         BLOB    NOT NULL CHECK (length(id) = 16),
  title      TEXT    NOT NULL,
  models     TEXT    NOT NULL DEFAULT '',
  turn       INTEGER NOT NULL DEFAULT 0,
  created_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL,
  UNIQUE (owner, id)
) STRICT;
-- The list's order. The rows themselves are small: an index that held all of
-- them was measured at 14 % less for a page, and costs a second copy of each.
CREATE INDEX conversations_newest ON conversations (owner, updated_ms DESC, n DESC);

-- The order of messages is that of n. parent is the id of a message of the same
-- conversation; two children of one parent are versions or lanes.
CREATE TABLE messages (
  n            INTEGER PRIMARY KEY,
  owner        INTEGER NOT NULL REFERENCES users (n),
  conversation INTEGER NOT NULL REFERENCES conversations (n) ON DELETE CASCADE,
  id           BLOB    NOT NULL CHECK (length(id) = 16),
  parent       BLOB             CHECK (length(parent) = 16),
  lane         INTEGER NOT NULL DEFAULT 0,
  role         TEXT    NOT NULL CHECK (role IN ('system', 'user', 'assistant', 'tool')),
  text         TEXT    NOT NULL DEFAULT '',
  created_ms   INTEGER NOT NULL,
  UNIQUE (owner, id)
) STRICT;
CREATE INDEX messages_conversation ON messages (conversation);

-- A run is one call of the gateway. What it cost is in the ledger and nowhere
-- else. conversation repeats that of the message, for the count of open runs;
-- the row goes with its message.
CREATE TABLE runs (
  n              INTEGER PRIMARY KEY,
  owner          INTEGER NOT NULL REFERENCES users (n),
  conversation   INTEGER NOT NULL,
  message        INTEGER NOT NULL REFERENCES messages (n) ON DELETE CASCADE,
  id             BLOB    NOT NULL CHECK (length(id) = 16),
  lane           INTEGER NOT NULL DEFAULT 0,
  endpoint       TEXT    NOT NULL,
  model          TEXT    NOT NULL,
  answered       TEXT    NOT NULL DEFAULT '',
  state          TEXT    NOT NULL CHECK (state IN ('running', 'done', 'stopped', 'failed', 'incomplete', 'interrupted')),
  finish         TEXT    NOT NULL DEFAULT '',
  problem        TEXT             CHECK (json_valid(problem)),
  http_status    INTEGER NOT NULL DEFAULT 0,
  content_type   TEXT    NOT NULL DEFAULT '',
  request_id     TEXT    NOT NULL DEFAULT '',
  bytes          INTEGER NOT NULL DEFAULT 0,
  started_ms     INTEGER NOT NULL,
  first_token_ms INTEGER NOT NULL DEFAULT 0,
  duration_ms    INTEGER NOT NULL DEFAULT 0,
  input_tokens   INTEGER NOT NULL DEFAULT 0,
  output_tokens  INTEGER NOT NULL DEFAULT 0,
  UNIQUE (owner, id)
) STRICT;
CREATE INDEX runs_message ON runs (message);
CREATE INDEX runs_running ON runs (conversation) WHERE state = 'running';

-- The exact bodies that were sent. A table of its own, so that a change of a
-- run's row does not write them again. coding: 0 as it is, 1 zstd.
CREATE TABLE run_requests (
  run    INTEGER PRIMARY KEY REFERENCES runs (n) ON DELETE CASCADE,
  owner  INTEGER NOT NULL REFERENCES users (n),
  coding INTEGER NOT NULL,
  body   BLOB    NOT NULL
) STRICT;

-- A run's log in stretches: small ones while it runs, compressed ones once it
-- ended. start and size count log bytes. times is the caller's time index.
CREATE TABLE run_log (
  n            INTEGER PRIMARY KEY,
  owner        INTEGER NOT NULL REFERENCES users (n),
  run          INTEGER NOT NULL REFERENCES runs (n) ON DELETE CASCADE,
  start        INTEGER NOT NULL CHECK (start >= 0),
  size         INTEGER NOT NULL CHECK (size >= 0),
  coding       INTEGER NOT NULL,
  data         BLOB    NOT NULL,
  times_coding INTEGER NOT NULL,
  times        BLOB    NOT NULL
) STRICT;
CREATE UNIQUE INDEX run_log_start ON run_log (run, start, size);

-- The ledger. subject is the id of the run (or, later, of the video task) that
-- a row is about, conversation the one it was made in; both may be gone. A
-- subject has at most one charge and one return; corrections count up in seq.
-- A return is negative, so that a total is the sum of rows. basis says how the
-- figure came about ("31 in × $1.25/M + …"), prices are those it was worked out
-- from: a later catalogue changes nothing past.
CREATE TABLE ledger (
  n             INTEGER PRIMARY KEY AUTOINCREMENT,
  owner         INTEGER NOT NULL REFERENCES users (n),
  kind          TEXT    NOT NULL CHECK (kind IN ('charge', 'return', 'correction')),
  what          TEXT    NOT NULL CHECK (what IN ('text', 'video')),
  subject       BLOB    NOT NULL CHECK (length(subject) = 16),
  seq           INTEGER NOT NULL DEFAULT 0 CHECK (seq = 0 OR kind = 'correction'),
  conversation  BLOB             CHECK (length(conversation) = 16),
  model         TEXT    NOT NULL,
  cost_nano_usd INTEGER NOT NULL CHECK (CASE kind WHEN 'charge' THEN cost_nano_usd >= 0 WHEN 'return' THEN cost_nano_usd <= 0 ELSE 1 END),
  basis         TEXT    NOT NULL,
  source        TEXT    NOT NULL CHECK (source IN ('reported', 'computed', 'estimated')),
  input_tokens  INTEGER NOT NULL DEFAULT 0,
  output_tokens INTEGER NOT NULL DEFAULT 0,
  prices        TEXT    NOT NULL DEFAULT '{}' CHECK (json_valid(prices)),
  created_ms    INTEGER NOT NULL,
  day           INTEGER GENERATED ALWAYS AS (created_ms / 86400000) VIRTUAL, -- since 1970, in UTC
  UNIQUE (owner, subject, kind, seq)
) STRICT;
-- Sums over a person's time, and over a conversation, are read from these
-- indexes alone. Time and not day is the key, so that the days of the person's
-- own time zone cost the same as those of UTC.
CREATE INDEX ledger_spend ON ledger (owner, created_ms, model, cost_nano_usd);
CREATE INDEX ledger_conversation ON ledger (owner, conversation, source, cost_nano_usd) WHERE conversation IS NOT NULL;

-- Append-only, without exception: a mistake is put right by a correction, and
-- retention is for logs and clips, not for what they cost. A row holds no text
-- of a conversation, so deleting one leaves nothing of it here but its id.
CREATE TRIGGER ledger_no_update BEFORE UPDATE ON ledger
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only: book a correction'); END;
CREATE TRIGGER ledger_no_delete BEFORE DELETE ON ledger
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only: book a correction'); END;
