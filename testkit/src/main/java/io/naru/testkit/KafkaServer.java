package io.naru.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/**
 * A Kafka of our own: one node that is broker and controller (KRaft), on free loopback ports and
 * nowhere else. It is a process, so that tests may kill it, and it ends with this JVM.
 */
public final class KafkaServer implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Written by the build: the broker has libraries of its own, which nobody else should see. */
  private static final String CLASSPATH = "/io/naru/testkit/kafka.classpath";

  private final Path dir;
  private final int port;
  private final List<String> command;
  private Process process;

  private KafkaServer(Path dir, int port, List<String> command, Process process) {
    this.dir = dir;
    this.port = port;
    this.command = command;
    this.process = process;
  }

  /** Starts a Kafka with these settings beside the usual ones, and returns once it listens. */
  public static KafkaServer start(Map<String, String> settings) {
    int port = Tether.freePort();
    int controller = Tether.freePort();
    try {
      Path dir = Files.createTempDirectory("naru-kafka-");
      Map<String, String> all = new TreeMap<>();
      all.put("process.roles", "broker,controller");
      all.put("node.id", "1");
      all.put("controller.quorum.voters", "1@127.0.0.1:" + controller);
      all.put(
          "listeners", "PLAINTEXT://127.0.0.1:" + port + ",CONTROLLER://127.0.0.1:" + controller);
      all.put("advertised.listeners", "PLAINTEXT://127.0.0.1:" + port);
      all.put("controller.listener.names", "CONTROLLER");
      all.put(
          "listener.security.protocol.map",
          "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SASL_SSL:SASL_SSL");
      all.put("log.dirs", dir.resolve("data").toString());
      all.put("num.partitions", "3");
      all.put("offsets.topic.num.partitions", "1");
      all.put("offsets.topic.replication.factor", "1");
      all.put("transaction.state.log.num.partitions", "1");
      all.put("transaction.state.log.replication.factor", "1");
      all.put("transaction.state.log.min.isr", "1");
      all.put("group.initial.rebalance.delay.ms", "0");
      all.put("auto.create.topics.enable", "false");
      settings.forEach(
          (name, value) ->
              all.put(
                  name,
                  value.replace("{port}", "" + port).replace("{controller}", "" + controller)));
      Path file = dir.resolve("server.properties");
      List<String> lines = new ArrayList<>();
      all.forEach((name, value) -> lines.add(name + "=" + value));
      Files.write(file, lines);
      Path log4j = dir.resolve("log4j2.yaml");
      Files.writeString(
          log4j,
          """
          Configuration:
            status: error
            Appenders:
              Console:
                name: out
                PatternLayout: {pattern: "%d %p %c %m%n"}
            Loggers:
              Root:
                level: warn
                AppenderRef: {ref: out}
          """);
      List<String> java = new ArrayList<>();
      java.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      java.addAll(
          List.of(
              "-Xmx384m",
              "-XX:+UseSerialGC",
              "-XX:TieredStopAtLevel=1",
              "-Dlog4j2.configurationFile=" + log4j,
              "-cp",
              classpath()));
      format(java, file, dir);
      List<String> command = new ArrayList<>(java);
      command.addAll(List.of("kafka.Kafka", file.toString()));
      var server = new KafkaServer(dir, port, command, spawn(command, dir));
      try {
        server.awaitAnswer();
      } catch (RuntimeException e) {
        server.close();
        throw e;
      }
      return server;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start Kafka", e);
    }
  }

  public static KafkaServer start() {
    return start(Map.of());
  }

  /** One server for all tests of this JVM that leave it alone; each takes topics of its own. */
  public static KafkaServer shared() {
    Tether.allow();
    return Shared.SERVER;
  }

  private static final class Shared {
    static final KafkaServer SERVER = start();

    static {
      Runtime.getRuntime().addShutdownHook(new Thread(SERVER::close));
    }
  }

  /**
   * Starts one that speaks TLS, wants to know who asks, and lets nobody do anything but {@code
   * admin}: others are let in with their name as the password, {@code naru} among them.
   *
   * @param certificate which it shows
   */
  public static KafkaServer startSecured(Certificate certificate) {
    String login = "org.apache.kafka.common.security.plain.PlainLoginModule required ";
    Map<String, String> settings =
        Map.of(
            "listeners", "SASL_SSL://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}",
            "advertised.listeners", "SASL_SSL://127.0.0.1:{port}",
            "inter.broker.listener.name", "SASL_SSL",
            "sasl.enabled.mechanisms", "PLAIN",
            "sasl.mechanism.inter.broker.protocol", "PLAIN",
            "listener.name.sasl_ssl.plain.sasl.jaas.config",
                login
                    + "username=\"admin\" password=\"admin\" user_admin=\"admin\" user_naru=\"naru\";",
            "authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
            "super.users", "User:admin;User:ANONYMOUS",
            "ssl.keystore.type", "PEM",
            "ssl.keystore.location", certificate.withKey().toString());
    Map<String, String> all = new TreeMap<>(settings);
    all.putAll(trust(certificate));
    return start(all);
  }

  /** Whoever shows that certificate is trusted, and nobody else. */
  private static Map<String, String> trust(Certificate certificate) {
    return Map.of(
        "ssl.truststore.type",
        "PEM",
        "ssl.truststore.location",
        certificate.certificate().toString());
  }

  /** What clients of a secured one say of themselves, and whom they trust. */
  public static Map<String, String> properties(String user, Certificate certificate) {
    Map<String, String> all = new TreeMap<>(trust(certificate));
    all.putAll(login(user));
    return all;
  }

  private static Map<String, String> login(String user) {
    return Map.of(
        "security.protocol",
        "SASL_SSL",
        "sasl.mechanism",
        "PLAIN",
        "sasl.jaas.config",
        "org.apache.kafka.common.security.plain.PlainLoginModule required username=\""
            + user
            + "\" password=\""
            + user
            + "\";");
  }

  private static String classpath() throws IOException {
    try (InputStream in = KafkaServer.class.getResourceAsStream(CLASSPATH)) {
      if (in == null) {
        throw new IllegalStateException(CLASSPATH + " is missing: build testkit anew");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
    }
  }

  /** Storage has to be made before the first start. */
  private static void format(List<String> java, Path file, Path dir) throws IOException {
    List<String> command = new ArrayList<>(java);
    UUID id = UUID.randomUUID();
    byte[] bytes = new byte[16];
    ByteBuffer.wrap(bytes)
        .putLong(id.getMostSignificantBits())
        .putLong(id.getLeastSignificantBits());
    String cluster = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    command.addAll(
        List.of(
            "kafka.tools.StorageTool",
            "format",
            "-t",
            "n" + cluster.substring(1),
            "-c",
            file.toString()));
    Process formatting = spawn(command, dir);
    Signal.awaitEnd(formatting);
    if (formatting.exitValue() != 0) {
      throw new IllegalStateException("Kafka's storage cannot be made:\n" + Folder.log(dir));
    }
  }

  private static Process spawn(List<String> command, Path dir) throws IOException {
    var log = ProcessBuilder.Redirect.appendTo(dir.resolve("log").toFile());
    return Tether.command(command).redirectOutput(log).start();
  }

  /** As clients name it. */
  public String brokers() {
    return "127.0.0.1:" + port;
  }

  public long pid() {
    return process.pid();
  }

  /** Ends it with SIGKILL. */
  public void kill() {
    Signal.awaitEnd(process.destroyForcibly());
  }

  /** Starts it again with what it has, killing it if it still runs. */
  public void restart() {
    kill();
    try {
      process = spawn(command, dir);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot restart Kafka", e);
    }
    awaitAnswer();
  }

  /** Starts it again without waiting until it listens. */
  public void restartSoon() {
    kill();
    try {
      process = spawn(command, dir);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot restart Kafka", e);
    }
  }

  public void freeze() {
    Signal.send("STOP", process);
  }

  public void thaw() {
    Signal.send("CONT", process);
  }

  /** What it wrote since its first start. */
  public String log() {
    return Folder.log(dir);
  }

  @Override
  public void close() {
    kill();
    Folder.delete(dir);
  }

  private void awaitAnswer() {
    Poll.until(
        PATIENCE,
        () -> "Kafka on port " + port + " does not listen:\n" + log(),
        () -> {
          if (!process.isAlive()) {
            throw new IllegalStateException("Kafka has ended:\n" + log());
          }
          try (var _ = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return true;
          } catch (IOException e) {
            return false;
          }
        });
  }
}
