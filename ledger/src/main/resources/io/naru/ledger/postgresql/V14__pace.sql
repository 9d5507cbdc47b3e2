-- What is left of the allowance beyond whole people, in units of which one person costs a thousand for each
-- microsecond of the interval. Always 0 where whole batches are given in steps.
ALTER TABLE waiting_queues ADD COLUMN tokens_rest bigint NOT NULL DEFAULT 0;

-- How the rate follows the site, as one text (JSON) that no statement looks into; empty where it follows nothing.
ALTER TABLE waiting_queues ADD COLUMN rate text NOT NULL DEFAULT '';

-- Those rates, at most one a second, with what made them so; rates and shares in thousandths, times in microseconds.
CREATE TABLE queue_rates (
  queue_id     bigint NOT NULL,
  at           bigint NOT NULL,
  rate_milli   bigint NOT NULL,
  -- How many may be inside; 0 if that is not limited.
  inside_limit bigint NOT NULL,
  inside       bigint NOT NULL,
  p95_micros   bigint NOT NULL,
  errors_milli bigint NOT NULL,
  reason       varchar(16) COLLATE "C" NOT NULL,
  PRIMARY KEY (queue_id, at)
);
