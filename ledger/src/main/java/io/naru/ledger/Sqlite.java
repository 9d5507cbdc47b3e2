package io.naru.ledger;

import io.naru.files.OwnerOnly;
import io.naru.queue.Micros;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.InstantSource;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * SQLite, in a file of this server's own. The clock is the server's: the database has no other.
 *
 * <p>WAL with {@code synchronous=FULL}: a commit is on the disk before anybody is told, and readers
 * go on meanwhile.
 */
final class Sqlite implements Dialect {

  private static final Logger log = LoggerFactory.getLogger(Sqlite.class);

  private static final String PREFIX = "jdbc:sqlite:";

  private static final Pattern OF_ALL =
      Pattern.compile("SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|CORRUPT|NOTADB)");

  private final InstantSource clock;

  Sqlite(InstantSource clock) {
    this.clock = clock;
  }

  @Override
  public Connection connect(String url, Properties properties) throws SQLException {
    SqliteLibrary.load();
    return Dialect.super.connect(url, properties);
  }

  @Override
  public String describe(Connection connection) throws SQLException {
    return "SQLite " + Dialect.value(connection, "SELECT sqlite_version()");
  }

  @Override
  public boolean isShared() {
    return false;
  }

  /** One file is for one server: a second one would wait for its lock at every commit. */
  @Override
  public Closeable claim(String url) {
    Path file = Path.of(url.substring(PREFIX.length()).replaceAll("\\?.*", "")).toAbsolutePath();
    Path lock = file.resolveSibling(file.getFileName() + ".lock");
    FileChannel channel = null;
    try {
      OwnerOnly.createDirectories(Objects.requireNonNull(lock.getParent()));
      closeToOthers(file, lock);
      channel = FileChannel.open(lock, StandardOpenOption.WRITE);
      if (channel.tryLock() == null) {
        throw new OverlappingFileLockException();
      }
      // For people who want to know which process it is.
      byte[] pid = (ProcessHandle.current().pid() + "\n").getBytes(StandardCharsets.US_ASCII);
      channel.truncate(0).write(ByteBuffer.wrap(pid));
      return channel;
    } catch (OverlappingFileLockException e) {
      close(channel);
      throw new LedgerRefused(
          "another server uses "
              + file
              + "; a SQLite file is for one server, several share a PostgreSQL or a MariaDB",
          e);
    } catch (IOException e) {
      close(channel);
      throw new LedgerRefused("cannot write " + lock + ": " + e.getMessage(), e);
    }
  }

  /**
   * Whoever reads this file can forge every pass. SQLite makes its files as the umask says, and
   * those beside the first one with the rights of that.
   */
  private static void closeToOthers(Path file, Path lock) throws IOException {
    OwnerOnly.createFile(file);
    OwnerOnly.createFile(lock);
    Stream.of("", "-wal", "-shm", "-journal", ".lock")
        .map(end -> OwnerOnly.tighten(file.resolveSibling(file.getFileName() + end)))
        .flatMap(Optional::stream)
        .forEach(log::warn);
  }

  private static void close(@Nullable FileChannel channel) {
    try {
      if (channel != null) {
        channel.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public String migrations() {
    return "sqlite";
  }

  @Override
  public String locking(String select) {
    // A writing transaction has the whole database from its beginning.
    return select;
  }

  @Override
  public Haste hurry(Connection connection) {
    // Its lock is one for all queues.
    return Haste.NONE;
  }

  /**
   * No other index can answer the question: its expression is that of the one that is meant. The
   * sign makes a plain number of a column, with which alone it looks into an index on an
   * expression.
   */
  @Override
  public String entries(Index index, String queue) {
    String condition =
        switch (index) {
          case LINE, INSIDE -> "e.queue_id = " + queue;
          case USER -> "+e.queue_id = " + queue;
          case CHANGE -> "e.queue_id + 0 = +" + queue;
          case WAITING, OVER -> "e.queue_id - 0 = +" + queue;
        };
    return "queue_entries e WHERE " + condition + " ";
  }

  @Override
  public long now(Connection connection) {
    return nowHere();
  }

  @Override
  public long noticed(long now) {
    return now;
  }

  @Override
  public long nowHere() {
    return Micros.now(clock);
  }

  @Override
  public Properties properties(Use use) {
    var properties = new Properties();
    properties.setProperty("journal_mode", "WAL");
    properties.setProperty("synchronous", "FULL");
    properties.setProperty("busy_timeout", "2000");
    properties.setProperty("cache_size", "-65536");
    // 64 MB: users come in no order, so a page is written again and again; the log takes that
    // cheaply, the file would not.
    properties.setProperty("wal_autocheckpoint", "16384");
    properties.setProperty("journal_size_limit", "67108864");
    // What is deleted or erased is not left lying in the file.
    properties.setProperty("secure_delete", "true");
    properties.setProperty("transaction_mode", use == Use.WRITE ? "IMMEDIATE" : "DEFERRED");
    return properties;
  }

  @Override
  public String unsafe(Connection connection) throws SQLException {
    String mode = Dialect.value(connection, "PRAGMA journal_mode");
    if (!mode.equalsIgnoreCase("wal")) {
      return "the file system does not allow a write-ahead log (journal_mode is " + mode + ")";
    }
    int sync = Integer.parseInt(Dialect.value(connection, "PRAGMA synchronous"));
    return sync < 2 ? "synchronous is not FULL" : "";
  }

  @Override
  public void beginSnapshot(Connection connection) throws SQLException {
    connection.setAutoCommit(false);
  }

  /** An update takes the lock, also one of nothing. */
  @Override
  public void beginChange(Connection connection) throws SQLException {
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      statement.executeUpdate("UPDATE waiting_queues SET id = id WHERE FALSE");
    }
  }

  /** Somebody else, a backup maybe, keeps it locked. */
  @Override
  public boolean isTimeout(SQLException e) {
    return Dialect.super.isTimeout(e) || String.valueOf(e.getMessage()).contains("SQLITE_BUSY");
  }

  @Override
  public boolean isOfAll(SQLException e) {
    return OF_ALL.matcher(String.valueOf(e.getMessage())).find();
  }
}
