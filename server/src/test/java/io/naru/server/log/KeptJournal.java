package io.naru.server.log;

import io.naru.journal.Addition;
import io.naru.journal.Behind;
import io.naru.journal.Bundle;
import io.naru.journal.HashTile;
import io.naru.journal.Journaled;
import io.naru.journal.Log;
import io.naru.journal.LogStore;
import io.naru.queue.QueueId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentSkipListMap;

/** Remembers all changes that anybody read, which a store forgets once they are in the log. */
final class KeptJournal {

  private final LogStore real;
  private final QueueId of;
  private final Map<Long, Journaled> read = new ConcurrentSkipListMap<>();

  KeptJournal(LogStore real, QueueId of) {
    this.of = of;
    this.real = real;
  }

  List<Journaled> changes() {
    return List.copyOf(read.values());
  }

  /** The same store, whose readers are watched; it is asked through another one. */
  LogStore watched(LogStore through) {
    return new LogStore() {
      @Override
      public List<Behind> behind(int limit) {
        return through.behind(limit);
      }

      @Override
      public List<Journaled> journal(Log log, long after, int limit) {
        List<Journaled> changes = through.journal(log, after, limit);
        if (log.queue().equals(of)) {
          changes.forEach(change -> read.put(change.change(), change));
        }
        return changes;
      }

      @Override
      public boolean append(Log from, Addition addition) {
        return through.append(from, addition);
      }

      @Override
      public CompletionStage<Optional<Log>> log(QueueId queue) {
        return real.log(queue);
      }

      @Override
      public CompletionStage<Optional<HashTile>> tile(Log log, int level, long number) {
        return real.tile(log, level, number);
      }

      @Override
      public CompletionStage<Optional<Bundle>> bundle(Log log, long number) {
        return real.bundle(log, number);
      }

      @Override
      public CompletionStage<Optional<Bundle>> bundleOf(Log log, long joined) {
        return real.bundleOf(log, joined);
      }
    };
  }
}
