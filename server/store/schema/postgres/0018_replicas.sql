-- People on several replicas. First what one process keeps in its memory, and
-- several in tables; what they are for is said in SQLite's migration.

CREATE TABLE tries (
  name BYTEA PRIMARY KEY CHECK (length(name) = 32),
  until_ms BIGINT NOT NULL
);
CREATE INDEX tries_until ON tries (until_ms);

CREATE TABLE begun (
  kind TEXT COLLATE "C" NOT NULL,
  session TEXT COLLATE "C" NOT NULL,
  owner BIGINT NOT NULL REFERENCES users (n) ON DELETE CASCADE,
  sealed BYTEA NOT NULL,
  expires_ms BIGINT NOT NULL,
  PRIMARY KEY (kind, session)
);
CREATE INDEX begun_owner ON begun (owner);
CREATE INDEX begun_expires ON begun (expires_ms);

CREATE TABLE used_tickets (
  id TEXT COLLATE "C" PRIMARY KEY,
  expires_ms BIGINT NOT NULL
);
CREATE INDEX used_tickets_expires ON used_tickets (expires_ms);

CREATE TABLE refused_keys (
  sum BYTEA PRIMARY KEY CHECK (length(sum) = 32),
  at_ms BIGINT NOT NULL
);

-- What others are told who hold it in memory: a word, and an id at most. It is told
-- with the commit, in its order, and not at all of what is rolled back.

CREATE FUNCTION tell_word() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN PERFORM pg_notify('screentest', TG_ARGV[0]); RETURN NULL; END $$;

-- Accounts, as people see them. Not what an account charged last, its password and
-- its authenticator's clock: nobody holds those.
CREATE TRIGGER users_made AFTER INSERT OR DELETE ON users
  FOR EACH STATEMENT EXECUTE FUNCTION tell_word('accounts');
CREATE TRIGGER users_changed AFTER UPDATE OF id, name, email, role, active, totp, oidc_issuer ON users
  FOR EACH STATEMENT EXECUTE FUNCTION tell_word('accounts');
CREATE TRIGGER passkeys_changed AFTER INSERT OR DELETE ON passkeys
  FOR EACH STATEMENT EXECUTE FUNCTION tell_word('accounts');
CREATE TRIGGER team_people_changed AFTER INSERT OR UPDATE OR DELETE ON team_people
  FOR EACH STATEMENT EXECUTE FUNCTION tell_word('accounts');

-- A team, of which more is another than its people see of each other.
CREATE FUNCTION tell_team() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN PERFORM pg_notify('screentest', 'team ' || uuid_in(encode(NEW.id, 'hex')::cstring)); RETURN NULL; END $$;
CREATE TRIGGER teams_changed AFTER INSERT OR UPDATE ON teams FOR EACH ROW EXECUTE FUNCTION tell_team();

-- A key that a team or a person pays with.
CREATE FUNCTION tell_key() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE k gateway_keys;
BEGIN
  k := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
  PERFORM pg_notify('screentest', CASE WHEN k.person IS NOT NULL THEN 'person ' || k.person
    ELSE (SELECT 'team ' || uuid_in(encode(t.id, 'hex')::cstring) FROM teams t WHERE t.n = k.team) END);
  RETURN NULL;
END $$;
CREATE TRIGGER gateway_keys_changed AFTER INSERT OR UPDATE OR DELETE ON gateway_keys FOR EACH ROW EXECUTE FUNCTION tell_key();

-- Sessions of who signed in: that they are there, and are no more. When they were
-- last seen is not told.
CREATE FUNCTION tell_session() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN PERFORM pg_notify('screentest', 'session ' || uuid_in(encode(NEW.id, 'hex')::cstring)); RETURN NULL; END $$;
CREATE TRIGGER sessions_made AFTER INSERT ON sessions FOR EACH ROW WHEN (NEW.signed_in = 1) EXECUTE FUNCTION tell_session();

CREATE FUNCTION tell_ended() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN PERFORM pg_notify('screentest', 'ended ' || uuid_in(encode(OLD.id, 'hex')::cstring)); RETURN NULL; END $$;
CREATE TRIGGER sessions_ended AFTER DELETE ON sessions FOR EACH ROW WHEN (OLD.signed_in = 1) EXECUTE FUNCTION tell_ended();

-- (That the id of a browser's is another, where nobody signs in, is told by who says so:
-- of many there is no row.)

-- A setting of the whole server, by its name; not what else stands in that table.
CREATE FUNCTION tell_setting() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE m meta;
BEGIN
  m := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
  IF starts_with(m.name, 'setting:') THEN
    PERFORM pg_notify('screentest', 'setting ' || substr(m.name, 9));
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER meta_changed AFTER INSERT OR UPDATE OR DELETE ON meta FOR EACH ROW EXECUTE FUNCTION tell_setting();

-- A key that its gateway has begun to refuse, or takes again.
CREATE FUNCTION tell_refused() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE k refused_keys;
BEGIN
  k := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
  PERFORM pg_notify('screentest', 'refused ' || encode(k.sum, 'hex'));
  RETURN NULL;
END $$;
CREATE TRIGGER refused_keys_changed AFTER INSERT OR DELETE ON refused_keys FOR EACH ROW EXECUTE FUNCTION tell_refused();

-- The models of gateways, and what they cost.
CREATE TRIGGER listings_changed AFTER INSERT OR UPDATE OR DELETE ON listings
  FOR EACH STATEMENT EXECUTE FUNCTION tell_word('models');
CREATE TRIGGER model_prices_changed AFTER INSERT OR UPDATE OR DELETE ON model_prices
  FOR EACH STATEMENT EXECUTE FUNCTION tell_word('models');

-- Who may see what: a share that was made, changed or taken back, and a clip that
-- went to the trash or came back from there.
CREATE TRIGGER shares_changed AFTER INSERT OR UPDATE OR DELETE ON shares
  FOR EACH STATEMENT EXECUTE FUNCTION tell_word('shares');
CREATE TRIGGER share_people_fewer AFTER DELETE ON share_people
  FOR EACH STATEMENT EXECUTE FUNCTION tell_word('shares');
CREATE TRIGGER video_tasks_trashed AFTER UPDATE OF deleted_ms ON video_tasks
  FOR EACH ROW WHEN ((OLD.deleted_ms = 0) <> (NEW.deleted_ms = 0)) EXECUTE FUNCTION tell_word('shares');

-- A key that was put in the place of another, which open clips of an owner's are asked
-- about with from now on.
CREATE FUNCTION tell_clip_key() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN PERFORM pg_notify('screentest', 'clips ' || NEW.owner); RETURN NULL; END $$;
CREATE TRIGGER video_keys_replaced AFTER INSERT ON video_keys FOR EACH ROW WHEN (NEW.replaced = 1) EXECUTE FUNCTION tell_clip_key();
