package io.naru.testkit;

import java.sql.Connection;
import java.sql.SQLException;

/** A database that tests may kill, whichever it is. */
public interface DatabaseServer extends AutoCloseable {

  int port();

  /** The JDBC address of a database that is there from the start. */
  String url();

  String user();

  String password();

  /** Opens a plain connection to the database of {@link #url()}. */
  Connection connect() throws SQLException;

  long pid();

  /** Ends it with all its processes at once, as losing its machine would. */
  void kill();

  /** Starts it again with the same port and data, killing it if it still runs. */
  void restart();

  /** Stops all of it in its tracks; what is sent to it meanwhile stays in its sockets. */
  void freeze();

  void thaw();

  @Override
  void close();
}
