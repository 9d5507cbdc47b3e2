package io.naru.ledger;

import io.naru.decision.Book.Debt;
import io.naru.decision.EntryState;
import io.naru.decision.Request;
import io.naru.queue.Actor;
import io.naru.queue.QueueId;
import io.naru.transfer.MovedEntry;
import io.naru.transfer.RestoreStep;
import io.naru.transfer.Restored;
import io.naru.transfer.Transfers;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Whole queues, out of a ledger and into it. One is read in a single snapshot, on a connection for
 * which no visitor waits, and without a lock; page by page, so that whoever takes it may be slow.
 */
final class LedgerTransfers implements Transfers {

  private final Writer writer;
  private final Reader reader;
  private final Background background;

  LedgerTransfers(Writer writer, Reader reader, Background background) {
    this.writer = writer;
    this.reader = reader;
    this.background = background;
  }

  @Override
  public CompletionStage<Boolean> read(QueueId queue, Taker taker) {
    return background.callAtLeisure(
        "export a queue",
        () ->
            reader.readLong(
                (_, rows) -> {
                  Optional<QueueRow> found = rows.queues().find(queue);
                  if (found.isEmpty()
                      || found.get().version == 0
                      || found.get().isBeingRestored()) {
                    return false;
                  }
                  taker.queue(found.get().moved());
                  readOthers(rows, found.get(), taker);
                  readWaiting(rows, found.get(), taker);
                  return true;
                }));
  }

  private static void readOthers(Rows rows, QueueRow queue, Taker taker) throws Exception {
    List<EntryState> page;
    long after = 0;
    do {
      page = rows.entries().others(queue, after, MAX_PART);
      if (!page.isEmpty()) {
        after = page.getLast().joined;
        taker.entries(page.stream().map(EntryState::moved).toList());
      }
    } while (page.size() == MAX_PART);
  }

  private static void readWaiting(Rows rows, QueueRow queue, Taker taker) throws Exception {
    List<EntryState> page;
    long from = Long.MIN_VALUE;
    do {
      page = rows.entries().waitingFrom(queue, from, MAX_PART);
      if (!page.isEmpty()) {
        from = page.getLast().score + 1;
        taker.entries(moved(rows, queue, page));
      }
    } while (page.size() == MAX_PART);
  }

  private static List<MovedEntry> moved(Rows rows, QueueRow queue, List<EntryState> page)
      throws SQLException {
    Map<Long, Debt> owed =
        queue.presence == null
            ? Map.of()
            : rows.owed().of(queue.id, page.stream().map(entry -> entry.joined).toList());
    for (EntryState entry : page) {
      Debt debt = owed.get(entry.joined);
      if (debt != null) {
        entry.owing(debt.owed(), debt.until());
      }
    }
    return page.stream().map(EntryState::moved).toList();
  }

  @Override
  public CompletionStage<Restored> restore(QueueId queue, RestoreStep step, Actor by) {
    return writer.submit(new Request.Restore(queue, step, by));
  }
}
