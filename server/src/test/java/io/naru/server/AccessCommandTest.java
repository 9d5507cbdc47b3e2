package io.naru.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code naru access} against a server that runs, and what it says if that cannot be. */
class AccessCommandTest {

  @TempDir private static Path data;
  private static TestServer server;

  private record Run(int exit, String out, String err) {

    String row(String name) {
      return out.lines().filter(line -> line.contains(" " + name + " ")).findFirst().orElse("");
    }
  }

  @BeforeAll
  static void start() {
    server = TestServer.onMemory(data);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static Run access(String... args) {
    return run(
        Stream.concat(
                Stream.of(args),
                Stream.of(
                    "--url", "http://127.0.0.1:" + server.port(), "--admin-key", TestServer.KEY))
            .toArray(String[]::new));
  }

  private static Run run(String... args) {
    var out = new StringWriter();
    var err = new StringWriter();
    int exit =
        new CommandLine(new AccessCommand())
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err))
            .execute(args);
    return new Run(exit, out.toString(), err.toString());
  }

  @Test
  void key_isMadeListedAndRevoked() {
    Run added =
        access(
            "add",
            "desk-2",
            "--role",
            "operator",
            "--queues",
            "SALE/1,CONCERT/*",
            "--expires",
            "2099-01-31T18:00:00+09:00");
    assertThat(added.exit).as(added.err).isZero();
    String key = added.out.strip();
    server.with(key, "GET", "/admin/queues", "").is(200);

    String row = access("list").row("desk-2");
    assertThat(row)
        .contains("operator", "until 2099-01-31T09:00:00Z", "CONCERT/* SALE/1")
        .doesNotContain(key);
    String id = row.substring(0, row.indexOf(' '));
    assertThat(added.err).contains(id);
    Run revoked = access("revoke", id);

    assertThat(revoked.exit).as(revoked.err).isZero();
    assertThat(access("list").row("desk-2")).contains("revoked");
    server.with(key, "GET", "/admin/queues", "").isProblem(401, "unauthorized");
  }

  @Test
  void list_ofMoreThanAPage_hasAll() {
    for (int i = 0; i < 101; i++) {
      String body = "{\"name\":\"many-%d\",\"role\":\"viewer\"}".formatted(i);
      server.admin("POST", "/admin/access-keys", body).is(201);
    }

    Run list = access("list");

    assertThat(List.of(list.row("many-0"), list.row("many-100")))
        .allSatisfy(row -> assertThat(row).contains("viewer", "good", "all"));
  }

  @Test
  void failures_areSaidClearly() {
    String url = "http://127.0.0.1:" + server.port();
    assertFails(run("list", "--url", url, "--admin-key", "wrong"), "--admin-key: ");
    assertFails(run("list", "--url", "http://127.0.0.1:1", "--admin-key", "x"), "--url: ");
    String viewer = access("add", "looker", "--role", "viewer").out.strip();
    assertFails(
        run("list", "--url", url, "--admin-key", viewer),
        "--admin-key: this call needs a key with");
    assertFails(access("add", "x", "--role", "root"), "role is not a role");
    assertFails(access("add", "x\"y", "--role", "viewer"), "name is missing or is not one");
    assertFails(access("add", "x"), "--role");
    assertFails(access("revoke", "0123"), "no such key");
    assertFails(access("revoke", "../keys"), "ID: ");
    assertFails(run(), "list, add NAME or revoke ID");
  }

  private static void assertFails(Run run, String message) {
    assertThat(run.exit).as(run.err).isEqualTo(2);
    assertThat(run.err).contains(message).doesNotContain("Exception", "\tat ");
  }
}
