package io.naru.ledger;

import io.naru.admission.Admission;
import io.naru.queue.Admitted;
import io.naru.queue.Edit;
import io.naru.queue.Edited;
import io.naru.queue.Ended;
import io.naru.queue.EntryKey;
import io.naru.queue.Joined;
import io.naru.queue.QueueId;
import io.naru.queue.Redeemed;
import io.naru.queue.Stay.CompletedBy;
import java.util.concurrent.CompletableFuture;

/** Something that only a transaction can answer. */
sealed interface Request {

  QueueId queue();

  CompletableFuture<?> answer();

  record Join(QueueId queue, String user, CompletableFuture<Joined> answer) implements Request {}

  record Leave(EntryKey entry, CompletableFuture<Ended> answer) implements Request {
    @Override
    public QueueId queue() {
      return entry.queue();
    }
  }

  record Complete(EntryKey entry, CompletedBy by, CompletableFuture<Ended> answer)
      implements Request {
    @Override
    public QueueId queue() {
      return entry.queue();
    }
  }

  record Redeem(EntryKey entry, String session, CompletableFuture<Redeemed> answer)
      implements Request {
    @Override
    public QueueId queue() {
      return entry.queue();
    }
  }

  record Admit(QueueId queue, Admission admission, CompletableFuture<Admitted> answer)
      implements Request {}

  record Alter(QueueId queue, Edit edit, CompletableFuture<Edited> answer) implements Request {

    /** Whether a queue that does not exist is to be made. */
    boolean makes() {
      return edit.create() && edit.ifVersion().isEmpty();
    }
  }

  record Delete(QueueId queue, CompletableFuture<Boolean> answer) implements Request {}

  /**
   * Notes that entries are about to be deleted which a copy older than {@code keptFrom} would need;
   * answers whether the queue is still the one with this number.
   */
  record Sweep(QueueId queue, long id, long keptFrom, CompletableFuture<Boolean> answer)
      implements Request {}
}
