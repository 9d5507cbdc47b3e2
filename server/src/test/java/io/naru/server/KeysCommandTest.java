package io.naru.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code naru keys} against a server that runs, and what it says if that cannot be. */
class KeysCommandTest {

  @TempDir private Path data;
  private TestServer server;

  private record Run(int exit, String out, String err) {

    List<String> rows() {
      return out.lines().skip(1).toList();
    }

    String kid(String state) {
      String row =
          rows().stream().filter(r -> r.contains(" " + state + " ")).findFirst().orElseThrow();
      return row.substring(0, row.indexOf(' '));
    }
  }

  @BeforeEach
  void start() {
    server = TestServer.onMemory(data);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private Run keys(String... args) {
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
        new CommandLine(new KeysCommand())
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err))
            .execute(args);
    return new Run(exit, out.toString(), err.toString());
  }

  @Test
  void list_showsEveryKeyAndItsState() {
    Run list = keys("list");

    assertThat(list.exit).as(list.err).isZero();
    assertThat(list.out).startsWith("KID ");
    assertThat(list.rows()).hasSize(2);
    assertThat(list.kid("NEXT")).hasSize(43).isNotEqualTo(list.kid("IN_USE"));
  }

  @Test
  void rotate_theNextIsInUse() {
    Run before = keys("list");

    Run after = keys("rotate");

    assertThat(after.exit).as(after.err).isZero();
    assertThat(after.kid("IN_USE")).isEqualTo(before.kid("NEXT"));
    assertThat(after.kid("RETIRED")).isEqualTo(before.kid("IN_USE"));
    assertThat(keys("list").out).isEqualTo(after.out);
  }

  @Test
  void revoke_theKey_isRevoked() {
    String leaked = keys("list").kid("IN_USE");

    Run revoked = keys("revoke", leaked);

    assertThat(revoked.exit).as(revoked.err).isZero();
    assertThat(revoked.kid("REVOKED")).isEqualTo(leaked);
  }

  @Test
  void pem_anIdThatBeginsWithADash_isTakenForOneBehindTwo() {
    String url = "http://127.0.0.1:" + server.port();

    Run pem = run("pem", "--url", url, "--admin-key", TestServer.KEY, "--", "-" + "a".repeat(42));

    assertThat(pem.err).contains("there is no such key");
  }

  @Test
  void pem_ofAKey_isThatKey() throws Exception {
    Run pem = keys("pem", keys("list").kid("IN_USE"));

    assertThat(pem.exit).as(pem.err).isZero();
    assertThat(pem.out).startsWith("-----BEGIN PUBLIC KEY-----\n").endsWith("KEY-----\n");
    byte[] der = Base64.getMimeDecoder().decode(pem.out.replaceAll("-----.*-----", ""));
    assertThat(KeyFactory.getInstance("EC").generatePublic(new X509EncodedKeySpec(der)))
        .isNotNull();
  }

  @Test
  void adminKey_notGiven_isThatOfTheDataDirectory(@TempDir Path kept) throws IOException {
    Files.writeString(kept.resolve("admin-key"), TestServer.KEY + "\n");

    Run list = run("list", "--url", "http://127.0.0.1:" + server.port() + "/", "--data", "" + kept);

    assertThat(list.exit).as(list.err).isZero();
  }

  @Test
  void adminKey_inAFile_isTakenFromThereWithoutAWord(@TempDir Path folder) throws IOException {
    Path file = Files.createTempFile(folder, "key", "");
    Files.writeString(file, TestServer.KEY + "\n");
    String url = "http://127.0.0.1:" + server.port();

    Run list = run("list", "--url", url, "--admin-key-file", file.toString());

    assertThat(list.exit).as(list.err).isZero();
    assertThat(list.err).isEmpty();
    assertThat(keys("list").err).contains("--admin-key on the command line", "--admin-key-file");
    assertFails(
        run("list", "--url", url, "--admin-key-file", folder + "/none"), "--admin-key-file: ");
    assertFails(keys("list", "--admin-key-file", file.toString()), "not both");
  }

  @Test
  void failures_areSaidClearly() {
    String url = "http://127.0.0.1:" + server.port();
    assertFails(run("list", "--url", url, "--admin-key", "wrong"), "--admin-key: ");
    assertFails(run("list", "--url", url, "--data", data.resolve("none") + ""), "--admin-key: ");
    assertFails(run("list", "--url", "http://127.0.0.1:1", "--admin-key", "x"), "--url: ");
    assertFails(run("list", "--url", "nonsense", "--admin-key", "x"), "--url");
    assertFails(keys("revoke", "unknown"), "no such key");
    assertFails(keys("revoke", "a\"b"), "KID: ");
    assertFails(keys("revoke"), "KID");
    assertFails(keys("pem", "unknown"), "no such key");
    assertFails(keys("pem", "a\"b"), "KID: ");
    assertFails(run(), "list, rotate, revoke KID or pem KID");
  }

  private static void assertFails(Run run, String message) {
    assertThat(run.exit).as(run.err).isEqualTo(2);
    assertThat(run.err).contains(message).doesNotContain("Exception", "\tat ");
  }
}
