-- The last list of models of each gateway that was connected, as it came: what it
-- is read to be may change with the program.
CREATE TABLE listings (
  gateway   TEXT    NOT NULL PRIMARY KEY,
  body      BLOB    NOT NULL,
  listed_ms INTEGER NOT NULL -- Unix milliseconds
) STRICT, WITHOUT ROWID;
