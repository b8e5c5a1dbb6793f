-- The chains themselves are described in package chain. The head of each is a
-- sealed value in meta.

-- What happened on the instance, append-only. person is who did it, object what
-- it was done to (an id, or empty), detail the rest; there are no names, keys or
-- texts in it, so that whoever is erased leaves only a number.
CREATE TABLE audit (
  n       INTEGER PRIMARY KEY AUTOINCREMENT,
  at_ms   INTEGER NOT NULL,
  person  INTEGER REFERENCES users (n), -- NULL: nobody who has an account
  action  TEXT    NOT NULL,
  object  TEXT    NOT NULL DEFAULT '',
  detail  TEXT    NOT NULL DEFAULT '{}' CHECK (json_valid(detail)),
  address TEXT    NOT NULL DEFAULT '',
  hash    BLOB    NOT NULL CHECK (length(hash) = 32)
) STRICT;
CREATE INDEX audit_action ON audit (action, n);
CREATE INDEX audit_person ON audit (person, n) WHERE person IS NOT NULL;
CREATE TRIGGER audit_no_update BEFORE UPDATE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;
CREATE TRIGGER audit_no_delete BEFORE DELETE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;

-- The ledger's chain: row n's hash is over the hash before it and the row. It
-- stands apart from the ledger so that rows of before could be taken into it:
-- the store does so when it is opened, up to the number that is noted here.
CREATE TABLE ledger_chain (
  n    INTEGER PRIMARY KEY REFERENCES ledger (n),
  hash BLOB    NOT NULL CHECK (length(hash) = 32)
) STRICT;
CREATE TRIGGER ledger_chain_no_update BEFORE UPDATE ON ledger_chain
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER ledger_chain_no_delete BEFORE DELETE ON ledger_chain
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
INSERT INTO meta (name, value) SELECT 'ledger_unchained', CAST(CAST(coalesce(max(n), 0) AS TEXT) AS BLOB) FROM ledger;

-- Who is leaving: what they made is being handed to heir, or deleted, a step at a
-- time. The row goes with the last step; after a kill the next start goes on.
CREATE TABLE leavings (
  person   INTEGER PRIMARY KEY REFERENCES users (n),
  heir     INTEGER REFERENCES users (n) CHECK (heir <> person), -- NULL: nobody, it is deleted
  erase    INTEGER NOT NULL CHECK (erase IN (0, 1) AND (erase = 1 OR heir IS NOT NULL)), -- the account, too
  by       INTEGER REFERENCES users (n), -- who had it done
  address  TEXT    NOT NULL,             -- from where
  begun_ms INTEGER NOT NULL
) STRICT;
