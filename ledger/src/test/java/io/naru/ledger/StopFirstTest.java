package io.naru.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.naru.queue.Micros;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Servers of before some versions do not notice that the tables change beneath them: as long as one
 * of them writes, a new one leaves the tables alone.
 */
@Tag("process")
class StopFirstTest {

  private static final int OLD = Schema.STOP_FIRST - 1;

  private Ledger.Config config;

  Ledger.Config database() {
    return LedgerFixture.postgres();
  }

  @BeforeEach
  void make() {
    config = database();
  }

  private Connection connect() throws SQLException {
    return DriverManager.getConnection(config.url(), config.user(), config.password());
  }

  private int version() throws SQLException {
    try (Connection connection = connect()) {
      return Schema.version(connection);
    }
  }

  private void open() {
    Ledger.open(config, InstantSource.system()).close();
  }

  /** A server of before has written so long ago. */
  private void write(Connection connection, long batch, Duration ago) throws SQLException {
    long now = Dialect.of(config.url(), InstantSource.system()).now(connection);
    new Rows(connection, Dialect.of(config.url(), InstantSource.system()))
        .marks()
        .mark("a server of before", batch, now - ago.toSeconds() * Micros.PER_SECOND);
  }

  /** A server of before, which goes on writing for as long as something is tried. */
  private final class Writing implements AutoCloseable {
    private final CompletableFuture<Void> written = CompletableFuture.runAsync(this::write);
    private volatile boolean isOver;

    private void write() {
      try (Connection connection = connect()) {
        for (long batch = 1; !isOver; batch++) {
          StopFirstTest.this.write(connection, batch, Duration.ZERO);
        }
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void close() {
      isOver = true;
      written.join();
    }
  }

  @Test
  void aServerOfBeforeWrites_theTablesAreLeftAlone() throws Exception {
    UpgradeTest.makeTables(config, OLD);
    try (Connection connection = connect()) {
      write(connection, 0, Duration.ZERO);
    }

    try (var _ = new Writing()) {
      assertThatThrownBy(this::open)
          .isInstanceOf(LedgerRefused.class)
          .hasMessageContaining("its tables are of version " + OLD)
          .hasMessageContaining("stop all servers of before");
    }
    assertThat(version()).isEqualTo(OLD);
  }

  @Test
  void theLastOneWasStoppedAMomentAgo_itIsWaitedForNoLonger() throws Exception {
    UpgradeTest.makeTables(config, OLD);
    try (Connection connection = connect()) {
      write(connection, 7, Duration.ofSeconds(4));
    }

    open();

    assertThat(version()).isEqualTo(Schema.VERSION);
  }

  @Test
  void aServerOfLaterTablesWrites_goesOnBesideTheNewOne() throws Exception {
    UpgradeTest.makeTables(config, Schema.STOP_FIRST);

    try (var _ = new Writing()) {
      open();
    }

    assertThat(version()).isEqualTo(Schema.VERSION);
  }
}
