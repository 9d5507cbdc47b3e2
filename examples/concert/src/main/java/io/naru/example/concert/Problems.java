package io.naru.example.concert;

import io.naru.example.concert.Outcome.PassUsed;
import java.net.URI;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;

/** What is answered when there is no reservation, in the form that Naru's own answers have. */
final class Problems {

  private Problems() {}

  static ResponseEntity<ProblemDetail> noSuchSeat() {
    ProblemDetail problem =
        problem(HttpStatus.BAD_REQUEST, "invalid-value", "Invalid value", "There is no such seat.");
    problem.setProperty("field", "seat");
    problem.setProperty("allowed", "A1..A20 to J1..J20");
    return answer(problem);
  }

  static ResponseEntity<ProblemDetail> seatTaken(Seat seat) {
    return answer(
        problem(
            HttpStatus.CONFLICT,
            "seat-taken",
            "Seat taken",
            "Somebody was faster: " + seat.name() + " is taken. Your pass is still good."));
  }

  static ResponseEntity<ProblemDetail> paymentFailed() {
    return answer(
        problem(
            HttpStatus.PAYMENT_REQUIRED,
            "payment-failed",
            "Payment failed",
            "The card was declined. Your place is kept for another try; or give up, and wait in"
                + " front of the line: POST /reservations/give-up."));
  }

  static ResponseEntity<ProblemDetail> stillYours() {
    return answer(
        problem(
            HttpStatus.CONFLICT,
            "turn-goes-on",
            "Turn goes on",
            "You could not be put in front of the line; your turn goes on."));
  }

  /** As the gate refuses, and with the way to what is theirs: the first answer may be lost. */
  static ResponseEntity<ProblemDetail> passUsed(PassUsed used) {
    ProblemDetail problem =
        problem(
            HttpStatus.FORBIDDEN,
            "S806",
            "No valid pass",
            "A pass is for one reservation, and this one has been used.");
    problem.setProperty("reservation", used.earlier().path());
    return answer(problem);
  }

  static ResponseEntity<ProblemDetail> notFound() {
    return answer(
        problem(HttpStatus.NOT_FOUND, "not-found", "Not found", "There is no such reservation."));
  }

  private static ProblemDetail problem(
      HttpStatus status, String code, String title, String detail) {
    ProblemDetail problem = ProblemDetail.forStatusAndDetail(status, detail);
    problem.setType(URI.create("urn:naru:problem:" + code));
    problem.setTitle(title);
    problem.setProperty("code", code);
    return problem;
  }

  private static ResponseEntity<ProblemDetail> answer(ProblemDetail problem) {
    return ResponseEntity.status(problem.getStatus())
        .contentType(MediaType.APPLICATION_PROBLEM_JSON)
        .body(problem);
  }
}
