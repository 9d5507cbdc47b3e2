package io.naru.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerProcessTest {

  @TempDir private Path dir;

  /** Prints what a server prints, or ends with code 2 on a wrong option. */
  static final class Printer {
    public static void main(String[] args) throws InterruptedException {
      if (List.of(args).contains("--wrong")) {
        System.err.println("--wrong is no option");
        System.exit(2);
      }
      System.out.println("Line: redis://127.0.0.1:6379");
      System.out.println("Metrics at http://127.0.0.1:4002/metrics");
      System.out.println("Naru listens on http://127.0.0.1:4001 " + String.join(" ", args));
      Thread.sleep(60_000);
    }
  }

  @Test
  void start_printedAddresses_areRead() throws IOException {
    try (var server = ServerProcess.start(jar(), List.of("-Xmx32m"), List.of("--redis", "x"))) {
      assertThat(server.port()).isEqualTo(4001);
      assertThat(server.managementPort()).isEqualTo(4002);
      assertThat(server.log()).endsWith("up --port 0 --management-port 0 --redis x");
      assertThat(server.terminate()).isEqualTo(143);
    }
  }

  @Test
  void start_anotherMainClass_runsInItsPlace() throws IOException {
    var name = Printer.class.getName();
    try (var server =
        ServerProcess.start(List.of(jar()), name, List.of("-Xmx32m"), List.of("--redis", "x"))) {
      assertThat(server.port()).isEqualTo(4001);
      assertThat(server.log()).endsWith("up --port 0 --management-port 0 --redis x");
    }
  }

  @Test
  void freeze_thenKill_ends() throws IOException {
    try (var server = ServerProcess.start(jar(), List.of("-Xmx32m"), List.of())) {
      server.freeze();
      assertThat(server.isAlive()).isTrue();
      server.thaw();
      server.freeze();
      server.kill();
      assertThat(server.isAlive()).isFalse();
    }
  }

  @Test
  void start_endsAtOnce_saysCodeAndReason() throws IOException {
    var jar = jar();
    assertThatThrownBy(() -> ServerProcess.start(jar, List.of(), List.of("--wrong")))
        .hasMessageContainingAll("code 2", "--wrong is no option");
    try (var server = ServerProcess.launch(jar, List.of(), List.of("--wrong"))) {
      assertThat(server.exitCode()).isEqualTo(2);
    }
  }

  private Path jar() throws IOException {
    var manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, Printer.class.getName());
    var jar = dir.resolve("printer.jar");
    var name = Printer.class.getName().replace('.', '/') + ".class";
    try (var out = new JarOutputStream(Files.newOutputStream(jar), manifest);
        var in = Printer.class.getClassLoader().getResourceAsStream(name)) {
      assertThat(in).isNotNull();
      out.putNextEntry(new JarEntry(name));
      in.transferTo(out);
    }
    return jar;
  }
}
