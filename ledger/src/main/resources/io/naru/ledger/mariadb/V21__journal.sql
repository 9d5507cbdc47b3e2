-- The same as for PostgreSQL, where it is explained; each statement can be repeated.
CREATE TABLE IF NOT EXISTS queue_journal (
  queue_id  bigint NOT NULL,
  change_no bigint NOT NULL,
  at        bigint NOT NULL,
  events    longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (queue_id, change_no)
) ENGINE = InnoDB;

CREATE TABLE IF NOT EXISTS queue_logs (
  queue_id   bigint NOT NULL PRIMARY KEY,
  origin     varchar(2000) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  log_size   bigint NOT NULL,
  cursor_no  bigint NOT NULL,
  holder     varchar(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  held_until bigint NOT NULL,
  checkpoint text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  signed_at  bigint NOT NULL
) ENGINE = InnoDB;

CREATE TABLE IF NOT EXISTS log_tiles (
  queue_id   bigint NOT NULL,
  tile_level bigint NOT NULL,
  tile_no    bigint NOT NULL,
  hashes     blob NOT NULL,
  PRIMARY KEY (queue_id, tile_level, tile_no)
) ENGINE = InnoDB;

CREATE TABLE IF NOT EXISTS log_entries (
  queue_id    bigint NOT NULL,
  bundle_no   bigint NOT NULL,
  records     bigint NOT NULL,
  last_joined bigint NOT NULL,
  content     longblob NOT NULL,
  PRIMARY KEY (queue_id, bundle_no),
  KEY log_entries_joined (queue_id, last_joined, bundle_no)
) ENGINE = InnoDB;
