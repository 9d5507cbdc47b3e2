-- The same as for PostgreSQL, where it is explained.
CREATE TABLE queue_journal (
  queue_id  INTEGER NOT NULL,
  change_no INTEGER NOT NULL,
  at        INTEGER NOT NULL,
  events    TEXT NOT NULL,
  PRIMARY KEY (queue_id, change_no)
) WITHOUT ROWID;

CREATE TABLE queue_logs (
  queue_id   INTEGER PRIMARY KEY,
  origin     TEXT NOT NULL,
  log_size   INTEGER NOT NULL,
  cursor_no  INTEGER NOT NULL,
  holder     TEXT NOT NULL,
  held_until INTEGER NOT NULL,
  checkpoint TEXT NOT NULL,
  signed_at  INTEGER NOT NULL
);

-- With row ids: long rows would make the tree of a table without them deep.
CREATE TABLE log_tiles (
  queue_id   INTEGER NOT NULL,
  tile_level INTEGER NOT NULL,
  tile_no    INTEGER NOT NULL,
  hashes     BLOB NOT NULL,
  PRIMARY KEY (queue_id, tile_level, tile_no)
);

CREATE TABLE log_entries (
  queue_id    INTEGER NOT NULL,
  bundle_no   INTEGER NOT NULL,
  records     INTEGER NOT NULL,
  last_joined INTEGER NOT NULL,
  content     BLOB NOT NULL,
  PRIMARY KEY (queue_id, bundle_no)
);
CREATE INDEX log_entries_joined ON log_entries (queue_id, last_joined, bundle_no);
