package io.naru.ledger;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which PostgreSQL has the ledger when more than one says so. A standby that is promoted begins a
 * new timeline; a primary that comes back as it was is on the old one, takes what it is told, and
 * all of that is lost. So no connection to a timeline is used that is older than the newest one
 * that was seen, and none to a standby: it may show less than was seen before.
 *
 * <p>Of several hosts in the address all are asked, and the primary with the newest timeline is
 * taken: the driver takes the first that calls itself primary. Connections are made seldom, so this
 * costs next to nothing.
 */
final class Timelines {

  private static final Logger log = LoggerFactory.getLogger(Timelines.class);

  /** How much longer the others are waited for once a primary has answered. */
  private static final Duration OTHERS = Duration.ofMillis(700);

  /** Longer than the driver takes to give up a host. */
  private static final Duration PATIENCE = Duration.ofSeconds(6);

  private static final String SCHEME = "jdbc:postgresql://";

  /** Its cluster, and its timeline out of the name of the file it writes to; -1 of a standby. */
  private static final String WHERE =
      """
      SELECT system_identifier, CASE WHEN pg_is_in_recovery() THEN -1
        ELSE ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint END
      FROM pg_control_system()
      """;

  /** A timeline of one cluster; 0 is not known, and a standby has none. */
  private record Where(String cluster, long timeline) {
    boolean isStandby() {
      return timeline < 0;
    }
  }

  /** A connection to one host, or why there is none. */
  private record Answer(
      String host, @Nullable Connection connection, Where where, @Nullable SQLException failure) {}

  private final Map<String, Long> newest = new ConcurrentHashMap<>();
  private final Set<String> named = ConcurrentHashMap.newKeySet();
  private final AtomicInteger era = new AtomicInteger();

  /** Rises when a newer timeline was seen: connections from before lead to an old primary. */
  int era() {
    return era.get();
  }

  /**
   * @throws SQLNonTransientConnectionException if there is none but an old primary or a standby
   */
  Connection connect(String url, Properties properties) throws SQLException {
    List<String> each = hosts(url);
    List<Answer> answers =
        each.size() == 1 ? List.of(ask(url, properties)) : askAll(each, properties);
    answers.forEach(answer -> learn(answer.where));
    @Nullable Answer best = null;
    SQLException failure = null;
    SQLException none = new SQLNonTransientConnectionException("no host", "08001");
    for (Answer answer : answers) {
      if (answer.failure != null) {
        failure = failure == null ? answer.failure : failure;
      } else if (answer.where.isStandby()) {
        none = refused(host(answer) + " is a standby: name the primary");
        close(answer);
      } else if (isOld(answer.where)) {
        failure = refuse(answer);
        close(answer);
      } else if (best == null || answer.where.timeline > best.where.timeline) {
        close(best);
        best = answer;
      } else {
        close(answer);
      }
    }
    if (best != null && best.connection != null) {
      return best.connection;
    }
    throw failure == null ? none : failure;
  }

  /** The same address with one host each. */
  static List<String> hosts(String url) {
    int end = url.indexOf('/', SCHEME.length());
    if (!url.startsWith(SCHEME) || end < 0) {
      return List.of(url);
    }
    List<String> each = new ArrayList<>();
    for (String host : url.substring(SCHEME.length(), end).split(",", -1)) {
      each.add(SCHEME + host + url.substring(end));
    }
    return each;
  }

  private static Answer ask(String url, Properties properties) {
    try {
      Connection connection = DriverManager.getConnection(url, properties);
      return new Answer(url, connection, where(connection), null);
    } catch (SQLException e) {
      return new Answer(url, null, new Where("", 0), e);
    }
  }

  /** All that answer soon enough; what comes later is closed. */
  private static List<Answer> askAll(List<String> each, Properties properties) throws SQLException {
    var come = new LinkedBlockingQueue<Answer>();
    var isOver = new CompletableFuture<Boolean>();
    for (String url : each) {
      Thread.ofVirtual()
          .name("naru-ledger-host")
          .start(
              () -> {
                Answer answer = ask(url, properties);
                synchronized (come) {
                  if (isOver.isDone()) {
                    close(answer);
                  } else {
                    come.add(answer);
                  }
                }
              });
    }
    List<Answer> answers = new ArrayList<>();
    long end = System.nanoTime() + PATIENCE.toNanos();
    try {
      while (answers.size() < each.size()) {
        Answer next = come.poll(end - System.nanoTime(), TimeUnit.NANOSECONDS);
        if (next == null) {
          break;
        }
        answers.add(next);
        if (next.connection != null) {
          end = Math.min(end, System.nanoTime() + OTHERS.toNanos());
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SQLNonTransientConnectionException("interrupted", "08001", e);
    } finally {
      synchronized (come) {
        isOver.complete(true);
        come.drainTo(answers);
      }
    }
    return answers;
  }

  /** A database that does not say is taken as it is. */
  private static Where where(Connection connection) {
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(WHERE)) {
      result.next();
      return new Where(result.getString(1), result.getLong(2));
    } catch (SQLException e) {
      log.debug("it does not tell its timeline", e);
      return new Where("", 0);
    }
  }

  private synchronized void learn(Where where) {
    if (where.timeline <= 0) {
      return;
    }
    long before = newestOf(where);
    newest.merge(where.cluster, where.timeline, Math::max);
    if (before != 0 && before < where.timeline) {
      era.incrementAndGet();
      log.info("the ledger's PostgreSQL is on timeline {} now", where.timeline);
    }
  }

  private long newestOf(Where where) {
    return newest.getOrDefault(where.cluster, 0L);
  }

  private boolean isOld(Where where) {
    return where.timeline > 0 && where.timeline < newestOf(where);
  }

  private SQLException refuse(Answer answer) {
    String reason =
        "%s is on timeline %s, and its standby was promoted to %s: an old primary that came back as it was. Nothing is written to it; make it a standby of the new one (pg_rewind), or keep it away"
            .formatted(host(answer), answer.where.timeline, newestOf(answer.where));
    if (named.add(host(answer) + " " + answer.where)) {
      log.warn("{}", reason);
    }
    return refused(reason);
  }

  private static SQLException refused(String reason) {
    return new SQLNonTransientConnectionException(reason, "08004");
  }

  private static String host(Answer answer) {
    return "PostgreSQL at " + answer.host.substring(SCHEME.length()).replaceAll("[/?].*", "");
  }

  private static void close(@Nullable Answer answer) {
    try {
      if (answer != null && answer.connection != null) {
        answer.connection.close();
      }
    } catch (SQLException e) {
      log.debug("it was gone already", e);
    }
  }
}
