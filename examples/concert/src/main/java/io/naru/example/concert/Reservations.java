package io.naru.example.concert;

import io.naru.example.concert.Outcome.PassUsed;
import io.naru.example.concert.Outcome.Reserved;
import io.naru.example.concert.Outcome.SeatTaken;
import io.naru.pass.Pass;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import org.springframework.transaction.annotation.Transactional;

/** Who has which seat. The database decides: there a seat is unique, and so is a pass. */
@Repository
class Reservations {

  private static final String INSERT =
      """
      INSERT INTO reservations (id, seat, pass_id, visitor, created_at)
      VALUES (?, ?, ?, ?, ?)
      ON CONFLICT DO NOTHING
      """;
  private static final String BY_PASS =
      "SELECT id, seat, visitor FROM reservations WHERE pass_id = ?";
  private static final String BY_ID = "SELECT id, seat, visitor FROM reservations WHERE id = ?";
  private static final String SOLD = "SELECT seat FROM reservations";

  private final JdbcClient database;
  private final Completions completions;
  private final InstantSource clock;

  Reservations(JdbcClient database, Completions completions, InstantSource clock) {
    this.database = database;
    this.completions = completions;
    this.clock = clock;
  }

  /**
   * Stores the reservation and, in the same transaction, the order to tell Naru that this turn is
   * over. Naru is not asked here: people reserve also while it is away, and a crash right after the
   * commit loses nothing.
   *
   * @param token the pass as it came
   */
  @Transactional
  public Outcome reserve(Seat seat, Pass pass, String token) {
    var reservation = new Reservation(UUID.randomUUID().toString(), seat.name(), pass.user());
    int stored =
        database
            .sql(INSERT)
            .params(reservation.id(), seat.name(), pass.id(), pass.user(), clock.millis())
            .update();
    if (stored == 0) {
      return by(pass).<Outcome>map(PassUsed::new).orElseGet(() -> new SeatTaken(seat));
    }
    completions.order(pass.id(), token);
    return new Reserved(reservation);
  }

  /** What this pass was used for. */
  Optional<Reservation> by(Pass pass) {
    return database.sql(BY_PASS).param(pass.id()).query(Reservation.class).optional();
  }

  Optional<Reservation> find(String id) {
    return database.sql(BY_ID).param(id).query(Reservation.class).optional();
  }

  List<Seat> free() {
    var sold = new HashSet<>(database.sql(SOLD).query(String.class).list());
    return Seat.ALL.stream().filter(seat -> !sold.contains(seat.name())).toList();
  }
}
