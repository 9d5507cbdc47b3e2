-- Who outside is told of what happens in queues.
CREATE TABLE webhooks (
  id             varchar(32) COLLATE "C" PRIMARY KEY,
  name           varchar(64) NOT NULL UNIQUE,
  url            text NOT NULL,
  -- Which queues it is told of, TYPE/id or TYPE/*, with blanks between; empty for all.
  queues         text NOT NULL,
  -- Of what, with blanks between; empty for what is usual.
  events         text NOT NULL,
  -- What it is told with, encrypted: one text that no statement looks into.
  secrets        text NOT NULL,
  created_at     bigint NOT NULL,
  created_by     varchar(64) NOT NULL,
  version        bigint NOT NULL,
  rotating_until bigint NOT NULL,
  ended_at       bigint NOT NULL,
  because        varchar(200) NOT NULL,
  -- Which server sends there, and until when nobody else does.
  holder         varchar(64) NOT NULL,
  held_until     bigint NOT NULL,
  -- How often in a row that has failed, and until when it is left alone.
  failures       integer NOT NULL,
  rests_until    bigint NOT NULL
);

-- What is on its way to them, what failed, and for a while what arrived.
CREATE TABLE webhook_deliveries (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  webhook_id varchar(32) COLLATE "C" NOT NULL,
  message_id varchar(64) COLLATE "C" NOT NULL,
  kind       varchar(32) COLLATE "C" NOT NULL,
  -- Both empty if it is about no queue.
  event_type varchar(32) COLLATE "C" NOT NULL,
  event_id   varchar(64) COLLATE "C" NOT NULL,
  body       text NOT NULL,
  state      varchar(16) COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  -- When it was written down, or last replayed.
  begun_at   bigint NOT NULL,
  tries      integer NOT NULL,
  due_at     bigint NOT NULL,
  tried_at   bigint NOT NULL,
  status     integer NOT NULL,
  error      varchar(200) NOT NULL,
  UNIQUE (webhook_id, message_id)
);

CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, due_at, id) WHERE state = 'PENDING';
CREATE INDEX webhook_deliveries_state ON webhook_deliveries (webhook_id, state, id);
CREATE INDEX webhook_deliveries_all ON webhook_deliveries (webhook_id, id);

-- What servers see of queues that is no event of theirs. Whoever writes the row is the one who tells.
CREATE TABLE webhook_signs (
  event_type varchar(32) COLLATE "C" NOT NULL,
  event_id   varchar(64) COLLATE "C" NOT NULL,
  kind       varchar(32) COLLATE "C" NOT NULL,
  seen_at    bigint NOT NULL,
  PRIMARY KEY (event_type, event_id, kind)
);
