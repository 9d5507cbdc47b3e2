package io.naru.server;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.library.GeneralCodingRules;
import io.naru.line.Line;
import io.naru.queue.Queues;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The arrows between modules and packages, and what is source code in its own language. */
class ArchitectureTest {

  private static final Path ROOT = Path.of("..");
  private static final String[] PORTS = {
    "io.naru.queue..",
    "io.naru.line..",
    "io.naru.admission..",
    "io.naru.decision..",
    "io.naru.history..",
    "io.naru.rate..",
    "io.naru.batch..",
    "io.naru.keys..",
    "io.naru.access..",
    "io.naru.audit..",
    "io.naru.journal..",
    "io.naru.transfer..",
    "io.naru.webhook..",
    "io.naru.files..",
    "io.naru.net.."
  };
  private static final String MEMORY = "io.naru.memory..";
  private static final String REDIS = "io.naru.redis..";
  private static final String LEDGER = "io.naru.ledger..";
  private static final String KAFKA = "io.naru.kafka..";
  private static final String PASS = "io.naru.pass..";
  private static final String GATE = "io.naru.gate..";
  private static final String GATEWAY = "io.naru.gateway..";
  private static final String FAIR = "io.naru.fair..";
  private static final String LOAD = "io.naru.load..";
  private static final String SERVER = "io.naru.server..";
  private static final String TESTKIT = "io.naru.testkit..";

  /** What we ship: no tests, neither as classes nor as the jar of contracts. */
  private static final JavaClasses OURS =
      new ClassFileImporter()
          .withImportOption(
              location ->
                  !location.contains("/test-classes/")
                      && !location.contains("-tests.jar")
                      && !location.contains("naru-testkit")
                      && !location.contains("/testkit/"))
          .importPackages("io.naru");

  private static final DescribedPredicate<JavaClass> CORE =
      resideInAnyPackage(PORTS).or(resideInAnyPackage(MEMORY)).as("core");

  @Test
  void everything_belongsToAModule() {
    assertThat(OURS).hasSizeGreaterThan(60);
    classes()
        .should()
        .resideInAnyPackage(
            all(PORTS, MEMORY, REDIS, LEDGER, KAFKA, PASS, FAIR, GATE, GATEWAY, LOAD, SERVER))
        .check(OURS);
  }

  @Test
  void core_knowsTheJdkOnly() {
    classes()
        .that(CORE)
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(all(PORTS, MEMORY, "java..", "javax.crypto..", "org.jspecify.."))
        .check(OURS);
  }

  @Test
  void ports_knowNoStore() {
    noClasses()
        .that()
        .resideInAnyPackage(PORTS)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(MEMORY, REDIS, LEDGER, SERVER)
        .check(OURS);
  }

