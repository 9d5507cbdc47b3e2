package io.naru.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.naru.server.admission.Scheduler;
import io.naru.server.keys.SecretFiles;
import io.naru.server.keys.SigningKeys;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** How a server is configured, and what it says if that cannot be. */
class UpCommandTest {

  @TempDir private Path temp;
  private final Map<String, String> environment = new HashMap<>();
  private ServerSocket taken;

  private record Run(int exit, String out, String err) {}

  @BeforeEach
  void setUp() throws IOException {
    environment.put("NARU_DATA", temp.resolve("data").toString());
    environment.put("NARU_PORT", "0");
    // A server that starts would not come back. With this none does, whatever else is right.
    taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    environment.put("NARU_MANAGEMENT_PORT", "" + taken.getLocalPort());
  }

  @AfterEach
  void giveBack() throws IOException {
    taken.close();
  }

  private Run up(String... args) {
    var out = new StringWriter();
    var err = new StringWriter();
    var command =
        new CommandLine(new UpCommand())
            .setDefaultValueProvider(new Defaults(environment, file()))
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err));
    int exit =
        Assertions.assertTimeoutPreemptively(
            Duration.ofSeconds(30), () -> command.execute(args), () -> "did not end: " + err);
    return new Run(exit, out.toString(), err.toString());
  }

  private Path file() {
    return temp.resolve("naru.yaml");
  }

  private void write(String yaml) throws IOException {
    Files.writeString(file(), yaml);
  }

  // --- where options come from

  static Stream<Arguments> badValues() {
    return Stream.of(
        Arguments.of("--port", "70000", "--port: must be 0..65535, is 70000"),
        Arguments.of("--port", "http", "--port"),
        Arguments.of("--management-port", "-1", "--management-port: must be 0..65535, is -1"),
        Arguments.of("--management-bind", "192.0.2.1", "--management-bind: cannot listen on 192"),
        Arguments.of("--log-format", "xml", "--log-format: must be text or json, is xml"),
        Arguments.of("--log-format", "", "--log-format: must be text or json, is "),
        Arguments.of("--bind", "192.0.2.1", "--bind: cannot listen on 192.0.2.1"),
        Arguments.of("--redis", "redis://127.0.0.1:1", "--redis: cannot connect"),
        Arguments.of("--redis", "localhost", "--redis: cannot connect"),
        Arguments.of("--redis", "", "--redis: cannot connect"),
        Arguments.of("--ledger", "", "--ledger: '' is not a ledger Naru knows"),
        Arguments.of("--ledger", "redis://127.0.0.1", "--ledger: 'redis://127.0.0.1' is not a"),
        Arguments.of("--ledger", "jdbc:h2:mem:x", "jdbc:mariadb://HOST/DATABASE or none"),
        Arguments.of("--ledger", "jdbc:postgresql://127.0.0.1:1/x", "--ledger: cannot be opened"),
        Arguments.of("--unsafe", "perhaps", "--unsafe"),
        Arguments.of("--admin-key", "", "--admin-key: must not be empty"),
        Arguments.of("--admin-key", "  ", "--admin-key: must not be empty"),
        Arguments.of("--admin-key", "x", "--admin-key: must have at least 16 characters"),
        Arguments.of("--admin-key", "fifteen-letters", "--admin-key: must have at least 16"),
        Arguments.of("--admin-key-file", "/none/key", "--admin-key-file: there is no file /none/"),
        Arguments.of("--admin-key-file", "/", "--admin-key-file: cannot read /"),
        Arguments.of("--ledger-password-file", "/none", "--ledger-password-file: there is no"),
        Arguments.of("--trusted-proxies", "10/8", "--trusted-proxies: "),
        Arguments.of("--trusted-proxies", "everybody", "--trusted-proxies: "),
        Arguments.of("--site-issuer", "https://shop", "--site-audience: "),
        Arguments.of("--site-audience", "naru", "--site-issuer: "),
        Arguments.of("--site-jwks", "keys.json", "--site-issuer: "),
        Arguments.of("--verifier-site-key", "x", "--verifier-url: goes together with"),
        Arguments.of("--site-secret-file", "/none", "--site-secret-file: there is no file /none"),
        Arguments.of("--site-cookie", "shop", "--site-cookie: means nothing without --site-issuer"),
        Arguments.of("--site-lane-claim", "tier", "--site-lane-claim: means nothing without"),
        Arguments.of("--bind", "0.0.0.0", "--bind: "),
        Arguments.of("--bind", "::", "give --public-url"),
        Arguments.of("--public-url", "queue.example", "--public-url: must begin with http"),
        Arguments.of("--public-url", "ftp://queue.example", "--public-url: must begin with http"),
        Arguments.of("--public-url", "http://[", "--public-url"),
        Arguments.of("--public-url", "https:queue.example", "--public-url: must name a host"),
        Arguments.of("--public-url", "https://x/?a=b", "--public-url: must have no user, no query"),
        Arguments.of("--public-url", "https://x/#a", "--public-url: must have no user, no query"),
        Arguments.of("--public-url", "https://a@x", "--public-url: must have no user, no query"),
        Arguments.of("--public-url", "http://x/" + "y".repeat(500), "--public-url: must have"),
        Arguments.of("--allowed-origins", "shop.example", "--allowed-origins: "),
        Arguments.of("--pass-algorithm", "HS256", "--pass-algorithm: must be ES256 or EdDSA"),
        Arguments.of("--pass-algorithm", "none", "--pass-algorithm: must be ES256 or EdDSA"),
        Arguments.of("--key-max-age", "30", "--key-max-age: must be hours or days"),
        Arguments.of("--key-max-age", "-1d", "--key-max-age: must be hours or days"),
        Arguments.of("--key-max-age", "0h", "--key-max-age: "),
        Arguments.of("--key-max-age", "99999d", "--key-max-age: "),
        Arguments.of("--max-streams", "0", "--max-streams: "),
        Arguments.of("--max-streams-per-address", "-1", "--max-streams-per-address: "),
        Arguments.of("--new-visitors-per-address", "-1", "--new-visitors-per-address: "),
        Arguments.of("--webhook-allow", "10/8", "--webhook-allow: "),
        Arguments.of("--webhook-too-long", "0", "--webhook-too-long: "),
        Arguments.of("--new-visitors-per-network", "x", "--new-visitors-per-network"));
  }

  @ParameterizedTest
  @MethodSource("badValues")
  void option_bad_exits2AndIsNamed(String option, String value, String complaint)
      throws IOException {
    for (Run run : fromEverywhere(option, value)) {
      assertThat(run.exit).as(run.err).isEqualTo(2);
      assertThat(run.err).contains(complaint);
      assertThat(run.err).as("no stack trace").doesNotContain("\tat ");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "User Id", "User_Id", "User-Id:", "é", "cookie", "X-Forwarded-For"})
  void userHeader_notANameForOne_exits2AndIsNamed(String name) {
    environment.put("NARU_TRUSTED_PROXIES", "127.0.0.1");

    Run run = up("--user-header", name);

    assertThat(run.exit).isEqualTo(2);
    assertThat(run.err).contains("--user-header: ");
  }

  @Test
  void siteTokens_incompleteOrWrong_areNamed() {
    environment.put("NARU_SITE_ISSUER", "https://shop.example");
    environment.put("NARU_SITE_AUDIENCE", "naru");
    assertThat(up().err).contains("--site-jwks: ", "--site-secret-file instead");
    assertThat(up("--site-jwks", "/none.json").err).contains("--site-jwks: ", "cannot be read");
    assertThat(up("--site-jwks", "https://a:b@shop.example/").err).contains("--site-jwks: ");
    assertThat(up("--site-secret", "short").err).contains("--site-secret: ", "32 bytes");
    environment.put("NARU_SITE_SECRET", "a-secret-of-the-shop-of-32-bytes!");
    assertThat(up("--site-jwks", "keys.json").err).contains("--site-jwks: ", "must not be given");
    assertThat(up("--site-cookie", "naru-pass").err).contains("--site-cookie: ");
    assertThat(up("--site-user-claim", " ").err).contains("--site-user-claim: ");
  }

  private List<Run> fromEverywhere(String option, String value) throws IOException {
    String key = option.substring(2);
    String variable = "NARU_" + key.toUpperCase(Locale.ROOT).replace('-', '_');
    Run fromCommandLine = up(option, value);
    environment.put(variable, value);
    Run fromEnvironment = up();
    environment.remove(variable);
    write(key + ": '" + value + "'\n");
    return List.of(fromCommandLine, fromEnvironment, up());
  }

  @Test
  void option_commandLineFirst_thenEnvironment_thenFile() throws IOException {
    environment.remove("NARU_PORT");
    write("port: 70003\n");
    assertThat(up().err).contains("is 70003");
    environment.put("NARU_PORT", "70002");
    assertThat(up().err).contains("is 70002");
    assertThat(up("--port", "70001").err).contains("is 70001");
  }

  @Test
  void everyOption_hasAVariableAndAKey() throws Exception {
    var command = new CommandLine(new UpCommand());
    var options =
        command.getCommandSpec().options().stream()
            .filter(option -> !option.usageHelp() && !option.versionHelp())
            .toList();
    assertThat(options)
        .extracting(option -> option.longestName())
        .containsExactlyInAnyOrder(
            "--port",
            "--bind",
            "--data",
            "--redis",
            "--ledger",
            "--ledger-user",
            "--ledger-password",
            "--ledger-password-file",
            "--unsafe",
            "--admin-key",
            "--admin-key-file",
            "--site-key",
            "--site-key-file",
            "--trusted-proxies",
            "--user-header",
            "--site-issuer",
            "--site-audience",
            "--site-jwks",
            "--site-secret",
            "--site-secret-file",
            "--verifier-url",
            "--verifier-secret",
            "--verifier-secret-file",
            "--verifier-site-key",
            "--verifier-script",
            "--verifier-origins",
            "--coin-relays",
            "--kafka",
            "--kafka-topic",
            "--kafka-commands",
            "--kafka-properties",
            "--events-kept",
            "--events-kept-changes",
            "--webhook-allow",
            "--webhook-too-long",
            "--site-cookie",
            "--site-user-claim",
            "--site-lane-claim",
            "--management-port",
            "--management-bind",
            "--log-format",
            "--metrics-queues",
            "--public-url",
            "--allowed-origins",
            "--max-streams",
            "--max-streams-per-address",
            "--new-visitors-per-address",
            "--new-visitors-per-network",
            "--pass-algorithm",
            "--key-max-age");
    for (var option : options) {
      String key = option.longestName().substring(2);
      String variable = "NARU_" + key.toUpperCase(Locale.ROOT).replace('-', '_');
      write(key + ": from the file\n");
      assertThat(new Defaults(Map.of(), file()).defaultValue(option)).isEqualTo("from the file");
      assertThat(new Defaults(Map.of(variable, "from outside"), file()).defaultValue(option))
          .isEqualTo("from outside");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"0123", "1e5", "yes", "null", "~", "0x10", "2026-01-01", "1_000"})
  void file_values_areTakenAsTheyAreWritten(String value) throws Exception {
    write("admin-key: " + value + "\n");
    var option = new CommandLine(new UpCommand()).getCommandSpec().findOption("--admin-key");

    assertThat(new Defaults(Map.of(), file()).defaultValue(option)).isEqualTo(value);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "colour: red\n",
        "Port: 1\n",
        "port: 0\nport: 1\n",
        "help: true\n",
        "- port\n",
        "port\n",
        "port: 0: 1\n",
        "port: [1, 2]\n",
        "port: {a: 1}\n",
        "!!javax.script.ScriptEngineManager []\n",
        "admin-key:\n"
      })
  void file_bad_exits2AndSaysWhy(String yaml) throws IOException {
    write(yaml);

    Run run = up();

    assertThat(run.exit).as(run.err).isEqualTo(2);
    assertThat(run.err).containsAnyOf("naru.yaml", "--admin-key: must not be empty");
  }

  @Test
  void file_empty_isFine() throws IOException {
    write("# nothing yet\n");

    assertThat(up("--port", "70000").err).contains("is 70000");
  }

  @ParameterizedTest
  @ValueSource(strings = {"--colour=red", "-p", "extra"})
  void option_unknown_exits2AndIsNamed(String option) {
    Run run = up(option);

    assertThat(run.exit).isEqualTo(2);
    assertThat(run.err).contains(option.replaceFirst("=.*", ""));
  }

  @Test
  void help_exits0AndListsAllOptions() {
    Run run = up("--help");

    assertThat(run.exit).isZero();
    for (var option : new CommandLine(new UpCommand()).getCommandSpec().options()) {
      assertThat(run.out).contains(option.longestName());
    }
    assertThat(run.out).contains("NARU_PORT", "naru.yaml");
  }

  // --- secrets in files

  @ParameterizedTest
  @ValueSource(strings = {"--admin-key", "--ledger-password"})
  void secretFile_unusable_exits2AndIsNamed(String option) throws IOException {
    Path secret = temp.resolve("secret-file");

    Files.writeString(secret, " \n");
    assertThat(up(option + "-file", secret.toString()).err)
        .contains(option + "-file: " + secret + " is empty");
    Files.writeString(secret, "one-line-of-a-secret\nand another\n");
    assertThat(up(option + "-file", secret.toString()).err)
        .contains(option + "-file: " + secret + " has more than one line");
    assertThat(up(option + "-file", secret.toString(), option, "the-secret-itself").err)
        .contains(option + "-file: give this or " + option + ", not both");
  }

  @Test
  void adminKeyFile_keyTooShort_exits2AndIsNamed() throws IOException {
    Path secret = Files.writeString(temp.resolve("secret-file"), "short\n");

    Run run = up("--admin-key-file", secret.toString());

    assertThat(run.exit).isEqualTo(2);
    assertThat(run.err).contains("--admin-key-file: must have at least 16").doesNotContain("short");
  }

  // --- what is in the way

  @ParameterizedTest
  @ValueSource(strings = {"--port", "--management-port"})
  void port_taken_exits2AndIsNamed(String option) {
    Run run = up(option, "" + taken.getLocalPort());

    assertThat(run.exit).as(run.err).isEqualTo(2);
    assertThat(run.err)
        .contains(option + ": cannot listen on 127.0.0.1 port " + taken.getLocalPort());
  }

  @Test
  void data_isAFile_exits2AndIsNamed() throws IOException {
    Path file = Files.writeString(temp.resolve("file"), "");

    Run run = up("--data", file.toString());

    assertThat(run.exit).as(run.err).isEqualTo(2);
    assertThat(run.err).contains("--data: cannot keep " + file);
  }

  @Test
  void redis_silent_givesUpAndExits2() throws IOException {
    try (var silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      String address = "127.0.0.1:" + silent.getLocalPort();
      for (String uri :
          List.of(
              "redis://" + address,
              "redis-cluster://" + address,
              "redis-sentinel://" + address + "/0#naru")) {
        givesUpOn(uri);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "redis://127.0.0.1:1",
        "redis-cluster://127.0.0.1:1,127.0.0.1:2",
        "redis-sentinel://127.0.0.1:1,127.0.0.1:2/0#naru"
      })
  void redis_unreachable_givesUpAndExits2(String uri) {
    givesUpOn(uri);
  }

  private void givesUpOn(String uri) {
    Run run = up("--redis", uri);

    assertThat(run.exit).as(run.err).isEqualTo(2);
    assertThat(run.err).contains("--redis: cannot connect");
  }

  // --- the admin key

  @Test
  void adminKey_notGiven_isMadeOnceForItsOwnerOnly() throws IOException {
    Path data = temp.resolve("new/data");
    String first = keyOfAStart(data);
    Path file = data.resolve("admin-key");

    assertThat(first).hasSizeGreaterThanOrEqualTo(32);
    assertThat(Files.getPosixFilePermissions(file))
        .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    assertThat(Files.getPosixFilePermissions(data.resolve("secret")))
        .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    assertThat(keyOfAStart(data)).isEqualTo(first);
    try (var left = Files.list(data)) {
      assertThat(left)
          .containsExactlyInAnyOrder(
              file, data.resolve("site-key"), data.resolve("secret"), data.resolve("signing-keys"));
    }
  }

  private static String keyOfAStart(Path data) throws IOException {
    var config =
        new Naru.Config(
            0,
            "127.0.0.1",
            data,
            null,
            null,
            null,
            null,
            Naru.Visitors.DEFAULT,
            Naru.Watching.ANY_PORT,
            Scheduler.POLL,
            SigningKeys.Policy.DEFAULT);
    try (var naru = Naru.start(config);
        var client = new Client(naru.port())) {
      String key = Files.readString(data.resolve("admin-key")).strip();
      client.get("/admin/queues", "Authorization", "Bearer " + key).is(200);
      client.get("/admin/queues", "Authorization", "Bearer x").isProblem(401, "unauthorized");
      return key;
    }
  }

  @Test
  void adminKey_keptFileEmpty_isNotAKey() throws IOException {
    Path data = Files.createDirectories(temp.resolve("data"));
    Files.writeString(data.resolve("admin-key"), "\n");

    Run run = up();

    assertThat(run.exit).isEqualTo(2);
    assertThat(run.err).contains("--data: ", "admin-key", "is empty");
  }

  @Test
  void keptSecret_severalServersAtOnce_agree() throws Exception {
    Path data = temp.resolve("shared");
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var values =
          IntStream.range(0, 16)
              .mapToObj(_ -> threads.submit(() -> new SecretFiles(data).get("secret")))
              .toList();
      String first = values.getFirst().get();
      for (var value : values) {
        assertThat(value.get()).isEqualTo(first);
      }
    }
    assertThatThrownBy(() -> new SecretFiles(Path.of("/proc/naru")).get("secret"))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("--data: cannot keep");
  }
}
