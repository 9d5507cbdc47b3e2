package io.naru.fair;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.naru.fair.LogRecord.Coin;
import io.naru.fair.LogRecord.Drawn;
import io.naru.fair.Truth.Person;
import io.naru.testkit.NodeLibrary;
import io.naru.testkit.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The script in docs, which shares no line with this module, comes to the same. */
@Tag("process")
class FairCheckTest {

  @RegisterExtension
  static final Program NODE =
      new Program("NARU_EXAMPLES", Program.find(System.getenv(), "", "node"), "no node here");

  private static final Path SCRIPT = Path.of("..", "docs", "fair-check.mjs");
  private static final JsonMapper JACKSON = JsonMapper.builder().build();

  @TempDir private Path folder;

  private final List<Person> people = new ArrayList<>();

  private record Run(int exit, String text) {
    JsonNode last() {
      return JACKSON.readTree(text.strip().lines().toList().getLast());
    }
  }

  private static Run run(Path script, List<String> arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of(NODE.path().toString(), script.toString()));
    command.addAll(arguments);
    command.addAll(List.of("--coin-key", Truth.CHAIN.publicKey()));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try {
      process.getOutputStream().close();
      String text = new String(process.getInputStream().readAllBytes(), UTF_8);
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      return new Run(process.exitValue(), text);
    } finally {
      process.destroyForcibly();
    }
  }

  private Told told() {
    var told = new Told();
    var truth =
        new Truth(
            Map.of(
                "lobbyOpensAt",
                "2026-01-01T00:00:10Z",
                "opensAt",
                "2026-01-01T00:20:00Z",
                "draw",
                "COIN",
                "lanes",
                List.of(Map.of("name", "a", "share", 1), Map.of("name", "b", "share", 2))),
            told::add,
            told.lists::add);
    truth.openLobby();
    for (int i = 0; i < 700; i++) {
      truth.tick(10);
      people.add(truth.join("u:나루 " + i, i % 3 == 0 ? "a" : "b"));
    }
    truth.now = 1_200 * Truth.SECOND;
    truth.close();
    long round = truth.seal();
    truth.end(people.get(7), "LEFT", "");
    truth.settleAll(truth.draw(round), 200);
    truth.tick(Truth.SECOND);
    truth.admit();
    return told.sign();
  }

  private static Order orderOf(Told told) {
    Drawn drawn = (Drawn) told.at(told.find("draw"));
    Coin coin = (Coin) told.at(told.find("coin"));
    Lobby list = told.lists.getFirst();
    byte[] signature = Hashes.ofHex("", coin.signature(), Drand.SIGNATURE_BYTES);
    byte[] seed = Hashes.ofHex("", drawn.seed(), 32);
    return Order.of(list, Order.key(seed, list.root(), Drand.randomness(signature)));
  }

  @Test
  void untouched_agreesInRootsReceiptsAndOrder() throws Exception {
    NodeLibrary.need("@noble/curves");
    Told told = told();
    Path export = told.export(folder.resolve("export.gz"));
    List<String> arguments = new ArrayList<>(List.of(export.toString()));
    for (int size : new int[] {3, 300, told.records.size()}) {
      Path file = folder.resolve("receipt" + size + ".json");
      Files.writeString(file, told.receipt(people.getFirst(), size, 5).write());
      arguments.add(file.toString());
    }

    Run run = run(SCRIPT, arguments);

    assertThat(run.exit).as(run.text).isZero();
    JsonNode last = run.last();
    assertThat(last.get("root").asString()).isEqualTo(Hashes.hex(told.tree().root()));
    assertThat(last.get("receipts").asInt()).isEqualTo(3);
    JsonNode draw = last.get("draws").get(0);
    assertThat(draw.get("coin").asString()).isEqualTo("checked");
    Order order = orderOf(told);
    String drawn =
        IntStream.range(0, order.count())
            .mapToObj(rank -> Long.toString(order.joinedAt(rank)))
            .collect(Collectors.joining("\n"));
    assertThat(draw.get("order").asString())
        .isEqualTo(Hashes.hex(Hashes.sha256(Hashes.utf8(drawn))));
  }

  @Test
  void changed_isFound() throws Exception {
    NodeLibrary.need("@noble/curves");
    Told told = told();
    Told other = told.copy();
    other.records.remove(9);
    assertFound(other, "removed");
    other = told.copy();
    other.change(
        other.find("coin"),
        event ->
            event instanceof Coin c
                ? new Coin(
                    c.change(),
                    c.at(),
                    c.number(),
                    c.round(),
                    Hashes.hex(new TestChain("forger").sign(c.round())))
                : event);
    assertFound(other.sign(), "coin-forged");
    other = told.copy();
    other.change(
        other.find("draw"),
        event ->
            event instanceof Drawn d
                ? new Drawn(d.change(), d.at(), d.number(), d.draw(), "ab".repeat(32))
                : event);
    assertFound(other, "changed");
    assertFound(other.sign(), "seed-changed", "drawn-otherwise");
    other = told.copy();
    Lobby list = other.lists.getFirst();
    var fewer = new Lobby();
    for (int i = 1; i < list.count(); i++) {
      fewer.add(list.joined(i), list.lane(i), list.leaf(i));
    }
    other.lists.set(0, fewer);
    assertFound(other, "sealed-otherwise");
  }

  private void assertFound(Told told, String... names) throws Exception {
    Path export = told.export(folder.resolve("changed.gz"));

    Run run = run(SCRIPT, List.of(export.toString()));

    assertThat(run.exit).as(run.text).isEqualTo(1);
    for (String name : names) {
      assertThat(run.text).contains("found: " + name);
    }
  }

  @Test
  void receiptChanged_isFound() throws Exception {
    Told told = told();
    Path export = told.export(folder.resolve("export.gz"));
    Path file = folder.resolve("receipt.json");
    String receipt = told.receipt(people.getFirst(), 300, 5).write();
    Files.writeString(file, receipt.replace("u:나루 0", "u:나루 1"));

    Run run = run(SCRIPT, List.of(export.toString(), file.toString()));

    assertThat(run.exit).isEqualTo(1);
    assertThat(run.text).contains("the record is not of this entry");
  }

  @Test
  void withoutTheLibrary_saysWhatItDidNotCheck() throws Exception {
    Path alone = Files.copy(SCRIPT, folder.resolve("fair-check.mjs"));
    Path export = told().export(folder.resolve("export.gz"));

    Run run = run(alone, List.of(export.toString()));

    assertThat(run.exit).as(run.text).isZero();
    assertThat(run.text).contains("coin not checked: @noble/curves is not installed");
  }

  @Test
  void whatIsNoExport_isRefused() throws Exception {
    Path file = folder.resolve("none.gz");
    Files.writeString(file, "nothing");

    assertThat(run(SCRIPT, List.of(file.toString())).exit).isEqualTo(2);
    assertThat(run(SCRIPT, List.of()).exit).isEqualTo(2);
    Path export = told().export(folder.resolve("export.gz"));
    byte[] bytes = Files.readAllBytes(export);
    Files.write(file, Arrays.copyOf(bytes, bytes.length / 2));
    assertThat(run(SCRIPT, List.of(file.toString())).exit).isEqualTo(2);
  }

  /** The manual says how to run it. */
  @Test
  void manual_namesTheScript() throws IOException {
    assertThat(Files.readString(Path.of("..", "docs", "fair.md"), UTF_8))
        .contains("node docs/fair-check.mjs", "@noble/curves");
  }
}
