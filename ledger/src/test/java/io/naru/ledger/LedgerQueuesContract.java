package io.naru.ledger;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.naru.history.History;
import io.naru.line.CopyState;
import io.naru.line.Line;
import io.naru.line.Original;
import io.naru.line.OverTurn;
import io.naru.line.Standing;
import io.naru.line.Tickets;
import io.naru.queue.Actor;
import io.naru.queue.Admission;
import io.naru.queue.Admitted;
import io.naru.queue.Claim;
import io.naru.queue.DrawStep;
import io.naru.queue.Drawing;
import io.naru.queue.Draws;
import io.naru.queue.Edit;
import io.naru.queue.EndReason;
import io.naru.queue.Ended;
import io.naru.queue.Entry;
import io.naru.queue.EntryKey;
import io.naru.queue.HandedOff;
import io.naru.queue.Micros;
import io.naru.queue.Pushed;
import io.naru.queue.QueueId;
import io.naru.queue.Queues;
import io.naru.queue.Returned;
import io.naru.queue.Stay.CompletedBy;
import io.naru.queue.Stock;
import io.naru.queue.Stocked;
import io.naru.testkit.RedisConnection;
import io.naru.testkit.RedisServer;
import io.naru.transfer.TransferContract;
import io.naru.transfer.Transfers;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** The contracts of queues on a ledger, and what only its tables and its copies can show. */
abstract class LedgerQueuesContract extends TransferContract {

  /** All that is in a Redis, as one text. */
  private static final String DUMP =
      """
      local all = {}
      for _, key in ipairs(redis.call('KEYS', '*')) do
        local kind = redis.call('TYPE', key).ok
        local content =
          kind == 'string' and redis.call('GET', key) or
          kind == 'hash' and redis.call('HGETALL', key) or
          kind == 'zset' and redis.call('ZRANGE', key, 0, -1) or
          kind == 'list' and redis.call('LRANGE', key, 0, -1) or
          kind == 'stream' and redis.call('XRANGE', key, '-', '+')
        all[#all + 1] = key .. ' ' .. cjson.encode(content)
      end
      return table.concat(all, ' ')
      """;

  abstract LedgerFixture fixture();

  @Override
  protected Queues queues() {
    return fixture().ledger().queues();
  }

  @Override
  protected Line line() {
    return fixture().ledger().line();
  }

  @Override
  protected History history() {
    return fixture().ledger().history();
  }

  @Override
  protected Draws draws() {
    return fixture().ledger().draws();
  }

  @Override
  protected Transfers transfers() {
    return fixture().ledger().transfers();
  }

  @Override
  protected void advance(QueueId of, Duration by) {
    fixture().advance(by);
  }

  @Test
  void erase_everywhere_nothingCarriesTheName() throws SQLException {
    activate(Map.of("maxCapacity", 2, "entryIntervalSeconds", CALM_SECONDS, "once", true));
    EntryKey done = keyOf("name-of-ann");
    keyOf("name-of-ben");
    admitByHand(2);
    redeem(done, "session-of-ann");
    complete(done);
    keyOf("name-of-cat");
    keyOf("name-of-dan");
    assertThat(tables()).contains("name-of-ann", "session-of-ann", "name-of-ben", "name-of-cat");
    fixture()
        .redis()
        .ifPresent(redis -> assertThat(everythingIn(redis)).contains("name-of-ben", "name-of-cat"));

    for (String user : List.of("name-of-ann", "name-of-ben", "name-of-cat")) {
      await(queues().erase(queue, user, "erased-" + user.hashCode(), Actor.SYSTEM));
    }

    assertThat(tables())
        .contains("erased-", "name-of-dan")
        .doesNotContain("name-of-ann", "session-of-ann", "name-of-ben", "name-of-cat");
    fixture()
        .redis()
        .ifPresent(
            redis ->
                assertThat(everythingIn(redis))
                    .contains("name-of-dan")
                    .doesNotContain("name-of-ann", "name-of-ben", "name-of-cat"));
    assertThat(placeOf("name-of-dan").ahead()).isZero();
  }

