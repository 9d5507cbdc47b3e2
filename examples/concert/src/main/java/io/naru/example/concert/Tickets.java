package io.naru.example.concert;

import static org.springframework.http.MediaType.APPLICATION_JSON_VALUE;
import static org.springframework.http.MediaType.TEXT_HTML_VALUE;

import java.util.Optional;
import org.springframework.http.CacheControl;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.util.HtmlUtils;

/** What was reserved, for whoever knows its address. A shop with logins would ask for those. */
@RestController
@RequestMapping("/tickets")
class Tickets {

  private final Reservations reservations;

  Tickets(Reservations reservations) {
    this.reservations = reservations;
  }

  @GetMapping(path = "/{id}", produces = APPLICATION_JSON_VALUE)
  ResponseEntity<?> show(@PathVariable String id) {
    Optional<Reservation> found = reservations.find(id);
    return found.isPresent()
        ? ResponseEntity.ok().cacheControl(CacheControl.noStore()).body(found.get())
        : Problems.notFound();
  }

  @GetMapping(path = "/{id}", produces = TEXT_HTML_VALUE)
  ResponseEntity<?> page(@PathVariable String id) {
    Optional<Reservation> found = reservations.find(id);
    if (found.isEmpty()) {
      return Problems.notFound();
    }
    String visitor = HtmlUtils.htmlEscape(found.get().visitor());
    return Page.of(
        "<h1>Seat %s is yours</h1>\n<p>Reserved for %s.</p>"
            .formatted(found.get().seat(), visitor));
  }
}
