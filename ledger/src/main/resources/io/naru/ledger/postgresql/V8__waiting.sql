-- Those who wait, by line. People leave in every place, at the front too, and their rows stay for 30 days: whoever
-- looks for the first in line, or counts along it, must not go past all of them. Asked for as queue_id - 0, so that
-- no other index can answer it.
CREATE INDEX queue_entries_waiting ON queue_entries ((queue_id - 0), score) WHERE status = 'WAITING';
