-- SPDX-License-Identifier: MIT OR Apache-2.0
-- The log is append-only: the triggers below enforce it against every writer of this file, whatever its pragmas. They
-- do not depend on `recursive_triggers`: an INSERT OR REPLACE that would delete a row is refused by a BEFORE INSERT
-- trigger.
--
-- An entry's id is sid * 2^30 + seq. One clustered key then serves "a session's entries in order", "the entries after
-- one" and "the last entry", and 2^23 sessions of 2^30 entries stay below 2^53.

PRAGMA application_id = 1634165868;

CREATE TABLE meta (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  log TEXT NOT NULL,
  hash_key BLOB NOT NULL CHECK (length(hash_key) = 32),
  created_at TEXT NOT NULL
) STRICT;

CREATE TRIGGER meta_once BEFORE INSERT ON meta WHEN EXISTS (SELECT 1 FROM meta)
BEGIN SELECT RAISE(ABORT, 'the log''s identity is written once'); END;
CREATE TRIGGER meta_stays BEFORE UPDATE ON meta
BEGIN SELECT RAISE(ABORT, 'the log''s identity is written once'); END;
CREATE TRIGGER meta_kept BEFORE DELETE ON meta
BEGIN SELECT RAISE(ABORT, 'the log''s identity is written once'); END;

-- A session with the projection of its entries: all columns but sid, id and created_at can be computed from them again.
CREATE TABLE session (
  sid INTEGER PRIMARY KEY CHECK (sid BETWEEN 1 AND 8388607),
  id TEXT NOT NULL UNIQUE,
  name TEXT,
  agent TEXT,
  cwd TEXT,
  parent TEXT,
  state TEXT,               -- NULL: `instance`, where what concerns no session is logged
  reason TEXT,
  turns INTEGER NOT NULL DEFAULT 0,
  requests INTEGER NOT NULL DEFAULT 0,
  last_seq INTEGER NOT NULL DEFAULT 0,
  agent_session_id TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  latest TEXT NOT NULL,     -- JSON: where a snapshot finds its parts
  open TEXT NOT NULL        -- JSON: what recovery has to end
) STRICT;

-- Newest first needs no index: it is the key in reverse. Live sessions are few, while ended ones accumulate.
CREATE INDEX session_live ON session (name) WHERE state IN ('starting', 'idle', 'running', 'waiting', 'closing');
CREATE INDEX session_cwd ON session (cwd);
CREATE INDEX session_parent ON session (parent) WHERE parent IS NOT NULL;

CREATE TRIGGER session_new BEFORE INSERT ON session
WHEN EXISTS (SELECT 1 FROM session WHERE sid = NEW.sid OR id = NEW.id) OR NEW.last_seq <> 0
BEGIN SELECT RAISE(ABORT, 'a session is made once, and empty'); END;
CREATE TRIGGER session_stays BEFORE UPDATE OF sid, id, created_at ON session
WHEN NEW.sid IS NOT OLD.sid OR NEW.id IS NOT OLD.id OR NEW.created_at IS NOT OLD.created_at
BEGIN SELECT RAISE(ABORT, 'a session keeps its identity'); END;
CREATE TRIGGER session_kept BEFORE DELETE ON session
BEGIN SELECT RAISE(ABORT, 'a session is never removed'); END;
CREATE TRIGGER session_counts BEFORE UPDATE OF last_seq ON session
WHEN NEW.last_seq IS NOT OLD.last_seq AND (NEW.sid << 30) + NEW.last_seq IS NOT (
  SELECT id FROM entry WHERE id >= NEW.sid << 30 AND id < (NEW.sid + 1) << 30 ORDER BY id DESC LIMIT 1)
BEGIN SELECT RAISE(ABORT, 'last_seq is the seq of the session''s last entry'); END;

-- `body` is the JSON text exactly as published. Without another index, as this table gets the most writes.
CREATE TABLE entry (
  id INTEGER PRIMARY KEY,
  kind INTEGER NOT NULL,
  turn INTEGER,
  body TEXT NOT NULL
) STRICT;

-- One row per commit and session. digest = SHA-256(digest of the row before, salt, bodies in order). Redaction deletes
-- the salt: the removed body can then not be guessed from the digest, and the chain stays intact.
CREATE TABLE seal (
  first INTEGER PRIMARY KEY,  -- id of the commit's first entry
  last INTEGER NOT NULL,      -- id of its last
  salt BLOB,
  digest BLOB NOT NULL CHECK (length(digest) = 32),
  redacted_by INTEGER         -- id of the entry that tells of the redaction
) STRICT;

