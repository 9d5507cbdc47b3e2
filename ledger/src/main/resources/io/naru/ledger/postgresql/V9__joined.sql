-- When somebody joined names an entry. The score by which it stands in line is a column like others: a draw gives it
-- later, and another one than the time would be.
ALTER TABLE queue_entries DROP CONSTRAINT queue_entries_pkey;
ALTER TABLE queue_entries ADD PRIMARY KEY (queue_id, joined_at);
ALTER TABLE queue_entries ALTER COLUMN score DROP NOT NULL;

-- No two stand in the same place.
DROP INDEX queue_entries_waiting;
CREATE UNIQUE INDEX queue_entries_waiting ON queue_entries ((queue_id - 0), score) WHERE status = 'WAITING';

-- When the last one joined: the next one does so later.
ALTER TABLE waiting_queues RENAME COLUMN last_score TO last_joined;
