-- The journal of queues that are logged: all events of a change, a line each, written in the transaction that decided them. A row
-- is here as long as it is not in the queue's log. Not compressed: it is read once, a second later, and gone.
CREATE TABLE queue_journal (
  queue_id  bigint NOT NULL,
  change_no bigint NOT NULL,
  at        bigint NOT NULL,
  events    text NOT NULL,
  PRIMARY KEY (queue_id, change_no)
);
ALTER TABLE queue_journal ALTER COLUMN events SET STORAGE EXTERNAL;

-- How far the public log of each queue is: how many records it has, up to which change the journal is in it, the name under which it
-- is signed, who appends to it and until when nobody else does, and what was signed last and when.
CREATE TABLE queue_logs (
  queue_id   bigint PRIMARY KEY,
  origin     text NOT NULL,
  log_size   bigint NOT NULL,
  cursor_no  bigint NOT NULL,
  holder     varchar(64) COLLATE "C" NOT NULL,
  held_until bigint NOT NULL,
  checkpoint text NOT NULL,
  signed_at  bigint NOT NULL
);

-- The hashes of those logs, up to 256 of 32 bytes side by side; level 0 is of the records. The last one of a level grows.
CREATE TABLE log_tiles (
  queue_id   bigint NOT NULL,
  tile_level bigint NOT NULL,
  tile_no    bigint NOT NULL,
  hashes     bytea NOT NULL,
  PRIMARY KEY (queue_id, tile_level, tile_no)
);
ALTER TABLE log_tiles ALTER COLUMN hashes SET STORAGE EXTERNAL;

-- The records of those logs, up to 256 in a row, each with its length in two bytes before it. last_joined is the last who joined in
-- it or before it: by that somebody's own record is found, with an index over the 256th part of them.
CREATE TABLE log_entries (
  queue_id    bigint NOT NULL,
  bundle_no   bigint NOT NULL,
  records     bigint NOT NULL,
  last_joined bigint NOT NULL,
  content     bytea NOT NULL,
  PRIMARY KEY (queue_id, bundle_no)
);
ALTER TABLE log_entries ALTER COLUMN content SET STORAGE EXTERNAL;
CREATE INDEX log_entries_joined ON log_entries (queue_id, last_joined, bundle_no);
