-- What is left of the allowance beyond whole people, in units of which one person costs a thousand for each
-- microsecond of the interval. Always 0 where whole batches are given in steps.
ALTER TABLE waiting_queues ADD COLUMN tokens_rest bigint NOT NULL DEFAULT 0;
