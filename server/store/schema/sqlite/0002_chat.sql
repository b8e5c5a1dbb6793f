-- The chat desk: pins, lanes, votes, the library, function results, and search.

ALTER TABLE conversations ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0 CHECK (pinned IN (0, 1));
CREATE INDEX conversations_pinned ON conversations (owner, updated_ms DESC, n DESC) WHERE pinned = 1;

-- Of a message with the role tool: the call that its text is the result of, and
-- the function's name.
ALTER TABLE messages ADD COLUMN tool_call TEXT NOT NULL DEFAULT '';
ALTER TABLE messages ADD COLUMN tool      TEXT NOT NULL DEFAULT '';

-- What an ended run brought besides its text. calls is NULL for none.
ALTER TABLE runs ADD COLUMN calls           TEXT CHECK (json_valid(calls));
ALTER TABLE runs ADD COLUMN reasoning_bytes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN sources         INTEGER NOT NULL DEFAULT 0;

-- Where the body was sent; '' for what is older than this column.
ALTER TABLE run_requests ADD COLUMN base_url TEXT NOT NULL DEFAULT '';

-- What a conversation is shown in. rev counts the changes.
CREATE TABLE lanes (
  conversation INTEGER PRIMARY KEY REFERENCES conversations (n) ON DELETE CASCADE,
  owner        INTEGER NOT NULL REFERENCES users (n),
  rev          INTEGER NOT NULL,
  blind        INTEGER NOT NULL CHECK (blind IN (0, 1)),
  lanes        TEXT    NOT NULL CHECK (json_valid(lanes))
) STRICT;

-- winner is the id of an answer, NULL for a tie.
CREATE TABLE votes (
  message      INTEGER PRIMARY KEY REFERENCES messages (n) ON DELETE CASCADE,
  owner        INTEGER NOT NULL REFERENCES users (n),
  conversation INTEGER NOT NULL REFERENCES conversations (n) ON DELETE CASCADE,
  winner       BLOB             CHECK (length(winner) = 16),
  models       TEXT    NOT NULL CHECK (json_valid(models)),
  vote_ms      INTEGER NOT NULL
) STRICT;
CREATE INDEX votes_conversation ON votes (conversation, message);

CREATE TABLE library (
  n          INTEGER PRIMARY KEY,
  owner      INTEGER NOT NULL REFERENCES users (n),
  id         BLOB    NOT NULL CHECK (length(id) = 16),
  kind       TEXT    NOT NULL CHECK (kind IN ('prompt', 'settings')),
  name       TEXT    NOT NULL,
  text       TEXT    NOT NULL DEFAULT '',
  family     TEXT    NOT NULL DEFAULT '',
  params     TEXT             CHECK (json_valid(params)),
  updated_ms INTEGER NOT NULL,
  UNIQUE (owner, id)
) STRICT;

-- What is in the search index: one row for a message, and one for a title,
-- which has no message. n is its time in seconds times 65536, counted up within
-- a second: the newest first is the order of n. run is the run that an answer's
-- row was made from.
CREATE TABLE search_rows (
  n            INTEGER PRIMARY KEY,
  owner        INTEGER NOT NULL REFERENCES users (n),
  conversation INTEGER NOT NULL REFERENCES conversations (n) ON DELETE CASCADE,
  message      INTEGER          REFERENCES messages (n) ON DELETE CASCADE,
  run          INTEGER          REFERENCES runs (n) ON DELETE CASCADE
) STRICT;
CREATE INDEX search_rows_message ON search_rows (message);
CREATE INDEX search_rows_conversation ON search_rows (conversation);
CREATE INDEX search_rows_run ON search_rows (run) WHERE run IS NOT NULL;

-- The index holds words and no texts: those are in the rows above. meta has the
-- words that filters ask for: the owner, kinds, conversation, model and state.
CREATE VIRTUAL TABLE search USING fts5 (
  meta, title, question, answer, tool, error, model,
  content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
);

-- Whatever takes a row away takes its words away.
CREATE TRIGGER search_rows_gone AFTER DELETE ON search_rows
BEGIN DELETE FROM search WHERE rowid = OLD.n; END;

-- What is to be put into the index, or put there anew: a message, or, where
-- that is NULL, a conversation's title. It is written with the rows that it is
-- about, and worked off when the writer has a moment. What is gone meanwhile is
-- passed over.
CREATE TABLE search_todo (
  n            INTEGER PRIMARY KEY,
  owner        INTEGER NOT NULL,
  conversation INTEGER NOT NULL,
  message      INTEGER
) STRICT;
INSERT INTO search_todo (owner, conversation) SELECT owner, n FROM conversations;
INSERT INTO search_todo (owner, conversation, message) SELECT owner, conversation, n FROM messages;

-- What an import says that a run cost, where the ledger here has nothing of it:
-- it is shown, and was not spent here.
ALTER TABLE runs ADD COLUMN told_nano_usd INTEGER;
ALTER TABLE runs ADD COLUMN told_basis    TEXT;
ALTER TABLE runs ADD COLUMN told_source   TEXT;
