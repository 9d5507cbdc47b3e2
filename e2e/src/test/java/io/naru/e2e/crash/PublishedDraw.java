package io.naru.e2e.crash;

import static org.awaitility.Awaitility.await;

import io.naru.fair.Drand;
import io.naru.fair.Lobby;
import io.naru.fair.Order;
import io.naru.testkit.HttpConnection.Reply;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/** A draw as anybody can read it in the end, and the order that follows from that alone. */
final class PublishedDraw {

  private final Reply draw;
  private final Lobby lobby = new Lobby();
  private final Order order;

  PublishedDraw(Operator operator, QueueName queue) {
    // What is published may be a second old.
    draw =
        await("the draw")
            .pollDelay(Duration.ZERO)
            .until(
                () -> operator.get(queue.path() + "/draw"),
                reply -> reply.field("phase").equals("DONE"));
    for (int part = 0; part < draw.number("parts"); part++) {
      lobby.add(operator.bytes(queue.path() + "/draw/leaves/" + part));
    }
    boolean hasCoin = draw.json().containsKey("signature");
    byte[] coin = hasCoin ? Drand.randomness(hex("signature")) : new byte[0];
    order = Order.of(lobby, Order.key(hex("seed"), hex("root"), coin));
  }

  private byte[] hex(String field) {
    return HexFormat.of().parseHex(draw.field(field));
  }

  Lobby lobby() {
    return lobby;
  }

  Order order() {
    return order;
  }

  /**
   * What does not fit together.
   *
   * @param commitment that was published when there was only a lobby
   * @param published whatever any server said of it at any time, by field
   */
  List<String> differences(String commitment, Map<String, Collection<String>> published)
      throws Exception {
    List<String> all = new ArrayList<>();
    String root = HexFormat.of().formatHex(lobby.root());
    String hash =
        HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(hex("seed")));
    if (!root.equals(draw.field("root"))) {
      all.add("the list has the root %s, and %s was published".formatted(root, draw.body()));
    }
    if (!hash.equals(commitment)) {
      all.add("the seed is not the one of the commitment " + commitment);
    }
    if (lobby.count() != draw.number("count") || draw.number("settled") != lobby.count()) {
      all.add("%d are in the list of %s".formatted(lobby.count(), draw.body()));
    }
    published.forEach(
        (field, values) -> {
          if (values.size() != 1 || !values.contains(draw.field(field))) {
            all.add("a second draw: %s was %s, and is %s".formatted(field, values, draw.body()));
          }
        });
    return all;
  }
}
