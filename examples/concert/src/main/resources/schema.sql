-- SQLite and PostgreSQL take the same. Times are milliseconds since 1970.

CREATE TABLE IF NOT EXISTS reservations (
  id         VARCHAR(36)  PRIMARY KEY,
  seat       VARCHAR(3)   NOT NULL UNIQUE, -- sold once
  pass_id    VARCHAR(64)  NOT NULL UNIQUE, -- one pass, one reservation
  visitor    VARCHAR(255) NOT NULL,
  created_at BIGINT       NOT NULL
);

-- The outbox: what Naru is still to be told. Written in the same transaction as the reservation, so neither is
-- there without the other, whatever crashes.
CREATE TABLE IF NOT EXISTS completions (
  pass_id    VARCHAR(64) PRIMARY KEY REFERENCES reservations (pass_id),
  token      VARCHAR(4096),                            -- the pass: a secret, deleted as soon as Naru has answered
  outcome    VARCHAR(8)  NOT NULL DEFAULT 'PENDING',   -- then DONE or REFUSED
  tries      INTEGER     NOT NULL DEFAULT 0,
  created_at BIGINT      NOT NULL,
  due_at     BIGINT      NOT NULL                      -- not to be tried before
);

CREATE INDEX IF NOT EXISTS completions_due ON completions (due_at) WHERE outcome = 'PENDING';
