-- Whom a queue's passes are for; empty for the queue's own name.
ALTER TABLE waiting_queues ADD COLUMN audience text NOT NULL DEFAULT '';

-- A hash of the session that somebody inside is bound to; empty while there is none.
ALTER TABLE queue_entries ADD COLUMN redeemed_by varchar(64) COLLATE "C" NOT NULL DEFAULT '';

-- The keys that sign passes, and what was revoked: one text, replaced as a whole, and only by whoever has read
-- the version that is there. Private keys in it are encrypted.
CREATE TABLE signing_keys (
  name    varchar(64) PRIMARY KEY,
  version bigint NOT NULL,
  content text NOT NULL
);
