-- The last list of models of each gateway that was connected, as it came: what it
-- is read to be may change with the program.
CREATE TABLE listings (
  gateway   TEXT    NOT NULL PRIMARY KEY,
  body      BLOB    NOT NULL,
  listed_ms INTEGER NOT NULL -- Unix milliseconds
) STRICT, WITHOUT ROWID;

-- Prices that a person entered for models of a gateway, as JSON of the catalogue's
-- price. They count before all others.
CREATE TABLE model_prices (
  gateway TEXT    NOT NULL,
  model   TEXT    NOT NULL,
  price   TEXT    NOT NULL,
  set_ms  INTEGER NOT NULL, -- Unix milliseconds
  PRIMARY KEY (gateway, model)
) STRICT, WITHOUT ROWID;
