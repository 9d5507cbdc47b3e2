package io.naru.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.journal.Feed;
import io.naru.journal.FeedContract;
import io.naru.line.Line;
import io.naru.queue.QueueId;
import io.naru.queue.Queues;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Events in a ledger, whatever its database. */
abstract class LedgerFeedContract extends FeedContract {

  abstract LedgerFixture fixture();

  @AfterEach
  void boundAsBefore() {
    fixture().ledger().bound(Feed.Bounds.DEFAULT);
  }

  @Override
  protected Feed feed() {
    return fixture().ledger().feed();
  }

  @Override
  protected boolean isLogBehind() {
    return fixture().ledger().logs().behind(10_000).stream()
        .anyMatch(behind -> behind.log().queue().equals(queue));
  }

  @Override
  protected void keepOnly(long changes) {
    fixture().ledger().bound(new Feed.Bounds(changes, Feed.Bounds.DEFAULT.age()));
  }

  @Override
  protected void tidy() {
    try {
      fixture().ledger().retention().run();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Override
  protected Queues queues() {
    return fixture().ledger().queues();
  }

  @Override
  protected Line line() {
    return fixture().ledger().line();
  }

  @Override
  protected void advance(QueueId of, Duration by) {
    fixture().advance(by);
  }

  @Test
  void reader_thatIsNotHeardOf_readsNoMore() {
    listen(reader);
    activateTold(Map.of());
    advance(Feed.Bounds.DEFAULT.age().plusHours(1));
    String other = "o" + reader;
    listen(other);
    tidy();

    assertThat(feed().readers()).contains(other).doesNotContain(reader);
    assertThat(unread(reader)).isEmpty();
  }

  @Test
  void events_thatAreTooOld_areGoneButForTheLast() {
    listen(reader);
    activateTold(Map.of());
    keyOf("ann");
    advance(Feed.Bounds.DEFAULT.age().plusHours(1));
    listen(reader);
    tidy();

    assertThat(kinds(reader)).containsExactly("joined");
    assertThat(hasGap(reader)).isTrue();
  }

  @Test
  void hold_whatAnotherHolds_isNotHeldUntilThatIsOver() {
    Duration time = Duration.ofSeconds(30);
    assertThat(feed().hold(reader, "one", time)).isTrue();
    assertThat(feed().hold(reader, "two", time)).isFalse();
    assertThat(feed().hold(reader, "one", time)).isTrue();
    advance(Duration.ofSeconds(40));
    assertThat(feed().hold(reader, "two", time)).isTrue();
    assertThat(feed().hold(reader, "one", time)).isFalse();
    feed().letGo(reader, "one");
    assertThat(feed().hold(reader, "one", time)).isFalse();
    feed().letGo(reader, "two");
    assertThat(feed().hold(reader, "one", time)).isTrue();
  }

  @Test
  void hold_sinceTheClockWasAhead_isNone() {
    Duration time = Duration.ofSeconds(30);
    Duration ahead = Duration.ofHours(1);
    advance(ahead);
    assertThat(feed().hold(reader, "one", time)).isTrue();
    advance(ahead.negated());

    assertThat(feed().hold(reader, "two", time)).isTrue();
    assertThat(feed().hold(reader, "one", time)).isFalse();
  }

  @Test
  void look_ofAnotherServer_noticesWhoReads() {
    LedgerFeed other = fixture().ledger().anotherFeed();
    other.look();
    listen(reader);

    assertThat(other.hasReaders()).isFalse();
    other.look();
    assertThat(other.hasReaders()).isTrue();
  }
}