-- A purge removed `entries` entries, up to and including `last_seq`; `chain` was the digest there. The session
-- continues after it.
CREATE TABLE tombstone (
  sid INTEGER NOT NULL REFERENCES session (sid),
  last_seq INTEGER NOT NULL,
  entries INTEGER NOT NULL,
  chain BLOB NOT NULL,
  at TEXT NOT NULL,
  PRIMARY KEY (sid, last_seq)
) STRICT, WITHOUT ROWID;

-- Permits one transaction to purge a session or redact one entry. The row must be deleted before the commit: its
-- deferred foreign key `never` refers to a row that cannot exist.
CREATE TABLE permit (
  purpose TEXT NOT NULL CHECK (purpose IN ('purge', 'redact')),
  sid INTEGER NOT NULL,
  seq INTEGER,
  by_entry INTEGER,
  never INTEGER NOT NULL DEFAULT 0 CHECK (never = 0) REFERENCES meta (only) DEFERRABLE INITIALLY DEFERRED,
  CHECK (purpose = 'purge' OR (seq IS NOT NULL AND by_entry IS NOT NULL))
) STRICT;

-- The common case, an entry that follows another, costs one lookup at the end of the session.
CREATE TRIGGER entry_follows BEFORE INSERT ON entry
WHEN NEW.id IS NOT 1 + (
  SELECT id FROM entry WHERE id >= (NEW.id >> 30) << 30 AND id < ((NEW.id >> 30) + 1) << 30 ORDER BY id DESC LIMIT 1)
BEGIN
  SELECT RAISE(ABORT, 'append-only: an entry takes the next seq of its session')
  WHERE NOT EXISTS (SELECT 1 FROM session WHERE sid = NEW.id >> 30)
     OR EXISTS (SELECT 1 FROM entry WHERE id >= (NEW.id >> 30) << 30 AND id < ((NEW.id >> 30) + 1) << 30)
     OR NEW.id <> ((NEW.id >> 30) << 30) + 1
          + coalesce((SELECT max(last_seq) FROM tombstone WHERE sid = NEW.id >> 30), 0);
END;

-- A body may be replaced only after its seal has lost its salt.
CREATE TRIGGER entry_redacted BEFORE UPDATE ON entry
BEGIN
  SELECT RAISE(ABORT, 'append-only: an entry is changed by redaction alone')
  WHERE NEW.id IS NOT OLD.id OR NEW.kind IS NOT OLD.kind OR NEW.turn IS NOT OLD.turn
     OR NOT EXISTS (
          SELECT 1 FROM permit WHERE purpose = 'redact' AND sid = OLD.id >> 30 AND seq = OLD.id & 1073741823)
     OR NOT coalesce((
          SELECT salt IS NULL AND last >= OLD.id FROM seal WHERE first <= OLD.id ORDER BY first DESC LIMIT 1), 0);
END;

-- Entries are deleted from the first one on, so that the rest is always the end of the session.
CREATE TRIGGER entry_purged BEFORE DELETE ON entry
BEGIN
  SELECT RAISE(ABORT, 'append-only: an entry is removed by purge alone')
  WHERE NOT EXISTS (SELECT 1 FROM permit WHERE purpose = 'purge' AND sid = OLD.id >> 30)
     OR NOT EXISTS (SELECT 1 FROM tombstone WHERE sid = OLD.id >> 30 AND last_seq >= OLD.id & 1073741823)
     OR EXISTS (SELECT 1 FROM entry WHERE id >= (OLD.id >> 30) << 30 AND id < OLD.id);
END;

CREATE TRIGGER seal_follows BEFORE INSERT ON seal
BEGIN
  SELECT RAISE(ABORT, 'append-only: a seal covers the entries after the last seal')
  WHERE NEW.first IS NULL OR NEW.first > NEW.last OR NEW.first >> 30 <> NEW.last >> 30
     OR NEW.salt IS NULL OR length(NEW.salt) <> 16 OR NEW.redacted_by IS NOT NULL
     OR NEW.last IS NOT (
          SELECT id FROM entry WHERE id >= (NEW.last >> 30) << 30 AND id < ((NEW.last >> 30) + 1) << 30
          ORDER BY id DESC LIMIT 1)
     OR NEW.first <> 1 + coalesce(
          (SELECT last FROM seal WHERE first >= (NEW.first >> 30) << 30 AND first < ((NEW.first >> 30) + 1) << 30
           ORDER BY first DESC LIMIT 1),
          ((NEW.first >> 30) << 30)
            + coalesce((SELECT max(last_seq) FROM tombstone WHERE sid = NEW.first >> 30), 0));
END;

