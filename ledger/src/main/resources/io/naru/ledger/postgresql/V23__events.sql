-- What happens, for systems behind, as long as any of them has not read it: all events of a change, a line each, written in the
-- transaction that decided them. With the name of the queue, since the last events of one that is deleted are read when it is no more.
-- Not compressed: it is read once, soon, and gone.
CREATE TABLE queue_events (
  queue_id   bigint NOT NULL,
  change_no  bigint NOT NULL,
  event_type varchar(32) COLLATE "C" NOT NULL,
  event_id   varchar(64) COLLATE "C" NOT NULL,
  at         bigint NOT NULL,
  events     text NOT NULL,
  PRIMARY KEY (queue_id, change_no)
);
ALTER TABLE queue_events ALTER COLUMN events SET STORAGE EXTERNAL;

-- Who reads them, and when a server last said that it reads for them. Nothing is written as long as there is none.
CREATE TABLE event_readers (
  name     varchar(32) COLLATE "C" PRIMARY KEY,
  heard_at bigint NOT NULL
);

-- Up to which change each of them has read a queue, and up to which events were gone that it had not read.
CREATE TABLE event_cursors (
  reader    varchar(32) COLLATE "C" NOT NULL,
  queue_id  bigint NOT NULL,
  change_no bigint NOT NULL,
  gone_to   bigint NOT NULL,
  PRIMARY KEY (queue_id, reader)
);

-- Which server does the work of a reader, and until when no other one does. That only saves work.
CREATE TABLE event_holders (
  name       varchar(64) COLLATE "C" PRIMARY KEY,
  holder     varchar(64) COLLATE "C" NOT NULL,
  held_until bigint NOT NULL
);