  @Test
  void endsAt_inTheTables_isDueByTheDatabasesClock() {
    Duration hour = Duration.ofHours(1);
    // By a clock that other tests have moved.
    long now = activate(Map.of("maxCapacity", 1, "passTtlSeconds", 86_400)).queue().createdAt();
    Instant ends = Micros.toInstant(now).plus(hour);
    activate(Map.of("endsAt", ends.toString()));
    keyOf("ann");
    keyOf("ben");
    admitPaced();
    assertThat(await(queues().due())).doesNotContain(queue);

    advance(hour);

    assertThat(await(queues().due())).contains(queue);
    assertThat(await(queues().findAll(Set.of(queue))).getFirst().queue().state().endedAt())
        .isEqualTo(Micros.of(ends));
    assertThat(admit(new Admission.Paced())).isInstanceOf(Admitted.NotActive.class);
    assertThat(statusOf("ben")).isEqualTo(Entry.Status.EXPIRED);
    assertThat(statusOf("ann")).isEqualTo(Entry.Status.ENTERED);
    assertThat(await(queues().due())).doesNotContain(queue);
  }

  @Test
  void push_inTheTables_isKeptAndSeenByWhoeverWaits() {
    activate(Map.of("stock", Map.of("staleSeconds", 60, "whenStale", "PAUSE")));
    keyOf("ann");
    keyOf("ben");
    var stock = new Stock(17, List.of(new Stock.Pool("층 \"A\"", 1, 0), new Stock.Pool("B", 0, 0)));

    assertThat(admitPaced().entries()).isEmpty();
    assertThat(await(queues().push(queue, stock))).isInstanceOf(Pushed.Taken.class);

    Stocked kept = requireNonNull(overview().queue().stock());
    assertThat(kept.stock()).isEqualTo(stock);
    assertThat(placeOf("ben").line().units()).isEqualTo(kept.units());
    assertThat(await(queues().due())).contains(queue);
    assertThat(admitPaced().entries()).hasSize(1);
    assertThat(await(queues().due())).doesNotContain(queue);
    assertThat(await(queues().push(queue, new Stock(17, List.of(new Stock.Pool("A", 9, 9))))))
        .isEqualTo(new Pushed.Older(kept));
    advance(Duration.ofSeconds(60));
    await(queues().push(queue, new Stock(18, List.of(new Stock.Pool("A", 2, 0)))));
    assertThat(admitPaced().entries()).hasSize(1);
    activate(Collections.singletonMap("stock", null));
    assertThat(overview().queue().stock()).isNull();
  }

  @Test
  void giveBack_inTheTables_isCountedAndTold() {
    activate(Map.of("maxCapacity", 1, "maxReturns", 1, "retrySeconds", 60));
    EntryKey ann = keyOf("ann");
    admitPaced();
    keyOf("ben");
    assertThat(giveBack(ann, false)).isEqualTo(new Returned.Has(ann));
    assertThat(told(ann)).isEqualTo(EndReason.NONE);
    advance(Duration.ofSeconds(61));
    assertThat(told(ann)).as("before anybody has noticed").isEqualTo(EndReason.RETURNED);
    assertThat(await(queues().due())).contains(queue);
    admitPaced();
    assertThat(told(ann)).isEqualTo(EndReason.RETURNED);
    EntryKey next = placeOf("ann").entry().key();
    assertThat(next).isNotEqualTo(ann);
    assertThat(placeOf("ann").ahead()).isZero();
    assertThat(giveBack(ann, true)).as("told again").isEqualTo(new Returned.Has(next));
    List<EntryKey> over = new ArrayList<>();
    await(line().over(queue, 0, turn -> over.add(turn.entry().key())));
    assertThat(over).containsExactly(ann);
    EntryKey ben = placeOf("ben").entry().key();
    complete(ben);
    advance(Duration.ofHours(2));
    admit(new Admission.Paced());
    assertThat(leave(next)).as("waited in vain").isEqualTo(Ended.UNKNOWN);
    EntryKey again = keyOf("ann");
    admitPaced();
    assertThat(giveBack(again, true)).isEqualTo(new Returned.TooOften(1));
  }

  @Test
  void giveBack_overBeforeItsTimeIsUp_gatesHearOfBothEnds() {
    activate(Map.of("maxCapacity", 1, "passTtlSeconds", 300, "maxReturns", 2, "retrySeconds", 60));
    EntryKey ann = keyOf("ann");
    admitPaced();
    long first = placeOf("ann").entry().until();
    giveBack(ann, false);
    long cut = placeOf("ann").entry().until();
    assertThat(cut).isLessThan(first);
    long before = overview().figures().change();

    complete(ann);

    for (long after : new long[] {0, before}) {
      List<OverTurn> over = new ArrayList<>();
      await(line().over(queue, after, over::add));
      assertThat(over)
          .extracting(OverTurn::entry)
          .allMatch(entry -> entry.key().equals(ann))
          .extracting(Entry::until)
          .containsExactlyInAnyOrder(first, cut);
    }
    List<OverTurn> latest = new ArrayList<>();
    await(line().latestOver(queue, 10, latest::add));
    assertThat(latest).hasSize(2);
  }