CREATE TRIGGER seal_redacted BEFORE UPDATE ON seal
BEGIN
  SELECT RAISE(ABORT, 'append-only: a seal loses its salt by redaction alone')
  WHERE NEW.first IS NOT OLD.first OR NEW.last IS NOT OLD.last OR NEW.digest IS NOT OLD.digest
     OR NEW.salt IS NOT NULL
     OR NOT EXISTS (
          SELECT 1 FROM permit JOIN entry ON entry.id = permit.by_entry
          WHERE purpose = 'redact' AND permit.sid = OLD.first >> 30 AND by_entry = NEW.redacted_by
            AND seq BETWEEN OLD.first & 1073741823 AND OLD.last & 1073741823);
END;

CREATE TRIGGER seal_purged BEFORE DELETE ON seal
BEGIN
  SELECT RAISE(ABORT, 'append-only: a seal is removed by purge alone')
  WHERE NOT EXISTS (SELECT 1 FROM permit WHERE purpose = 'purge' AND sid = OLD.first >> 30)
     OR NOT EXISTS (SELECT 1 FROM tombstone WHERE sid = OLD.first >> 30 AND last_seq >= OLD.last & 1073741823)
     OR EXISTS (SELECT 1 FROM seal WHERE first >= (OLD.first >> 30) << 30 AND first < OLD.first);
END;

CREATE TRIGGER tombstone_sealed BEFORE INSERT ON tombstone
BEGIN
  SELECT RAISE(ABORT, 'append-only: a tombstone stands at a seal, and keeps its digest')
  WHERE EXISTS (SELECT 1 FROM tombstone WHERE sid = NEW.sid AND last_seq >= NEW.last_seq)
     OR NEW.chain IS NOT (
          SELECT digest FROM seal
          WHERE first >= NEW.sid << 30 AND first <= (NEW.sid << 30) + NEW.last_seq
            AND last = (NEW.sid << 30) + NEW.last_seq
          ORDER BY first DESC LIMIT 1);
END;
CREATE TRIGGER tombstone_stays BEFORE UPDATE ON tombstone
BEGIN SELECT RAISE(ABORT, 'append-only: a tombstone stays'); END;
CREATE TRIGGER tombstone_kept BEFORE DELETE ON tombstone
BEGIN SELECT RAISE(ABORT, 'append-only: a tombstone stays'); END;

-- An accepted command takes its id forever. `entry` is the command's own entry; rc and body are set by the reply.
CREATE TABLE receipt (
  sid INTEGER NOT NULL REFERENCES session (sid),
  command_id TEXT NOT NULL,
  verb TEXT NOT NULL,
  hash BLOB NOT NULL,       -- keyed, of the canonical arguments
  entry INTEGER NOT NULL,
  rc INTEGER,
  body TEXT,
  PRIMARY KEY (sid, command_id),
  CHECK ((rc IS NULL) = (body IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX receipt_unanswered ON receipt (sid) WHERE rc IS NULL;

CREATE TRIGGER receipt_once BEFORE INSERT ON receipt
WHEN EXISTS (SELECT 1 FROM receipt WHERE sid = NEW.sid AND command_id = NEW.command_id)
BEGIN SELECT RAISE(ABORT, 'append-only: a command id is taken once'); END;
CREATE TRIGGER receipt_answered BEFORE UPDATE ON receipt
BEGIN
  SELECT RAISE(ABORT, 'append-only: a receipt is answered once')
  WHERE NEW.sid IS NOT OLD.sid OR NEW.command_id IS NOT OLD.command_id OR NEW.verb IS NOT OLD.verb
     OR NEW.hash IS NOT OLD.hash OR NEW.entry IS NOT OLD.entry
     OR NOT (
          (OLD.rc IS NULL AND NEW.rc IS NOT NULL)
          OR (NEW.rc IS OLD.rc AND length(NEW.body) <= length(OLD.body)
              AND EXISTS (SELECT 1 FROM permit WHERE purpose = 'purge' AND sid = OLD.entry >> 30))
          OR (NEW.rc IS OLD.rc AND EXISTS (
                SELECT 1 FROM permit
                WHERE purpose = 'redact' AND sid = OLD.entry >> 30 AND seq = OLD.entry & 1073741823)));
END;
CREATE TRIGGER receipt_kept BEFORE DELETE ON receipt
BEGIN SELECT RAISE(ABORT, 'append-only: a receipt stays'); END;

-- Secret values that a start gave as literals. They are neither logged nor published, and a purge deletes them.
CREATE TABLE literal (
  sid INTEGER PRIMARY KEY REFERENCES session (sid),
  servers TEXT NOT NULL
) STRICT;

-- Child processes that may be alive. A pid alone does not identify a process; pid, start time and boot do.
CREATE TABLE process (
  boot_id TEXT NOT NULL,
  pid INTEGER NOT NULL,
  start_time TEXT NOT NULL,
  marker TEXT NOT NULL,
  sid INTEGER NOT NULL REFERENCES session (sid),
  PRIMARY KEY (boot_id, pid, start_time)
) STRICT, WITHOUT ROWID;
