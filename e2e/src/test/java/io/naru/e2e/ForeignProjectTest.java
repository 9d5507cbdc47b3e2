package io.naru.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.testkit.HttpConnection;
import io.naru.testkit.ServerProcess;
import io.naru.testkit.SpringProcess;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Somebody else's application, with a pom of its own and outside our source tree: gets the gate as
 * the manual says, from a local repository that is its own too.
 */
class ForeignProjectTest {

  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Set<String> NOT_SOURCE = Set.of("target", ".git", "data", "docs");
  private static final Pattern DEPENDENCY =
      Pattern.compile("(?s)<dependency>\\s*<groupId>io.naru</groupId>.*?</dependency>");
  private static final String KEY = "the-key-of-the-tests";

  @TempDir private Path temp;

  private static final String APPLICATION =
      """
      package com.acme.shop;

      import io.naru.pass.Pass;
      import org.springframework.boot.SpringApplication;
      import org.springframework.boot.autoconfigure.SpringBootApplication;
      import org.springframework.web.bind.annotation.GetMapping;
      import org.springframework.web.bind.annotation.RestController;

      @SpringBootApplication
      @RestController
      public class Shop {
        public static void main(String[] args) {
          SpringApplication.run(Shop.class, args);
        }

        @GetMapping("/seats")
        public String seats(Pass pass) {
          return "seats for " + pass.user();
        }
      }
      """;

  private static final String POM =
      """
      <project xmlns="http://maven.apache.org/POM/4.0.0">
        <modelVersion>4.0.0</modelVersion>
        <groupId>com.acme</groupId>
        <artifactId>shop</artifactId>
        <version>1</version>
        <properties>
          <maven.compiler.release>17</maven.compiler.release>
          <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
        </properties>
        <dependencyManagement>
          <dependencies>
            <dependency>
              <groupId>org.springframework.boot</groupId>
              <artifactId>spring-boot-dependencies</artifactId>
              <version>SPRING</version>
              <type>pom</type>
              <scope>import</scope>
            </dependency>
          </dependencies>
        </dependencyManagement>
        <dependencies>
          STARTER
          <dependency>
            <groupId>org.springframework.boot</groupId>
            <artifactId>spring-boot-starter-webmvc</artifactId>
          </dependency>
        </dependencies>
        <build>
          <finalName>shop</finalName>
          <plugins>
            <plugin>
              <groupId>org.springframework.boot</groupId>
              <artifactId>spring-boot-maven-plugin</artifactId>
              <version>SPRING</version>
              <executions><execution><goals><goal>repackage</goal></goals></execution></executions>
            </plugin>
            PLUGINS
          </plugins>
        </build>
      </project>
      """;

  @Test
  void gate_installedAsTheManualSays_guardsAnApplicationOfSomebodyElse() throws Exception {
    Path tree = sourceTree();
    String repository = "-Dmaven.repo.local=" + temp.resolve("repository");
    // What others have published comes from the repository that there is anyway.
    String tail = "-Dmaven.repo.local.tail=" + localRepository();

    String printed = run(tree, "./naru", "install", repository, tail);
    assertThat(printed).contains("io.naru:naru-gate-spring-boot-starter:0.1.0-SNAPSHOT");

    Path shop = foreignProject();
    run(shop, tree + "/mvnw", "--batch-mode", "-q", repository, tail, "package");
    guards(shop.resolve("target/shop.jar"));
  }