  @Test
  void stores_knowThePortsAndNotEachOther() {
    noClasses()
        .that()
        .resideInAPackage(MEMORY)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(REDIS, LEDGER, SERVER)
        .check(OURS);
    classes()
        .that()
        .resideInAPackage(REDIS)
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            all(
                PORTS,
                REDIS,
                "java..",
                "org.jspecify..",
                "org.slf4j..",
                "io.lettuce.core..",
                "io.netty.."))
        .check(OURS);
    classes()
        .that()
        .resideInAPackage(LEDGER)
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            all(
                PORTS,
                LEDGER,
                "java..",
                "javax.sql..",
                "org.jspecify..",
                "org.slf4j..",
                "com.zaxxer.hikari..",
                "org.flywaydb.core..",
                "org.sqlite.."))
        .check(OURS);
  }

  @Test
  void kafka_knowsThePortsAndIsAlone() {
    classes()
        .that()
        .resideInAPackage(KAFKA)
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            all(PORTS, KAFKA, "java..", "org.jspecify..", "org.slf4j..", "org.apache.kafka.."))
        .check(OURS);
    noClasses()
        .that()
        .resideOutsideOfPackage(KAFKA)
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.apache.kafka..")
        .check(OURS);
  }

  /** What decides in Redis and what is a copy there share what is beneath them, and no more. */
  @Test
  void redis_decidersAndCopiesKnowNothingOfEachOther() {
    String plain = "io.naru.redis.plain..";
    String copy = "io.naru.redis.copy..";
    noClasses()
        .that()
        .resideOutsideOfPackages(plain, SERVER)
        .should()
        .dependOnClassesThat()
        .resideInAPackage(plain)
        .check(OURS);
    noClasses()
        .that()
        .resideOutsideOfPackages(copy, SERVER)
        .should()
        .dependOnClassesThat()
        .resideInAPackage(copy)
        .check(OURS);
  }

  /** What the protected application takes in must not bring Redis, SQL or a server with it. */
  @Test
  void passAndGate_knowNothingElseOfOurs() {
    classes()
        .that()
        .resideInAPackage(PASS)
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(PASS, "java..", "org.jspecify..", "com.nimbusds.jose..")
        .check(OURS);
    classes()
        .that()
        .resideInAPackage(GATE)
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            GATE, PASS, "java..", "org.jspecify..", "jakarta.servlet..", "org.HdrHistogram..")
        .check(OURS);
    // The server is a gate as well, for proxies that ask it.
    noClasses()
        .that()
        .resideOutsideOfPackages(GATE, GATEWAY, SERVER)
        .should()
        .dependOnClassesThat()
        .resideInAPackage(GATE)
        .check(OURS);
  }

  /** It is a program of its own: a site's front door must not bring a line, or a store, with it. */
  @Test
  void gateway_knowsTheGateAndWhereRequestsComeFrom() {
    classes()
        .that()
        .resideInAPackage(GATEWAY)
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            GATEWAY,
            GATE,
            PASS,
            "io.naru.net..",
            "java..",
            "javax.net.ssl..",
            "com.sun.net.httpserver..",
            "org.jspecify..",
            "org.slf4j..",
            "org.yaml.snakeyaml..",
            "io.micrometer..",
            "io.netty..")
        .check(OURS);
  }

  /** What an outsider checks an order with must not bring a server, or a store, with it. */
  @Test
  void fair_knowsTheCoreAndOnlyTheServerKnowsIt() {
    classes()
        .that()
        .resideInAPackage(FAIR)
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            all(
                PORTS,
                FAIR,
                "java..",
                "javax.crypto..",
                "org.jspecify..",
                "supranational.blst..",
                "tech.pegasys.."))
        .check(OURS);
    noClasses()
        .that()
        .resideOutsideOfPackages(FAIR, SERVER)
        .should()
        .dependOnClassesThat()
        .resideInAPackage(FAIR)
        .check(OURS);
  }

  /** Visitors know of a Naru what visitors know: what it answers. */
  @Test
  void load_knowsNothingElseOfOurs() {
    classes()
        .that()
        .resideInAPackage(LOAD)
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            LOAD, "java..", "javax.net.ssl..", "org.jspecify..", "io.netty..", "org.HdrHistogram..")
        .check(OURS);
  }

  @Test
  void nothing_knowsTheServer() {
    noClasses()
        .that()
        .resideOutsideOfPackage(SERVER)
        .should()
        .dependOnClassesThat()
        .resideInAPackage(SERVER)
        .check(OURS);
  }

  @Test
  void nothingShipped_knowsTheTestkit() {
    noClasses().should().dependOnClassesThat().resideInAPackage(TESTKIT).check(OURS);
  }

  @Test
  void onlyTheWiring_knowsTheStores() {
    noClasses()
        .that()
        .resideInAPackage("io.naru.server.*..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(MEMORY, REDIS, LEDGER, "io.lettuce..", "java.sql..")
        .check(OURS);
  }

  @Test
  void httpDoor_knowsNoQueues() {
    noClasses()
        .that()
        .resideInAPackage("io.naru.server.http..")
        .should()
        .dependOnClassesThat()
        .areAssignableTo(Queues.class)
        .orShould()
        .dependOnClassesThat()
        .areAssignableTo(Line.class)
        .orShould()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "io.naru.server",
            "io.naru.server.access..",
            "io.naru.server.admin..",
            "io.naru.server.admission..",
            "io.naru.server.entry..",
            "io.naru.server.identity..",
            "io.naru.server.metrics..",
            "io.naru.server.wait..")
        .check(OURS);
  }

  @Test
  void features_haveNoCycles() {
    slices().matching("io.naru.server.(*)..").should().beFreeOfCycles().check(OURS);
    slices().matching("io.naru.(*)..").should().beFreeOfCycles().check(OURS);
  }

  @Test
  void standardStreams_areForTheStartOnly() {
    noClasses()
        .that()
        .doNotHaveFullyQualifiedName(Main.class.getName())
        .and()
        .doNotHaveFullyQualifiedName(UpCommand.class.getName())
        .and()
        .doNotHaveFullyQualifiedName(Naru.class.getName())
        .should(GeneralCodingRules.ACCESS_STANDARD_STREAMS)
        .check(OURS);
  }

  @Test
  void logging_isSlf4j() {
    GeneralCodingRules.NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING.check(OURS);
  }

  // --- Lua is source code: constants in files of their own, data only as arguments

  @Test
  void lua_isOnlyInFiles() throws IOException {
    try (Stream<Path> modules = Files.list(ROOT)) {
      for (Path module : modules.filter(m -> Files.exists(m.resolve("src/main/java"))).toList()) {
        for (Path source : files(module.resolve("src/main/java"), ".java")) {
          // With a quote of Lua's, or one that is escaped: a variable may well be called redis.
          assertThat(Files.readString(source))
              .as("%s", source)
              .doesNotContainPattern("redis\\.p?call\\((?:'|\\\\\")");
        }
      }
    }
  }

  @Test
  void lua_everyFileIsLoadedByItsName() throws IOException {
    Set<String> files =
        files(ROOT.resolve("redis/src/main/resources"), ".lua").stream()
            .map(file -> file.getFileName().toString().replace(".lua", ""))
            .collect(toCollection(TreeSet::new));
    Pattern loading =
        Pattern.compile("(?:apply|script|alone|onQueue|resource)\\((?:\\w+\\.class, )?\"(\\w+)\"");
    var loaded = new TreeSet<String>();
    for (Path source : files(ROOT.resolve("redis/src/main/java"), ".java")) {
      loading.matcher(Files.readString(source)).results().forEach(m -> loaded.add(m.group(1)));
    }

    assertThat(files).contains("join", "admit").isEqualTo(loaded);
  }

  @Test
  void lua_everyFileSaysWhatItDoes_andNoneBuildsScripts() throws IOException {
    for (Path file : files(ROOT.resolve("redis/src/main/resources"), ".lua")) {
      String text = Files.readString(file);
      assertThat(text).as("%s", file).startsWith("-- ");
      assertThat(text).as("%s", file).doesNotContain("loadstring", "'EVAL", "'KEYS'");
    }
  }

  private static List<Path> files(Path folder, String ending) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(f -> f.toString().endsWith(ending)).toList();
    }
  }

  private static String[] all(String[] some, String... more) {
    return Stream.concat(Stream.of(some), Stream.of(more)).toArray(String[]::new);
  }
}
