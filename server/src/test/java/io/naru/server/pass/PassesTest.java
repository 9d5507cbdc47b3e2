package io.naru.server.pass;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.naru.queue.Entry;
import io.naru.queue.EntryKey;
import io.naru.queue.LineState;
import io.naru.queue.Micros;
import io.naru.queue.Place;
import io.naru.queue.QueueId;
import io.naru.queue.Secret;
import io.naru.queue.Settings;
import io.naru.queue.State;
import io.naru.server.MemoryKeys;
import io.naru.server.keys.SigningKeys;
import io.naru.support.SettableClock;
import java.nio.ByteBuffer;
import java.util.Base64;
import org.junit.jupiter.api.Test;

/** What a pass is made of. */
class PassesTest {

  private static final Secret SECRET = new Secret(new byte[32]);

  private final SettableClock clock = SettableClock.atOpening();
  private final SigningKeys keys =
      new SigningKeys(new MemoryKeys(), SECRET, SigningKeys.Policy.DEFAULT, clock);
  private final Passes passes = new Passes(keys, SECRET, () -> "https://wait.example", clock);
  private final EntryKey ann = new EntryKey(new QueueId("SALE", "1"), "ann", 77_000_000);

  private Place inside(long entered, long until) {
    var entry = new Entry(ann, Entry.Status.ENTERED, entered, until);
    return Place.beyond(entry, new LineState(1, 0, 1, State.OPEN, Settings.DEFAULT));
  }

  private static String claims(String pass) {
    return new String(Base64.getUrlDecoder().decode(pass.split("\\.", -1)[1]), US_ASCII);
  }

  @Test
  void id_namesTheEntryAndItsAdmission() {
    long entered = Micros.now(clock);
    byte[] named = new byte[6 + 1 + 3 + 1 + 16];
    ByteBuffer.wrap(named)
        .put("SALE/1".getBytes(US_ASCII))
        .put((byte) 0)
        .put("ann".getBytes(US_ASCII))
        .put((byte) 0)
        .putLong(ann.joined())
        .putLong(entered);
    ByteBuffer id = ByteBuffer.allocate(24).putLong(ann.joined());
    id.put(SECRET.mac(named, named.length), 0, 16);

    String pass = passes.of(inside(entered, entered + 60 * Micros.PER_SECOND));

    assertThat(claims(pass))
        .contains(
            "\"jti\":\""
                + Base64.getUrlEncoder().withoutPadding().encodeToString(id.array())
                + "\"");
    assertThat(passes.read(pass, ann.queue())).contains(ann);
    assertThat(passes.read(pass, new QueueId("SALE", "2"))).isEmpty();
  }

  @Test
  void of_clockWentBack_isStillMade() {
    long entered = Micros.now(clock);

    assertThat(passes.of(inside(entered, entered - 60 * Micros.PER_SECOND))).isNotEmpty();
  }
}
