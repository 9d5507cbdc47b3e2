-- Who may say that somebody inside is done: VISITOR (and the site) or the SITE alone.
ALTER TABLE waiting_queues ADD COLUMN completed_by varchar(16) COLLATE "C" NOT NULL DEFAULT 'VISITOR';

-- Turns that were over before their pass was, for the gates: by the end of the pass, because what a server that
-- starts must know is what is not over yet. "- 0" makes it the index of this question and of no other.
CREATE INDEX queue_entries_over ON queue_entries ((queue_id - 0), expires_at)
  WHERE live IS NULL AND expires_at > ended_at;
