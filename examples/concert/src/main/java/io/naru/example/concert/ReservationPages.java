package io.naru.example.concert;

import static java.util.stream.Collectors.joining;
import static org.springframework.http.MediaType.APPLICATION_FORM_URLENCODED_VALUE;
import static org.springframework.http.MediaType.TEXT_HTML_VALUE;

import io.naru.example.concert.Outcome.PassUsed;
import io.naru.example.concert.Outcome.Reserved;
import io.naru.gate.Answer;
import io.naru.gate.GateFilter;
import io.naru.pass.Pass;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Reservations for people. Whoever has no pass yet, the gate sends to the waiting page. */
@RestController
@RequestMapping(path = "/reservations", produces = TEXT_HTML_VALUE)
class ReservationPages {

  private final Reservations reservations;
  private final Payments payments;

  ReservationPages(Reservations reservations, Payments payments) {
    this.reservations = reservations;
    this.payments = payments;
  }

  @GetMapping("/new")
  ResponseEntity<String> form(
      @RequestParam @Nullable String taken, @RequestParam @Nullable String declined, Pass pass) {
    Optional<Reservation> earlier = reservations.by(pass);
    if (earlier.isPresent()) {
      return goTo(earlier.get().path());
    }
    List<Seat> free = reservations.free();
    if (free.isEmpty()) {
      return Page.of("<h1>Sold out</h1>");
    }
    String notice =
        Seat.of(taken)
            .map(seat -> "<p role=\"alert\">Somebody was faster: " + seat.name() + " is taken.</p>")
            .orElse("");
    if (declined != null) {
      notice =
          """
          <p role="alert">Your card was declined. Your place is kept for a while: try another one.</p>
          <form method="post" action="/reservations/give-up"><button>Give up for now</button></form>
          """;
    }
    String options = free.stream().map(seat -> "<option>" + seat.name()).collect(joining());
    return Page.of(
        """
        <h1>Choose a seat</h1>
        %s
        <form method="post" action="/reservations">
        <label>Seat <select name="seat">%s</select></label>
        <label>Card <select name="card"><option>good<option>declined</select></label>
        <button>Reserve</button>
        </form>
        """
            .formatted(notice, options));
  }

  @PostMapping(consumes = APPLICATION_FORM_URLENCODED_VALUE)
  ResponseEntity<?> reserve(
      @RequestParam @Nullable String seat,
      @RequestParam @Nullable String card,
      Pass pass,
      @RequestAttribute(GateFilter.TOKEN) String token) {
    Optional<Seat> wanted = Seat.of(seat);
    if (wanted.isEmpty()) {
      return Problems.noSuchSeat();
    }
    if (payments.isDeclined(card)) {
      payments.failed(token, false);
      return goTo("/reservations/new?declined=1");
    }
    Outcome outcome = reservations.reserve(wanted.get(), pass, token);
    if (outcome instanceof Reserved reserved) {
      return goTo(reserved.reservation().path());
    }
    // A second click: they see what the first one got.
    return outcome instanceof PassUsed used
        ? goTo(used.earlier().path())
        : goTo("/reservations/new?taken=" + wanted.get().name());
  }

  /** Their turn is over; they wait in front of the line for another one. */
  @PostMapping(path = "/give-up", consumes = APPLICATION_FORM_URLENCODED_VALUE)
  ResponseEntity<String> giveUp(@RequestAttribute(GateFilter.TOKEN) String token) {
    return payments.failed(token, true) == Answer.DONE
        ? goTo(payments.waitingPage())
        : goTo("/reservations/new");
  }

  /** By GET, so that reloading what comes then reserves nothing. */
  private static ResponseEntity<String> goTo(String path) {
    return ResponseEntity.status(HttpStatus.SEE_OTHER).location(URI.create(path)).build();
  }
}
