package io.naru.example.concert;

import static org.springframework.http.MediaType.APPLICATION_FORM_URLENCODED_VALUE;
import static org.springframework.http.MediaType.APPLICATION_JSON_VALUE;

import io.naru.example.concert.Outcome.PassUsed;
import io.naru.example.concert.Outcome.Reserved;
import io.naru.gate.Answer;
import io.naru.gate.GateFilter;
import io.naru.pass.Pass;
import java.net.URI;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Reservations for programs. All of it is behind the gate, so there always is a {@link Pass}.
 *
 * <p>Neither these calls nor the form of {@link ReservationPages} need a CSRF token: a browser has
 * the pass in a cookie that is {@code SameSite=Lax}, and so does not send it along with a POST that
 * another site makes it send. A shop with logins of its own guards those as ever.
 */
@RestController
@RequestMapping(path = "/reservations", produces = APPLICATION_JSON_VALUE)
class ReservationApi {

  private final Reservations reservations;
  private final Payments payments;

  ReservationApi(Reservations reservations, Payments payments) {
    this.reservations = reservations;
    this.payments = payments;
  }

  /**
   * @param card to pay with; here any but the one that is {@link Payments#DECLINED}
   */
  record Wish(@Nullable String seat, @Nullable String card) {}

  @PostMapping(consumes = APPLICATION_JSON_VALUE)
  ResponseEntity<?> reserve(
      @RequestBody Wish wish, Pass pass, @RequestAttribute(GateFilter.TOKEN) String token) {
    return answer(wish, pass, token);
  }

  @PostMapping(consumes = APPLICATION_FORM_URLENCODED_VALUE)
  ResponseEntity<?> reserveByForm(
      Wish wish, Pass pass, @RequestAttribute(GateFilter.TOKEN) String token) {
    return answer(wish, pass, token);
  }

  /** They cannot pay; they wait in front of the line for another turn. */
  @PostMapping("/give-up")
  ResponseEntity<?> giveUp(@RequestAttribute(GateFilter.TOKEN) String token) {
    return payments.failed(token, true) == Answer.DONE
        ? ResponseEntity.noContent().build()
        : Problems.stillYours();
  }

  private ResponseEntity<?> answer(Wish wish, Pass pass, String token) {
    Optional<Seat> seat = Seat.of(wish.seat());
    if (seat.isEmpty()) {
      return Problems.noSuchSeat();
    }
    if (payments.isDeclined(wish.card())) {
      payments.failed(token, false);
      return Problems.paymentFailed();
    }
    Outcome outcome = reservations.reserve(seat.get(), pass, token);
    if (outcome instanceof Reserved reserved) {
      Reservation reservation = reserved.reservation();
      return ResponseEntity.created(URI.create(reservation.path())).body(reservation);
    }
    return outcome instanceof PassUsed used
        ? Problems.passUsed(used)
        : Problems.seatTaken(seat.get());
  }
}