  @Test
  void handOff_inTheTables_isTheSamePlaceOfAnotherEntry() {
    activateCalm(5, 1);
    keyOf("first");
    EntryKey ann = keyOf("ann");
    keyOf("ben");

    var taken = (HandedOff.Has) await(queues().handOff(ann, "phone"));

    assertThat(placeOf("phone").entry().key()).isEqualTo(taken.entry());
    assertThat(placeOf("phone").ahead()).isEqualTo(1);
    assertThat(placeOf("ben").ahead()).isEqualTo(2);
    assertThat(await(queues().handOff(ann, "thief"))).isEqualTo(new HandedOff.NoPlace());
    assertThat(await(queues().handOff(taken.entry(), "ben"))).isEqualTo(new HandedOff.HasOwn());
    assertThat(keys(admitByHand(2))).contains(taken.entry());
    assertThat(placeOf("ben").ahead()).isZero();
    assertThat(figures().left()).isEqualTo(1);
  }

  @Test
  void draw_copyLostInEachPhase_isBuiltAnewAsIfItHadNeverBeenLost() throws Exception {
    openLobby(
        Map.of(
            "lanes",
            List.of(Map.of("name", "vip", "share", 1), Map.of("name", "all", "share", 2))));
    List<String> users = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      String user = "user" + i;
      await(queues().join(queue, user, new Claim(i % 3 == 0 ? "vip" : "", "")));
      users.add(user);
    }
    loseCopy(users);
    closeLobby();
    keyOf("late");
    users.add("late");
    leave(placeOf("user1").entry().key());
    users.remove("user1");
    loseCopy(users);
    List<Long> order = seal(1);
    edit(Edit.of(Edit.Act.PAUSE, ""));
    assertThat(settle(0, order.subList(0, 4))).isInstanceOf(DrawStep.Taken.class);
    loseCopy(users);
    assertThat(settle(4, order.subList(4, 11))).isInstanceOf(DrawStep.Taken.class);
    loseCopy(users);
    admit(new Admission.Paced());
    assertThat(phase()).isEqualTo(Drawing.Phase.DONE);
    loseCopy(users);
  }

  /** What the copy said before is what the ledger says, and the copy that is built anew. */
  private void loseCopy(List<String> users) throws Exception {
    Original of = ((LedgerQueues) queues()).reader().existing(List.of(queue)).iterator().next();
    Map<String, List<Object>> before = standings(users);
    Map<String, Standing> known = inCopy(of, users);
    Optional<Tickets> tickets = await(line().tickets(queue));
    fixture().copy().drop(queue).toCompletableFuture().get();

    assertThat(standings(users)).as("counted in the ledger").isEqualTo(before);
    Awaitility.await().until(() -> await(fixture().copy().state(of)) instanceof CopyState.At);
    assertThat(inCopy(of, users)).as("built anew").isEqualTo(known);
    assertThat(await(fixture().copy().tickets(of))).isEqualTo(tickets);
  }

  private Map<String, Standing> inCopy(Original of, List<String> users) {
    Map<String, Standing> all = new HashMap<>();
    users.forEach(user -> all.put(user, await(fixture().copy().locate(of, user))));
    return all;
  }

  private EndReason told(EntryKey entry) {
    return ((Standing.Found) await(line().locate(entry))).place().entry().reason();
  }

  private Returned giveBack(EntryKey entry, boolean givesUp) {
    return await(queues().giveBack(entry, givesUp, CompletedBy.VISITOR));
  }

  /** Every row of every table, as one text. */
  private String tables() throws SQLException {
    List<String> names = new ArrayList<>();
    var all = new StringBuilder();
    try (Connection connection = fixture().connect();
        var statement = connection.createStatement()) {
      try (ResultSet tables =
          connection
              .getMetaData()
              .getTables(
                  connection.getCatalog(),
                  connection.getSchema(),
                  "%",
                  new String[] {"TABLE", "BASE TABLE"})) {
        while (tables.next()) {
          names.add(tables.getString("TABLE_NAME"));
        }
      }
      assertThat(names).contains("queue_entries", "waiting_queues");
      for (String name : names) {
        try (ResultSet rows = statement.executeQuery("SELECT * FROM " + name)) {
          int columns = rows.getMetaData().getColumnCount();
          while (rows.next()) {
            for (int i = 1; i <= columns; i++) {
              all.append(rows.getString(i)).append(' ');
            }
          }
        }
      }
    }
    return all.toString();
  }

  private static String everythingIn(RedisServer redis) {
    try (RedisConnection connection = redis.connect()) {
      return connection.call("EVAL", DUMP, "0");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
