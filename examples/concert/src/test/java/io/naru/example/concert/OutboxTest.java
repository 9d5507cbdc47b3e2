package io.naru.example.concert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.naru.example.concert.Completions.Completion;
import io.naru.example.concert.Outcome.PassUsed;
import io.naru.example.concert.Outcome.Reserved;
import io.naru.example.concert.Outcome.SeatTaken;
import io.naru.gate.Answer;
import io.naru.pass.Pass;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.core.io.ClassPathResource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.annotation.AnnotationTransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionInterceptor;

/** Reservations and what Naru is to be told of them, on a real SQLite file, with the time set. */
class OutboxTest {

  private static final Seat A12 = new Seat("A12");

  private final AtomicReference<Instant> now =
      new AtomicReference<>(Instant.parse("2026-12-24T18:00:00Z"));
  private final List<String> told = new ArrayList<>();
  private Answer answer = Answer.DONE;

  private JdbcClient database;
  private Reservations reservations;
  private CompletionRelay relay;

  @BeforeEach
  void open(@TempDir Path directory) {
    var source = new DriverManagerDataSource("jdbc:sqlite:" + directory.resolve("concert.db"));
    new ResourceDatabasePopulator(new ClassPathResource("schema.sql")).execute(source);
    database = JdbcClient.create(source);
    var completions = new Completions(database, now::get);
    TransactionManager manager = new DataSourceTransactionManager(source);
    var transactions =
        new TransactionInterceptor(manager, new AnnotationTransactionAttributeSource());
    var proxy = new ProxyFactory(new Reservations(database, completions, now::get));
    proxy.setProxyTargetClass(true);
    proxy.addAdvice(transactions);
    reservations = (Reservations) proxy.getProxy();
    relay =
        new CompletionRelay(
            completions,
            token -> {
              told.add(token);
              return answer;
            });
  }

  private static Pass pass(String id) {
    Instant admitted = Instant.parse("2026-12-24T17:59:00Z");
    return new Pass(
        "http://naru.example",
        "CONCERT/1",
        "CONCERT/1",
        "ann",
        id,
        admitted,
        admitted.plusSeconds(300));
  }

  private Outcome reserve(Seat seat, String passId) {
    return reservations.reserve(seat, pass(passId), "token of " + passId);
  }

  private Map<String, Object> completion(String passId) {
    return database
        .sql("SELECT outcome, token, tries FROM completions WHERE pass_id = ?")
        .param(passId)
        .query()
        .singleRow();
  }

  private long count(String table) {
    return database.sql("SELECT count(*) FROM " + table).query(Long.class).single();
  }

  private void pass(Duration time) {
    now.updateAndGet(it -> it.plus(time));
  }

  @Test
  void reserve_freeSeat_isStoredWithTheOrderToComplete() {
    assertThat(reserve(A12, "p1")).isInstanceOf(Reserved.class);

    assertThat(count("reservations")).isEqualTo(1);
    assertThat(completion("p1"))
        .containsEntry("outcome", "PENDING")
        .containsEntry("token", "token of p1");
    assertThat(reservations.free()).hasSize(199).doesNotContain(A12);
  }

  @Test
  void reserve_orderCannotBeStored_storesNothing() {
    database.sql("DROP TABLE completions").update();

    assertThatThrownBy(() -> reserve(A12, "p1")).isInstanceOf(DataAccessException.class);

    assertThat(count("reservations")).isZero();
  }

  @Test
  void reserve_takenSeat_leavesThePassGood() {
    reserve(A12, "p1");

    assertThat(reserve(A12, "p2")).isEqualTo(new SeatTaken(A12));
    assertThat(reserve(new Seat("A13"), "p2")).isInstanceOf(Reserved.class);
  }

  @Test
  void reserve_usedPass_namesTheEarlierReservation() {
    var first = (Reserved) reserve(A12, "p1");

    assertThat(reserve(new Seat("A13"), "p1")).isEqualTo(new PassUsed(first.reservation()));
    assertThat(reserve(A12, "p1")).isEqualTo(new PassUsed(first.reservation()));
    assertThat(count("completions")).isEqualTo(1);
  }

  @Test
  void find_byItsId_andNoOther() {
    Reservation made = ((Reserved) reserve(A12, "p1")).reservation();

    assertThat(reservations.find(made.id())).hasValue(made);
    assertThat(reservations.find("unknown")).isEmpty();
  }

  @Test
  void run_done_isKeptWithoutThePass() {
    reserve(A12, "p1");

    relay.run();
    relay.run();

    assertThat(told).containsExactly("token of p1");
    assertThat(completion("p1")).containsEntry("outcome", "DONE").containsEntry("token", null);
  }

  @Test
  void run_refused_isKeptWithoutThePassAndNotRepeated() {
    reserve(A12, "p1");
    answer = Answer.REFUSED;

    relay.run();
    pass(Duration.ofDays(1));
    relay.run();

    assertThat(told).hasSize(1);
    assertThat(completion("p1")).containsEntry("outcome", "REFUSED").containsEntry("token", null);
  }

  @Test
  void run_unreachable_triesAgainAfterTwiceAsLongEachTimeAndNeverGivesUp() {
    reserve(A12, "p1");
    answer = Answer.UNREACHABLE;

    for (long millis : List.of(500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 32_000, 32_000)) {
      int before = told.size();
      relay.run();
      pass(Duration.ofMillis(millis - 1));
      relay.run();
      assertThat(told).as("before %d ms are over", millis).hasSize(before + 1);
      pass(Duration.ofMillis(1));
    }
    answer = Answer.DONE;
    relay.run();

    assertThat(completion("p1")).containsEntry("outcome", "DONE").containsEntry("tries", 10);
  }

  @Test
  void run_unreachable_leavesTheOthersForTheNextTime() {
    reserve(A12, "p1");
    pass(Duration.ofMillis(1));
    reserve(new Seat("A13"), "p2");
    answer = Answer.UNREACHABLE;

    relay.run();
    assertThat(told).containsExactly("token of p1");

    relay.run();
    assertThat(told).containsExactly("token of p1", "token of p2");
  }

  @Test
  void run_manyAreDue_takesABatch() {
    for (int i = 0; i < 150; i++) {
      reserve(Seat.ALL.get(i), "p" + i);
    }

    relay.run();
    assertThat(told).hasSize(100);

    relay.run();
    assertThat(told).hasSize(150).doesNotHaveDuplicates();
  }

  @Test
  void completion_inALog_hidesThePass() {
    assertThat(new Completion("p1", "secret", 0).toString())
        .contains("p1")
        .doesNotContain("secret");
  }
}
