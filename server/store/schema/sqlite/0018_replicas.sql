-- Which of several replicas an answer or a clip under way is of. A folder is one
-- process's, so here it is 0; the columns are there for the statements that both
-- engines share.
ALTER TABLE runs ADD COLUMN holder INTEGER NOT NULL DEFAULT 0;
ALTER TABLE video_tasks ADD COLUMN holder INTEGER NOT NULL DEFAULT 0;
ALTER TABLE leavings ADD COLUMN holder INTEGER NOT NULL DEFAULT 0; -- who goes on with it

-- What follows is what one process keeps in its memory,
-- where several ask the same database; a single one leaves these tables empty.

-- How often was tried what may be guessed. A row is a limit of one address or one
-- account, by a sum of its name: it says when all that was tried is forgotten.
CREATE TABLE tries (
  name     BLOB    NOT NULL PRIMARY KEY CHECK (length(name) = 32),
  until_ms INTEGER NOT NULL -- Unix milliseconds
) STRICT, WITHOUT ROWID;
CREATE INDEX tries_until ON tries (until_ms);

-- What somebody has begun who is signed in, and is to finish within minutes: the
-- newest of each kind in a session.
CREATE TABLE begun (
  kind       TEXT    NOT NULL,
  session    TEXT    NOT NULL,
  owner      INTEGER NOT NULL REFERENCES users (n) ON DELETE CASCADE,
  sealed     BLOB    NOT NULL,
  expires_ms INTEGER NOT NULL, -- Unix milliseconds
  PRIMARY KEY (kind, session)
) STRICT, WITHOUT ROWID;
CREATE INDEX begun_owner ON begun (owner);
CREATE INDEX begun_expires ON begun (expires_ms);

-- Tickets that led somewhere, until they expire: each does so once.
CREATE TABLE used_tickets (
  id         TEXT    NOT NULL PRIMARY KEY,
  expires_ms INTEGER NOT NULL -- Unix milliseconds
) STRICT, WITHOUT ROWID;
CREATE INDEX used_tickets_expires ON used_tickets (expires_ms);

-- Keys that their gateway has refused and not taken since, by sums that nobody
-- makes who doesn't know the server's secrets.
CREATE TABLE refused_keys (
  sum   BLOB    NOT NULL PRIMARY KEY CHECK (length(sum) = 32),
  at_ms INTEGER NOT NULL -- Unix milliseconds
) STRICT, WITHOUT ROWID;