  private void guards(Path jar) throws IOException {
    try (ServerProcess naru =
            ServerProcess.start(
                Site.JAR,
                List.of("-Xmx256m"),
                List.of("--data", temp.resolve("data").toString(), "--admin-key", KEY));
        SpringProcess app =
            SpringProcess.start(
                jar,
                List.of(
                    "--naru.gate.url=" + naru.uri(),
                    "--naru.gate.queue=SHOW/1",
                    "--naru.gate.protect=/seats/**"));
        var line = new HttpConnection(naru.port());
        var seats = new HttpConnection(app.port())) {
      assertThat(seats.send("GET", "/seats", "").status()).isEqualTo(403);
      String queue = "{\"eventType\":\"SHOW\",\"eventId\":\"1\"}";
      line.send("POST", "/admin/queue/activate", queue, "Authorization: Bearer " + KEY);
      String status =
          "/queue/token/%s/status"
              .formatted(line.send("POST", "/queue/SHOW/1/enter", "").field("entryToken"));
      await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> line.send("GET", status, "").field("status").equals("ENTERED"));
      String pass = "Authorization: Bearer " + line.send("GET", status, "").field("pass");
      // There was no such queue when the gate asked last.
      await()
          .atMost(Duration.ofSeconds(30))
          .untilAsserted(
              () ->
                  assertThat(seats.send("GET", "/seats", "", pass).body())
                      .startsWith("seats for "));
    }
  }

  /** Poms, and the sources of what is installed: what is built here is built again elsewhere. */
  private Path sourceTree() throws IOException {
    Path tree = temp.resolve("naru");
    Files.walkFileTree(
        ROOT,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            return NOT_SOURCE.contains(String.valueOf(folder.getFileName()))
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            String name = ROOT.relativize(file).toString();
            if (name.matches("(.*/)?pom.xml|naru|mvnw|[.]mvn/.*|(pass|gate[^/]*)/.*")) {
              Path copy = tree.resolve(name);
              Files.createDirectories(copy.getParent());
              Files.copy(file, copy, StandardCopyOption.COPY_ATTRIBUTES);
            }
            return FileVisitResult.CONTINUE;
          }
        });
    return tree;
  }

  private Path foreignProject() throws IOException {
    String manual = Files.readString(ROOT.resolve("docs/gate.md"));
    var starter = DEPENDENCY.matcher(manual);
    assertThat(starter.find()).as("the coordinates in the manual").isTrue();
    String ours = Files.readString(ROOT.resolve("pom.xml"));
    String spring =
        valueIn(Files.readString(ROOT.resolve("examples/concert/pom.xml")), "spring-boot.version");
    var plugins = new StringBuilder();
    for (String plugin : List.of("resources", "compiler", "surefire", "jar")) {
      String name = "maven-" + plugin + "-plugin";
      String version = valueIn(ours.substring(ours.indexOf("<artifactId>" + name)), "version");
      plugins.append(
          "<plugin><artifactId>%s</artifactId><version>%s</version></plugin>"
              .formatted(name, version));
    }
    Path project = temp.resolve("shop");
    Path source = project.resolve("src/main/java/com/acme/shop/Shop.java");
    Files.createDirectories(source.getParent());
    Files.writeString(source, APPLICATION);
    Files.writeString(
        project.resolve("pom.xml"),
        POM.replace("SPRING", spring)
            .replace("STARTER", starter.group())
            .replace("PLUGINS", plugins));
    return project;
  }

  private static String valueIn(String xml, String name) {
    var value = Pattern.compile("<%s>([^<]*)</%s>".formatted(name, name)).matcher(xml);
    assertThat(value.find()).as(name).isTrue();
    return value.group(1);
  }

  private static String localRepository() {
    String given = System.getProperty("maven.repo.local", System.getProperty("localRepository"));
    return given != null ? given : System.getProperty("user.home") + "/.m2/repository";
  }

  private String run(Path folder, String... command) throws Exception {
    Path log = temp.resolve("log");
    var builder = new ProcessBuilder(new ArrayList<>(List.of(command)));
    builder.environment().put("NARU_JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    Process process =
        builder
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    try {
      assertThat(process.waitFor(10, TimeUnit.MINUTES)).as("%s ends", List.of(command)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    String printed = Files.readString(log, UTF_8);
    assertThat(process.exitValue()).as("%s\n%s", List.of(command), printed).isZero();
    return printed;
  }
}
