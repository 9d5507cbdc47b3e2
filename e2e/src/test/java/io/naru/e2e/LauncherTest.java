package io.naru.e2e;

import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The {@code ./naru} script in a tree of its own, whose {@code mvnw} and JDKs are stand-ins that
 * write down how they were called. The path has a space in it throughout, and the caller stands
 * somewhere else.
 */
class LauncherTest {
  private static final List<String> TOOLS =
      List.of(
          "cat",
          "date",
          "dirname",
          "find",
          "head",
          "ln",
          "mkdir",
          "readlink",
          "rm",
          "sleep",
          "touch");

  private static final Path MEMORY = Path.of("/dev/shm");

  private static final String FAKE_JAVA =
      """
      #!/bin/sh
      for arg; do
        case $arg in
          -XX:AOTCacheOutput=*)
            echo "$* ${JAVA_TOOL_OPTIONS-}" >>"$0.trainings"
            [ ! -f "$0.broken" ] || exit 1
            echo trained >"${arg#*=}"
            exit 0
            ;;
        esac
      done
      echo "java of $0"
      echo "in $PWD"
      for arg; do echo "[$arg]"; done
      """;

  /** Builds what the real one would, at once, or when the test says so. */
  private static final String FAKE_MVNW =
      """
      #!/bin/sh
      echo "$PWD $JAVA_HOME $*" >>mvnw.calls
      echo "${NARU_CHROMIUM-}" >mvnw.chromium
      while [ -f hold ]; do sleep 0.01; done
      [ ! -f broken ] || exit 1
      mkdir -p server/target bench/target examples/concert/target
      case "$*" in *"-pl examples"*) ;; *) : >server/target/naru.jar ;; esac
      case "$*" in *"-pl server"*) ;; *) touch -t 202601010000 examples/concert/target/concert.jar ;; esac
      case "$*" in *"-pl server"* | *"-pl examples"*) ;; *) : >bench/target/bench.jar ;; esac
      [ ! -f failing ] || exit 3
      """;

  /** Installs what is asked for, and notes how that was. */
  private static final String FAKE_APT_GET =
      """
      #!/bin/sh
      echo "$*" >>"$0.calls"
      case "$*" in *install*chromium*) ln -s "$0" "${0%/*}/chromium" ;; esac
      case "$*" in *install*nginx*) ln -s "$0" "${0%/*}/nginx" ;; esac
      case "$*" in *install*caddy*) ln -s "$0" "${0%/*}/caddy" ;; esac
      case "$*" in *install*mariadb*) ln -s "$0" "${0%/*}/mariadbd" ;; esac
      case "$*" in *install*prometheus*) ln -s "$0" "${0%/*}/prometheus" ;; esac
      case "$*" in *install*postgresql*) ln -s "$0" "${0%/*}/postgres"; ln -s "$0" "${0%/*}/pg_dump" ;; esac
      """;

  /** Puts what is asked for where it is to be. */
  private static final String FAKE_NPM =
      """
      #!/bin/sh
      echo "$*" >>"$0.calls"
      for it; do
        case $it in ?*@*) mkdir -p "$3/node_modules/${it%@*}" ;; esac
      done
      """;

  @TempDir private Path temp;
  private Path tree;
  private Path elsewhere;
  private Path jvms;
  private Path bin;
  private final Map<String, String> environment = new HashMap<>();
  private final List<Process> started = new ArrayList<>();

  @BeforeEach
  void layOut() throws IOException {
    temp = temp.toRealPath();
    tree = Files.createDirectories(temp.resolve("a place/naru"));
    elsewhere = Files.createDirectories(temp.resolve("else where"));
    jvms = Files.createDirectories(temp.resolve("j v m"));
    bin = Files.createDirectories(temp.resolve("bin"));

    executable(tree.resolve("naru"), Files.readString(Path.of("..", "naru")));
    executable(tree.resolve("mvnw"), FAKE_MVNW);
    Files.writeString(tree.resolve("pom.xml"), "");
    for (var module :
        List.of("core", "redis", "ledger", "web", "pass", "testkit", "server", "bench")) {
      write(tree.resolve(module + "/pom.xml"), "");
      write(tree.resolve(module + "/src/main/java/A.java"), "");
      write(tree.resolve(module + "/src/main/java/B.java"), "");
      write(tree.resolve(module + "/src/test/java/ATest.java"), "");
    }
    // The machine's own java must not be found by accident: only the tools the script needs.
    for (var tool : TOOLS) {
      executable(bin.resolve(tool), "#!/bin/sh\nexec " + which(tool) + " \"$@\"\n");
    }
    executable(bin.resolve("nginx"), "#!/bin/sh\n");
    executable(bin.resolve("mariadbd"), "#!/bin/sh\n");
    executable(bin.resolve("prometheus"), "#!/bin/sh\n");
    postgres("17");
    environment.put("NARU_POSTGRES_DIR", temp.resolve("postgresql").toString());
    for (var example : List.of("haproxy", "caddy", "node", "php")) {
      executable(bin.resolve(example), "#!/bin/sh\n");
    }
    for (var library : List.of("@noble/curves", "standardwebhooks", "altcha-lib")) {
      Files.createDirectories(library(library));
    }
    isUser(1000);
    environment.put("PATH", bin.toString());
    environment.put("HOME", temp.resolve("home").toString());
    environment.put("NARU_JAVA_DIRS", jvms.toString());
  }

  @AfterEach
  void endProcesses() {
    started.forEach(Process::destroyForcibly);
  }

  // --- which JDK

  @Test
  void up_noJdkAnywhere_saysSoAndExits2() throws Exception {
    var run = naru("up");

    assertThat(run.exit).isEqualTo(2);
    assertThat(run.err)
        .contains("no JDK 25 or later", "no Java in the usual folders", "NARU_JAVA_HOME=");
    assertThat(run.out).isEmpty();
  }

  @Test
  void up_onlyUnfitOnes_namesEachWithItsReason() throws Exception {
    var old = jdk(jvms.resolve("jdk-17"), "17.0.15");
    var older = jdk(jvms.resolve("jdk-8"), "1.8.0_412");
    var jre = jdk(jvms.resolve("jre-25"), "25.0.3");
    Files.delete(jre.resolve("bin/javac"));
    Files.createSymbolicLink(jvms.resolve("default"), old);
    environment.put("JAVA_HOME", temp.resolve("gone").toString());

    var run = naru("up");

    assertThat(run.exit).isEqualTo(2);
    assertThat(run.err)
        .contains("JAVA_HOME: " + temp.resolve("gone") + ": not a Java home")
        .containsOnlyOnce(old + ": Java 17.0.15, too old")
        .contains(older + ": Java 1.8.0_412, too old")
        .contains(jre + ": Java 25.0.3 without a compiler");
    assertThat(mavenCalls()).isEmpty();
  }

  @Test
  void up_javaHomeTooOld_takesOneFromTheFolders() throws Exception {
    environment.put("JAVA_HOME", jdk(temp.resolve("jdk-17"), "17.0.15").toString());
    var jdk = jdk(jvms.resolve("temurin-25"), "25.0.3");

    var run = naru("up");

    assertThat(run.out).contains("java of " + jdk + "/bin/java");
    assertThat(mavenCalls()).singleElement().asString().contains(" " + jdk + " ");
  }

  @Test
  void up_javaHomeWillDo_takesIt() throws Exception {
    var mine = jdk(temp.resolve("mine"), "26.0.1");
    jdk(jvms.resolve("temurin-25"), "25.0.3");
    environment.put("JAVA_HOME", mine.toString());

    assertThat(naru("up").out).contains("java of " + mine + "/bin/java");
  }

  @Test
  void up_severalWillDo_takesTheOldest() throws Exception {
    jdk(jvms.resolve("a-27"), "27-ea");
    var oldest = jdk(jvms.resolve("b-25"), "25");
    jdk(jvms.resolve("c-26"), "26.0.1");

    assertThat(naru("up").out).contains("java of " + oldest + "/bin/java");
  }

  @Test
  void up_namedOneTooOld_refusesInsteadOfTakingAnother() throws Exception {
    var old = jdk(temp.resolve("jdk-17"), "17.0.15");
    jdk(jvms.resolve("temurin-25"), "25.0.3");
    environment.put("NARU_JAVA_HOME", old.toString());

    var run = naru("up");

    assertThat(run.exit).isEqualTo(2);
    assertThat(run.err).contains("NARU_JAVA_HOME: " + old + ": Java 17.0.15, too old");
  }

  @Test
  void up_namedByRelativePath_isSeenFromTheCaller() throws Exception {
    var named = jdk(elsewhere.resolve("my jdk"), "25.0.3");
    environment.put("NARU_JAVA_HOME", "my jdk");

    assertThat(naru("up").out).contains("java of " + named + "/bin/java");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Contents/Home",
        "libexec/openjdk.jdk/Contents/Home",
        "libexec"
      }) // macOS, Homebrew
  void up_jdkInsideABundle_isFound(String inside) throws Exception {
    var jdk = jdk(jvms.resolve("openjdk@25").resolve(inside), "25.0.3");

    assertThat(naru("up").out).contains("java of " + jdk + "/bin/java");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ".sdkman/candidates/java/25.0.3-tem",
        ".local/share/mise/installs/java/temurin-25",
        ".asdf/installs/java/temurin-25",
        ".jdks/temurin-25",
        "Library/Java/JavaVirtualMachines/temurin-25.jdk/Contents/Home"
      })
  void up_jdkUnderTheHomeFolder_isFound(String inHome) throws Exception {
    var jdk = jdk(temp.resolve("home").resolve(inHome), "25.0.3");
    environment.remove("NARU_JAVA_DIRS");

    // Also where the machine has one: one's own folders come first.
    assertThat(naru("up").out).contains("java of " + jdk + "/bin/java");
  }

  @Test
  void up_jdkOnlyOnThePath_isFoundThroughItsLinks() throws Exception {
    var jdk = jdk(temp.resolve("opt/some jdk"), "25.0.3");
    Files.createSymbolicLink(temp.resolve("alternative"), jdk.resolve("bin/java"));
    Files.createSymbolicLink(bin.resolve("java"), Path.of("../alternative"));

    assertThat(naru("up").out).contains("java of " + jdk + "/bin/java");
  }

  // --- up

  @Test
  void install_putsTheGateIntoTheRepository_andPrintsItsCoordinates() throws Exception {
    jdk25();
    environment.put("NARU_MVN_OPTS", "--offline");
    write(tree.resolve("pom.xml"), "<project>\n  <version>1.2-X</version>\n<version>3</version>");

    var run = naru("install", "-Dmaven.repo.local=a folder");

    assertThat(run.exit).isZero();
    assertThat(run.out)
        .isEqualTo("io.naru:naru-gate-spring-boot-starter:1.2-X\nio.naru:naru-gate:1.2-X\n");
    assertThat(mavenCalls())
        .singleElement()
        .asString()
        .contains("--offline")
        .contains("-pl pass,gate,gate-spring-boot-starter -am -DskipTests")
        .endsWith("-Dmaven.repo.local=a folder install");

    write(tree.resolve("broken"), "");
    assertThat(naru("install").exit).isEqualTo(1);
  }

  @Test
  void sbom_buildsTheServerWithItsProfile_andSaysWhereTheListIs() throws Exception {
    jdk25();

    var run = naru("sbom", "-Dmaven.repo.local=a folder");

    assertThat(run.exit).isZero();
    assertThat(run.out).isEqualTo(tree.resolve("server/target/naru.cdx.json") + "\n");
    assertThat(mavenCalls())
        .singleElement()
        .asString()
        .contains("-pl server -am -Psbom -DskipTests")
        .endsWith("-Dmaven.repo.local=a folder package");

    write(tree.resolve("broken"), "");
    assertThat(naru("sbom").exit).isEqualTo(1);
  }

  @Test
  void up_firstTime_buildsInTheTreeAndRunsWhereTheCallerIs() throws Exception {
    jdk25();
    environment.put("NARU_JAVA_OPTS", "-Xmx1g -Dpattern=*");
    write(elsewhere.resolve("-Dpattern=a file"), "");
    environment.put("NARU_MVN_OPTS", "--offline -Dmaven.repo.local=/r");

    var run = naru("up", "--data", "my data", "--port", "0");

    assertThat(run.exit).isZero();
    assertThat(run.err.lines())
        .singleElement()
        .asString()
        .startsWith("naru: building server/target/naru.jar");
    assertThat(mavenCalls())
        .singleElement()
        .asString()
        .startsWith(tree + " ")
        .contains("--offline -Dmaven.repo.local=/r")
        .contains("-pl server -am -DskipTests")
        .endsWith(" package");
    assertThat(run.out.lines().skip(1))
        .containsExactly(
            "in " + elsewhere,
            "[--enable-native-access=ALL-UNNAMED]",
            "[--sun-misc-unsafe-memory-access=allow]",
            "[-XX:+UseCompactObjectHeaders]",
            "[-XX:MaxNewSize=64m]",
            "[-Xmx1g]",
            "[-Dpattern=*]",
            "[-jar]",
            "[" + tree.resolve("server/target/naru.jar") + "]",
            "[up]",
            "[--data]",
            "[my data]",
            "[--port]",
            "[0]");
  }

  @Test
  void up_throughALink_findsTheTree() throws Exception {
    jdk25();
    Files.createSymbolicLink(elsewhere.resolve("hop"), tree.resolve("naru"));
    var link = Files.createSymbolicLink(elsewhere.resolve("naru"), Path.of("hop"));

    var run = run(link, "up");

    assertThat(run.out).contains("[" + tree.resolve("server/target/naru.jar") + "]");
  }

  @Test
  void up_nothingChanged_doesNotBuild() throws Exception {
    jdk25();
    builtHalfAnHourAgo();
    touch(tree.resolve("server/src/test/java/ATest.java"));
    touch(tree.resolve("bench/src/main/java/A.java"));

    var run = naru("up");

    assertThat(run.exit).isZero();
    assertThat(run.err).isEmpty();
    assertThat(mavenCalls()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "pom.xml",
        "core/src/main/java/A.java",
        "redis/pom.xml",
        "redis/src/main/java/B.java",
        "ledger/src/main/java/A.java",
        "web/src/main/java/A.java",
        "pass/src/main/java/A.java",
        "server/src/main/java/A.java"
      })
  void up_somethingItConsistsOfChanged_buildsAgain(String file) throws Exception {
    jdk25();
    builtHalfAnHourAgo();
    touch(tree.resolve(file));

    naru("up");

    assertThat(mavenCalls()).hasSize(1);
  }

  @Test
  void up_sourceDeleted_buildsAgain() throws Exception {
    jdk25();
    builtHalfAnHourAgo();
    Files.delete(tree.resolve("core/src/main/java/B.java"));

    naru("up");

    assertThat(mavenCalls()).hasSize(1);
  }

  @Test
  void up_rebuilding_leavesTheJarOfARunningServerAlone() throws Exception {
    jdk25();
    builtHalfAnHourAgo();
    var running = Files.readAttributes(jar(), "unix:ino").get("ino");
    touch(tree.resolve("pom.xml"));
    // As an open file would: keeps the inode in use, so that the new jar cannot be given it.
    Files.createLink(temp.resolve("open"), jar());

    naru("up");

    assertThat(Files.readAttributes(jar(), "unix:ino").get("ino")).isNotEqualTo(running);
  }

  @Test
  void up_buildFails_exits1AndRunsNothing() throws Exception {
    jdk25();
    builtHalfAnHourAgo();
    touch(tree.resolve("pom.xml"));
    Files.writeString(tree.resolve("failing"), "");

    var run = naru("up");

    assertThat(run.exit).isEqualTo(1);
    assertThat(run.err).contains("the build failed");
    assertThat(run.out).isEmpty();
    assertThat(jar()).as("half a jar").doesNotExist();
    assertThat(lock()).doesNotExist();
  }

  @Test
  void up_twoAtOnce_oneBuildsAndTheOtherWaits() throws Exception {
    jdk25();
    var hold = Files.writeString(tree.resolve("hold"), "");
    var first = start(tree.resolve("naru"), "up");
    await().until(() -> mavenCalls().size() == 1);
    var second = start(tree.resolve("naru"), "up");
    await().until(() -> second.err().contains("waiting for the build of process"));

    Files.delete(hold);

    assertThat(first.end().exit).isZero();
    assertThat(second.end().exit).isZero();
    assertThat(mavenCalls()).hasSize(1);
    assertThat(Files.isSymbolicLink(lock())).isFalse();
  }

  @Test
  void up_anEarlierBuildWasKilled_buildsAgain() throws Exception {
    jdk25();
    builtHalfAnHourAgo();
    var noProcess = Path.of("99999999"); // above the highest process number of Linux and macOS
    Files.createSymbolicLink(
        Files.createDirectories(lock().getParent()).resolve("building"), noProcess);

    var run = naru("up");

    assertThat(run.exit).isZero();
    assertThat(mavenCalls()).hasSize(1);
    assertThat(Files.isSymbolicLink(lock())).isFalse();
  }

  // --- the cache that it starts from

  @Test
  void up_firstTime_trainsOnceAndStartsFromTheCache() throws Exception {
    jdk25();
    canHash();
    environment.put("NARU_JAVA_OPTS", "-Xmx1g -Dsecret=1");
    environment.put("JAVA_TOOL_OPTIONS", "-Dport=1");

    var first = naru("up");
    var second = naru("up", "--port", "0");

    assertThat(first.err.lines()).hasSize(2).last().asString().contains("preparing quicker starts");
    assertThat(trainings())
        .singleElement()
        .asString()
        .startsWith(
            "--enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow "
                + "-XX:+UseCompactObjectHeaders -XX:MaxNewSize")
        .endsWith(" -jar " + jar() + " train ");
    assertThat(caches()).hasSize(1);
    for (var run : List.of(first, second)) {
      assertThat(run.exit).isZero();
      assertThat(run.out)
          .contains("[-XX:AOTCache=" + caches().getFirst() + "]\n[-Xlog:aot*=off]\n[-Xmx1g]\n");
    }
    assertThat(second.err).isEmpty();
  }

  @Test
  void up_jarReplaced_hasACacheOfItsOwn() throws Exception {
    jdk25();
    canHash();
    builtHalfAnHourAgo();
    Files.writeString(jar(), "one");
    var built = Files.getLastModifiedTime(jar());
    naru("up");
    var old = caches().getFirst();

    Files.writeString(jar(), "two");
    Files.setLastModifiedTime(jar(), built);
    var run = naru("up");

    assertThat(run.out).doesNotContain(old.toString());
    assertThat(caches()).hasSize(1).doesNotContain(old);
    assertThat(run.out).contains("[-XX:AOTCache=" + caches().getFirst() + "]");
  }

  @Test
  void up_sameJarBuiltAgain_trainsAgain() throws Exception {
    jdk25();
    canHash();
    naru("up");
    touch(jar());

    var run = naru("up");

    assertThat(trainings()).as("the JVM would refuse a jar of another date").hasSize(2);
    assertThat(run.out).contains("[-XX:AOTCache=" + caches().getFirst() + "]");
    assertThat(caches()).hasSize(1);
  }

  @Test
  void up_anotherJvm_hasACacheOfItsOwn() throws Exception {
    jdk25();
    canHash();
    naru("up");
    var old = caches().getFirst();

    jdk(jvms.resolve("temurin-25"), "25.0.4");
    naru("up");

    assertThat(caches()).hasSize(1).doesNotContain(old);
  }

  @Test
  void up_anotherCollector_hasACacheBesideTheFirst() throws Exception {
    jdk25();
    canHash();
    naru("up");
    var first = caches().getFirst();
    environment.put("NARU_JAVA_OPTS", "-XX:+UseZGC");

    var run = naru("up");

    assertThat(caches()).hasSize(2).contains(first);
    assertThat(run.out).contains("[-XX:AOTCache=").doesNotContain(first.toString());
    assertThat(trainings()).hasSize(2).last().asString().contains(" -XX:+UseZGC ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-javaagent:a.jar",
        "-agentlib:jdwp=server=y",
        "-Xshare:off",
        "-XX:AOTMode=off",
        "-XX:SharedArchiveFile=a",
        "-XX:StartFlightRecording",
        "--add-opens=java.base/java.lang=ALL-UNNAMED"
      })
  void up_optionsThatACacheWouldNotBear_startsWithout(String option) throws Exception {
    jdk25();
    canHash();
    environment.put("NARU_JAVA_OPTS", option);

    var run = naru("up");

    assertThat(run.exit).isZero();
    assertThat(run.out).contains("[" + option + "]").doesNotContain("[-XX:AOTCache=");
    assertThat(trainings()).isEmpty();
  }

  @Test
  void up_trainingFails_startsWithoutAndDoesNotTryAgain() throws Exception {
    jdk25();
    canHash();
    write(jvms.resolve("temurin-25/bin/java.broken"), "");

    for (var run : List.of(naru("up"), naru("up"))) {
      assertThat(run.exit).isZero();
      assertThat(run.out).contains("[up]").doesNotContain("AOTCache");
    }
    assertThat(trainings()).hasSize(1);
  }

  @Test
  void up_cacheCannotBeKept_startsWithout() throws Exception {
    jdk25();
    canHash();
    builtHalfAnHourAgo();
    write(jar().resolveSibling("aot"), "a file in its place");

    var run = naru("up");

    assertThat(run.exit).isZero();
    assertThat(run.err).isEmpty();
    assertThat(run.out).contains("[up]").doesNotContain("AOTCache");
  }

  @Test
  void keys_useACacheButDoNotMakeOne() throws Exception {
    jdk25();
    canHash();
    builtHalfAnHourAgo();

    assertThat(naru("keys", "list").out).doesNotContain("AOTCache");
    naru("up");
    assertThat(naru("keys", "list").out).contains("[-XX:AOTCache=");
    assertThat(trainings()).hasSize(1);
  }

  @Test
  void up_onARealJvm_runsTheJarThatIsThere_whateverTheCacheIs() throws Exception {
    environment.put("NARU_JAVA_HOME", System.getProperty("java.home"));
    canHash();
    program("old");

    assertThat(naru("up").out).isEqualTo("old\n");
    assertThat(caches()).singleElement().satisfies(it -> assertThat(it).isNotEmptyFile());
    environment.put("NARU_JAVA_OPTS", "-Xlog:class+load");
    assertThat(naru("up").out).containsPattern("Program source: shared objects file");
    environment.remove("NARU_JAVA_OPTS");

    var old = caches().getFirst();
    program("new");
    assertThat(naru("up").out).isEqualTo("new\n");
    assertThat(caches()).hasSize(1).doesNotContain(old);

    for (var broken : List.of("", "nonsense", "nonsense".repeat(100_000))) {
      Files.writeString(caches().getFirst(), broken);
      var run = naru("up");
      assertThat(run.out).isEqualTo("new\n");
      assertThat(run.err).isEmpty();
      assertThat(run.exit).isZero();
    }
  }

  /** A jar in the server's place that prints a word, of the same size and date for every word. */
  private void program(String word) throws Exception {
    var source =
        "class Program { public static void main(String[] a) { System.out.println(\"%s\"); } }"
            .formatted(word);
    var folder = Files.createTempDirectory(temp, "program");
    var file = Files.writeString(folder.resolve("Program.java"), source);
    var compiler = ToolProvider.getSystemJavaCompiler();
    assertThat(compiler.run(null, null, null, "-d", folder.toString(), file.toString())).isZero();
    var manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, "Program");
    builtHalfAnHourAgo();
    var built = Files.getLastModifiedTime(jar());
    Files.delete(jar());
    try (var out = new JarOutputStream(Files.newOutputStream(jar()), manifest)) {
      out.putNextEntry(new JarEntry("Program.class"));
      Files.copy(folder.resolve("Program.class"), out);
    }
    Files.setLastModifiedTime(jar(), built);
  }

  private void canHash() throws IOException {
    for (var tool : List.of("sha256sum", "mv")) {
      executable(bin.resolve(tool), "#!/bin/sh\nexec " + which(tool) + " \"$@\"\n");
    }
  }

  private List<String> trainings() throws IOException {
    var calls = jvms.resolve("temurin-25/bin/java.trainings");
    return Files.exists(calls) ? Files.readAllLines(calls) : List.of();
  }

  private List<Path> caches() throws IOException {
    try (var files = Files.list(jar().resolveSibling("aot"))) {
      return files.toList();
    }
  }

  // --- keys

  @Test
  void keys_goToTheJarWithTheArgumentsGiven() throws Exception {
    jdk25();

    var run = naru("keys", "revoke", "a b");

    assertThat(run.exit).isZero();
    assertThat(run.out.lines()).endsWith("[keys]", "[revoke]", "[a b]");
    assertThat(mavenCalls()).singleElement().asString().contains("-pl server -am");
  }

  // --- test

  @Test
  void test_runsVerifyOverEverythingWithTheArgumentsGiven() throws Exception {
    jdk25();
    environment.put("NARU_MVN_OPTS", "--offline");

    var run = naru("test", "-Dtest=A B", "-pl", "core");

    assertThat(run.exit).isZero();
    assertThat(mavenCalls())
        .singleElement()
        .asString()
        .startsWith(tree + " ")
        .endsWith("--batch-mode --no-transfer-progress --offline verify -Dtest=A B -pl core");
  }

  @Test
  void test_failing_exitsAsMavenDoes() throws Exception {
    jdk25();
    Files.writeString(tree.resolve("failing"), "");

    assertThat(naru("test").exit).isEqualTo(3);
  }

  @Test
  void test_quick_leavesProcessesFormatAndBrowserOut() throws Exception {
    jdk25();
    isUser(0);
    executable(bin.resolve("apt-get"), FAKE_APT_GET);
    write(jar(), "the server's");

    var run = naru("test", "--quick", "-pl", "core");

    assertThat(run.exit).isZero();
    assertThat(mavenCalls())
        .singleElement()
        .asString()
        .endsWith(" -Pquick -Dspotless.check.skip test -pl core");
    assertThat(bin.resolve("apt-get.calls")).doesNotExist();
  }

  @Test
  void test_roomInMemory_putsThereWhatIsThrownAway() throws Exception {
    assumeTrue(Files.isWritable(MEMORY), "there is a disk in memory");
    jdk25();
    isFreeInMemory(2_097_152);
    Files.writeString(tree.resolve("hold"), "");

    var run = start(tree.resolve("naru"), "test", "-pl", "core");
    await().until(() -> mavenCalls().size() == 1);

    var scratch = Path.of(mavenCalls().getFirst().replaceAll(".* -Dtest.tmp=(\\S+) .*", "$1"));
    assertThat(scratch).hasParent(MEMORY).isDirectory();
    Files.delete(tree.resolve("hold"));
    assertThat(run.end().exit).isZero();
    assertThat(scratch).doesNotExist();
  }

  @Test
  void test_littleRoomInMemory_usesTheFolderOfTheSystem() throws Exception {
    jdk25();
    isFreeInMemory(2_097_151);

    assertThat(naru("test", "-pl", "core").exit).isZero();

    assertThat(mavenCalls()).singleElement().asString().doesNotContain("test.tmp");
  }

  @Test
  void test_folderNamed_isTakenAndLeft() throws Exception {
    jdk25();
    isFreeInMemory(2_097_152);
    environment.put("NARU_TEST_TMP", elsewhere.toString());

    assertThat(naru("test", "-pl", "core").exit).isZero();

    assertThat(mavenCalls())
        .singleElement()
        .asString()
        .endsWith(" -Dtest.tmp=" + elsewhere + " verify -pl core");
    assertThat(elsewhere).isDirectory();
  }

  @Test
  void test_help_needsNoJdk() throws Exception {
    var run = naru("test", "--help");

    assertThat(run.exit).isZero();
    assertThat(run.out).contains("./naru test");
  }

  // --- the browser of the tests

  @ParameterizedTest
  @FieldSource("io.naru.e2e.browser.Chromium#NAMES")
  void test_chromiumOnThePath_isHandedToTheTests(String name) throws Exception {
    jdk25();
    var chromium = bin.resolve(name);
    executable(chromium, "#!/bin/sh\n");

    var run = naru("test");

    assertThat(run.exit).isZero();
    assertThat(run.err.lines()).singleElement().asString().contains(" and " + chromium + " and ");
    assertThat(tree.resolve("mvnw.chromium")).content().isEqualTo(chromium + "\n");
  }

  @Test
  void test_chromiumNamed_isTaken() throws Exception {
    jdk25();
    executable(bin.resolve("chromium"), "#!/bin/sh\n");
    var mine = temp.resolve("my browser");
    executable(mine, "#!/bin/sh\n");
    environment.put("NARU_CHROMIUM", mine.toString());

    assertThat(naru("test").exit).isZero();

    assertThat(tree.resolve("mvnw.chromium")).content().isEqualTo(mine + "\n");
  }

  @Test
  void test_chromiumNamedIsNotThere_exits2InsteadOfTakingAnother() throws Exception {
    jdk25();
    executable(bin.resolve("chromium"), "#!/bin/sh\n");
    environment.put("NARU_CHROMIUM", temp.resolve("gone").toString());

    var run = naru("test");

    assertThat(run.exit).isEqualTo(2);
    assertThat(run.err).contains("NARU_CHROMIUM: " + temp.resolve("gone") + " is not there");
    assertThat(mavenCalls()).isEmpty();
  }

  @Test
  void test_noChromiumAndAllowedToInstall_installsIt() throws Exception {
    jdk25();
    isUser(0);
    executable(bin.resolve("apt-get"), FAKE_APT_GET);
    environment.put("NARU_BROWSER", "required");

    var run = naru("test");

    assertThat(run.exit).isZero();
    assertThat(run.err)
        .containsOnlyOnce("naru: installing Chromium for the browser tests")
        .doesNotContain("left out");
    assertThat(bin.resolve("apt-get.calls"))
        .content()
        .contains("update", "install -qq -y", " chromium ");
    assertThat(tree.resolve("mvnw.chromium")).content().isEqualTo(bin.resolve("chromium") + "\n");
  }

  @Test
  void test_noChromiumAndNotRoot_goesOnAndSaysTwiceWhatIsLeftOut() throws Exception {
    jdk25();
    executable(bin.resolve("apt-get"), FAKE_APT_GET);
    Files.writeString(tree.resolve("failing"), "");

    var run = naru("test");

    assertThat(run.exit).as("as Maven does").isEqualTo(3);
    assertThat(run.err.lines().filter(line -> line.contains("a real browser: no Chromium here")))
        .satisfiesExactly(
            start -> assertThat(start).startsWith("naru: leaving out"),
            end ->
                assertThat(end).startsWith("naru: left out").contains("install", "NARU_CHROMIUM"));
    assertThat(bin.resolve("apt-get.calls")).doesNotExist();
    assertThat(mavenCalls()).hasSize(1);
  }

  @Test
  void test_installingFails_goesOnAndSaysWhatIsLeftOut() throws Exception {
    jdk25();
    isUser(0);
    executable(bin.resolve("apt-get"), "#!/bin/sh\nexit 100\n");

    var run = naru("test");

    assertThat(run.exit).isZero();
    assertThat(run.err).contains("naru: leaving out", "naru: left out");
  }

  @Test
  void test_noChromiumButRequired_failsBeforeAnythingElse() throws Exception {
    jdk25();
    environment.put("NARU_BROWSER", "required");

    var run = naru("test");

    assertThat(run.exit).isEqualTo(1);
    assertThat(run.err).contains("no Chromium here", "NARU_BROWSER=required");
    assertThat(mavenCalls()).isEmpty();
  }

  @Test
  void test_browserNotWanted_installsNothingAndSaysSo() throws Exception {
    jdk25();
    isUser(0);
    executable(bin.resolve("apt-get"), FAKE_APT_GET);
    environment.put("NARU_BROWSER", "none");

    var run = naru("test");

    assertThat(run.err).contains("naru: left out the tests in a real browser (NARU_BROWSER=none)");
    assertThat(bin.resolve("apt-get.calls")).doesNotExist();
  }

  @Test
  void test_noNginxAndAllowedToInstall_installsIt() throws Exception {
    jdk25();
    isUser(0);
    executable(bin.resolve("chromium"), "#!/bin/sh\n");
    Files.delete(bin.resolve("nginx"));
    executable(bin.resolve("apt-get"), FAKE_APT_GET);
    environment.put("NARU_PROXY", "required");

    var run = naru("test");

    assertThat(run.exit).isZero();
    assertThat(run.err)
        .containsOnlyOnce("naru: installing nginx for the tests behind a proxy")
        .contains(" and " + bin.resolve("nginx"))
        .doesNotContain("left out");
  }

  @Test
  void test_noNginxButRequired_failsBeforeAnythingElse() throws Exception {
    jdk25();
    executable(bin.resolve("chromium"), "#!/bin/sh\n");
    Files.delete(bin.resolve("nginx"));
    environment.put("NARU_PROXY", "required");

    var run = naru("test");

    assertThat(run.exit).isEqualTo(1);
    assertThat(run.err).contains("a real nginx: none here", "NARU_PROXY=required");
    assertThat(mavenCalls()).isEmpty();
  }

  @Test
  void test_noMariaDbAndAllowedToInstall_installsItAlsoForTheLedgerAlone() throws Exception {
    jdk25();
    isUser(0);
    Files.delete(bin.resolve("mariadbd"));
    executable(bin.resolve("apt-get"), FAKE_APT_GET);
    environment.put("NARU_DATABASE", "required");

    var run = naru("test", "-pl", "ledger");

    assertThat(run.exit).isZero();
    assertThat(run.err)
        .containsOnlyOnce("naru: installing MariaDB for the tests on it")
        .contains(" and " + bin.resolve("mariadbd"))
        .doesNotContain("left out", "rowser");
  }

  @Test
  void test_noMariaDb_saysWhatIsLeftOutOrFails() throws Exception {
    jdk25();
    executable(bin.resolve("chromium"), "#!/bin/sh\n");
    Files.delete(bin.resolve("mariadbd"));

    assertThat(naru("test").err).contains("naru: left out the tests on MariaDB: none here");

    environment.put("NARU_DATABASE", "required");
    var run = naru("test");
    assertThat(run.exit).isEqualTo(1);
    assertThat(run.err).contains("the tests on MariaDB: none here", "NARU_DATABASE=required");
  }

  @Test
  void test_severalPostgres_takesTheNewestThatHasItsPrograms() throws Exception {
    jdk25();
    executable(bin.resolve("chromium"), "#!/bin/sh\n");
    postgres("15");
    Path newest = postgres("18");

    assertThat(naru("test").err).contains(" and " + newest).doesNotContain("left out");
    Files.delete(newest.resolveSibling("pg_dump"));
    assertThat(naru("test").err).contains("postgresql/17/bin/postgres").doesNotContain("left out");
    Path named = postgres("16");
    environment.put("NARU_POSTGRES", named.toString());
    assertThat(naru("test").err).contains(" and " + named);
  }

  @Test
  void test_noPostgresWithPgDump_installsItOrSaysWhatIsLeftOutOrFails() throws Exception {
    jdk25();
    executable(bin.resolve("chromium"), "#!/bin/sh\n");
    Files.delete(postgres("17"));

    assertThat(naru("test").err).contains("naru: left out a move by pg_dump: no PostgreSQL");
    assertThat(naru("test", "-pl", "ledger").err).doesNotContain("left out", "pg_dump");

    environment.put("NARU_DATABASE", "required");
    var run = naru("test");
    assertThat(run.exit).isEqualTo(1);
    assertThat(run.err).contains("a move by pg_dump: no PostgreSQL", "NARU_DATABASE=required");

    isUser(0);
    executable(bin.resolve("apt-get"), FAKE_APT_GET);
    assertThat(naru("test", "-pl", "server").err)
        .containsOnlyOnce("naru: installing PostgreSQL for the tests of dump and restore")
        .contains(" and " + bin.resolve("postgres"))
        .doesNotContain("left out");
  }

  /** A PostgreSQL as Debian has it. */
  private Path postgres(String version) throws IOException {
    Path programs = Files.createDirectories(temp.resolve("postgresql/" + version + "/bin"));
    executable(programs.resolve("pg_dump"), "#!/bin/sh\n");
    executable(programs.resolve("postgres"), "#!/bin/sh\n");
    return programs.resolve("postgres");
  }

  @Test
  void test_noPrometheus_installsItOrSaysWhatIsLeftOutOrFails() throws Exception {
    jdk25();
    executable(bin.resolve("chromium"), "#!/bin/sh\n");
    Files.delete(bin.resolve("prometheus"));

    assertThat(naru("test").err)
        .contains("naru: left out the tests under a real Prometheus: none here");
    assertThat(naru("test", "-pl", "ledger").err).doesNotContain("left out", "Prometheus");

    environment.put("NARU_MONITOR", "required");
    var run = naru("test");
    assertThat(run.exit).isEqualTo(1);
    assertThat(run.err).contains("a real Prometheus: none here", "NARU_MONITOR=required");

    isUser(0);
    executable(bin.resolve("apt-get"), FAKE_APT_GET);
    assertThat(naru("test", "-pl", "server").err)
        .containsOnlyOnce("naru: installing Prometheus for the tests under it")
        .contains(" and " + bin.resolve("prometheus"))
        .doesNotContain("left out");
  }

  @Test
  void test_noProgramsForTheExamples_installsThemOrSaysWhatIsLeftOut() throws Exception {
    jdk25();
    executable(bin.resolve("chromium"), "#!/bin/sh\n");
    Files.delete(bin.resolve("caddy"));

    assertThat(naru("test").err).contains("naru: left out some of the examples behind HAProxy");

    isUser(0);
    executable(bin.resolve("apt-get"), FAKE_APT_GET);
    assertThat(naru("test").err)
        .containsOnlyOnce("naru: installing HAProxy, Caddy, Node and PHP for the examples")
        .doesNotContain("left out");
  }

  @Test
  void test_noLibraryForTheCheckOfALog_installsItOrSaysWhatIsLeftOut() throws Exception {
    jdk25();
    Path library = library("@noble/curves");
    Files.delete(library);

    assertThat(naru("test", "-pl", "fair").err)
        .contains("naru: left out the check of a log in Node: no Node with @noble/curves here");
    assertThat(naru("test", "-pl", "ledger").err).doesNotContain("left out");

    executable(bin.resolve("npm"), FAKE_NPM);
    assertThat(naru("test", "-pl", "fair").err)
        .containsOnlyOnce("naru: installing @noble/curves@2.4.0 for the check of a log")
        .doesNotContain("left out");
    assertThat(bin.resolve("npm.calls")).content().contains("--no-save", "@noble/curves@");
    assertThat(library).exists();
  }

  @Test
  void test_noReferenceLibraries_installsThemOrSaysWhatIsLeftOutOrFails() throws Exception {
    jdk25();
    Path library = library("altcha-lib");
    Files.delete(library);

    assertThat(naru("test", "-pl", "server").err)
        .contains("naru: left out webhooks and proofs of work in Node: no Node with standardweb");
    assertThat(naru("test", "-pl", "ledger,fair").err).doesNotContain("left out");

    environment.put("NARU_EXAMPLES", "required");
    var run = naru("test", "-pl", "server");
    assertThat(run.exit).isEqualTo(1);
    assertThat(run.err).contains("webhooks and proofs of work in Node", "NARU_EXAMPLES=required");

    executable(bin.resolve("npm"), FAKE_NPM);
    assertThat(naru("test", "-pl", "server").err)
        .containsOnlyOnce("naru: installing standardwebhooks@1.1.1 altcha-lib@2.8.0 for the tests")
        .doesNotContain("left out");
    assertThat(bin.resolve("npm.calls"))
        .content()
        .as("npm takes away what it is not asked for")
        .contains("--no-save", "@noble/curves@", "standardwebhooks@", "altcha-lib@");
    assertThat(library).exists();
  }

  private Path library(String name) {
    return tree.resolve("docs/node_modules/" + name);
  }

  @Test
  void test_neitherBrowserNorNginx_saysBoth() throws Exception {
    jdk25();
    Files.delete(bin.resolve("nginx"));

    assertThat(naru("test").err.lines().toList().getLast())
        .startsWith("naru: left out the tests in a real browser: ")
        .contains("; the tests behind a real nginx: ");
  }

  @Test
  void test_browserWishMisspelt_exits2() throws Exception {
    jdk25();
    environment.put("NARU_BROWSER", "requierd");

    var run = naru("test");

    assertThat(run.exit).isEqualTo(2);
    assertThat(run.err).contains("NARU_BROWSER is required or none, is requierd");
  }

  @Test
  void test_modulesWithoutBrowserTests_doNotAskForOne() throws Exception {
    jdk25();
    isUser(0);
    executable(bin.resolve("apt-get"), FAKE_APT_GET);

    assertThat(naru("test", "-pl", "core,redis").err).doesNotContain("rowser");
    assertThat(bin.resolve("apt-get.calls")).doesNotExist();

    naru("test", "-pl", "core,e2e", "-am");
    assertThat(bin.resolve("apt-get.calls")).exists();
  }

  // --- bench, help

  @Test
  void bench_buildsItsJarAndTheServersAndPassesOptions() throws Exception {
    jdk25();

    var run = naru("bench", "--quick", "--peer", "http://127.0.0.1:9");

    assertThat(run.exit).isZero();
    assertThat(mavenCalls())
        .singleElement()
        .asString()
        .contains("-pl bench,server,examples/concert -am");
    assertThat(jar()).exists();
    assertThat(run.out)
        .endsWith(
            String.join(
                "\n",
                "[" + tree.resolve("bench/target/bench.jar") + "]",
                "[--server-jar]",
                "[" + jar() + "]",
                "[--site-jar]",
                "[" + siteJar() + "]",
                "[--quick]",
                "[--peer]",
                "[http://127.0.0.1:9]\n"));
  }

  @Test
  void demo_buildsTheServerAndTheShop_andPassesOptions() throws Exception {
    jdk25();

    var run = naru("demo", "--visitors", "7");

    assertThat(run.exit).isZero();
    assertThat(mavenCalls())
        .anySatisfy(call -> assertThat("" + call).contains("-pl server -am"))
        .anySatisfy(call -> assertThat("" + call).contains("-pl examples/concert -am"));
    assertThat(run.out)
        .endsWith(
            String.join(
                "\n",
                "[" + jar() + "]",
                "[demo]",
                "[--shop-jar]",
                "[" + siteJar() + "]",
                "[--visitors]",
                "[7]\n"));
    assertThat(naru("demo", "--shop-jar=other.jar").out)
        .contains("[--shop-jar=other.jar]")
        .doesNotContain(siteJar().toString());
  }

  @Test
  void bench_anotherServerNamed_measuresThatOne() throws Exception {
    jdk25();

    assertThat(naru("bench", "--server-jar=other.jar", "--site-jar", "site.jar").out)
        .contains("[--server-jar=other.jar]", "[site.jar]")
        .doesNotContain("[--server-jar]", siteJar().toString());
  }

  @Test
  void bench_siteJarMissing_buildsThatToo() throws Exception {
    jdk25();
    naru("bench");
    Files.delete(siteJar());

    naru("bench");

    assertThat(mavenCalls()).hasSize(2).last().asString().contains("-pl examples/concert -am");
    assertThat(siteJar()).exists();
  }

  @Test
  void bench_serverJarMissing_buildsThatToo() throws Exception {
    jdk25();
    naru("bench");
    Files.delete(jar());

    naru("bench");

    assertThat(mavenCalls()).hasSize(2).last().asString().contains("-pl server -am");
    assertThat(List.of(jar(), siteJar(), tree.resolve("bench/target/bench.jar")))
        .allSatisfy(built -> assertThat(built).exists());
  }

  @Test
  void soak_isStartedByItsName_withItsOptions() throws Exception {
    jdk25();

    var run =
        naru("soak", "--minutes", "30", "--seed=-7", "--ledger", "mariadb", "--report", "r.md");

    assertThat(run.exit).isZero();
    assertThat(run.err).contains("seed -7 on mariadb for 30 minutes");
    assertThat(mavenCalls())
        .singleElement()
        .asString()
        .contains("-pl e2e -am", "-Dtest=Soak", "-Dsoak.minutes=30", "-Dsoak.seed=-7")
        .contains("-Dsoak.ledger=mariadb", "-Dsoak.report=" + elsewhere.resolve("r.md"));
  }

  @Test
  void soak_whatWentWrong_isItsExitCode() throws Exception {
    jdk25();
    Files.writeString(tree.resolve("failing"), "");

    assertThat(naru("soak").exit).isEqualTo(3);
  }

  @ParameterizedTest
  @CsvSource({
    "--minutes, 0, from 1 to 1440",
    "--minutes, 1441, from 1 to 1440",
    "--minutes, -1, from 1 to 1440",
    "--minutes, 1.5, from 1 to 1440",
    "--minutes, 99999999999999999999, from 1 to 1440",
    "--seed, x, a whole number",
    "--ledger, oracle, postgres or mariadb",
    "--hours, 1, unknown option"
  })
  void soak_wrongOption_exits2AndSaysWhatIsAllowed(String option, String value, String reason)
      throws Exception {
    var run = naru("soak", option, value);

    assertThat(run.exit).isEqualTo(2);
    assertThat(run.err).contains(option, reason);
    assertThat(naru("soak", option).exit).isEqualTo(2);
  }

  @Test
  void soak_help_needsNoJdk() throws Exception {
    var run = naru("soak", "--help");

    assertThat(run.exit).isZero();
    assertThat(run.out).contains("--minutes N", "--seed S", "--ledger", "--report FILE");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "help", "--help", "-h"})
  void help_isOnStandardOutputAndNeedsNoJdk(String argument) throws Exception {
    var run = argument.isEmpty() ? naru() : naru(argument);

    assertThat(run.exit).isZero();
    assertThat(run.out)
        .contains(
            "./naru up",
            "./naru keys",
            "./naru test",
            "./naru bench",
            "./naru soak",
            "NARU_JAVA_HOME");
    assertThat(run.err).isEmpty();
  }

  @Test
  void unknownCommand_exits2WithAHint() throws Exception {
    var run = naru("upp");

    assertThat(run.exit).isEqualTo(2);
    assertThat(run.err).isEqualTo("naru: unknown command: upp (./naru help shows them)\n");
    assertThat(run.out).isEmpty();
  }

  @Test
  void version_isThatOfTheServer_andNeedsNoJdk() throws Exception {
    Files.copy(Path.of("..", "pom.xml"), tree.resolve("pom.xml"), REPLACE_EXISTING);
    String jars;
    try (var jar = new JarFile(Site.JAR.toFile())) {
      jars = jar.getManifest().getMainAttributes().getValue("Implementation-Version");
    }

    var run = naru("--version");

    assertThat(run.exit).isZero();
    assertThat(run.out).isEqualTo("naru " + jars + "\n");
    assertThat(run.err).isEmpty();
  }

  // --- the stage

  private record Run(int exit, String out, String err) {}

  private record Started(Process process, Path outFile, Path errFile) {
    String err() throws IOException {
      return Files.readString(errFile);
    }

    Run end() throws Exception {
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("ended within a minute").isTrue();
      return new Run(process.exitValue(), Files.readString(outFile), err());
    }
  }

  private Run naru(String... arguments) throws Exception {
    return run(tree.resolve("naru"), arguments);
  }

  private Run run(Path launcher, String... arguments) throws Exception {
    return start(launcher, arguments).end();
  }

  private Started start(Path launcher, String... arguments) throws IOException {
    var command = new ArrayList<>(List.of(launcher.toString()));
    command.addAll(Arrays.asList(arguments));
    var out = Files.createTempFile(temp, "out", "");
    var err = Files.createTempFile(temp, "err", "");
    var builder =
        new ProcessBuilder(command)
            .directory(elsewhere.toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile());
    builder.environment().clear();
    builder.environment().putAll(environment);
    var process = builder.start();
    started.add(process);
    return new Started(process, out, err);
  }

  private List<String> mavenCalls() throws IOException {
    var calls = tree.resolve("mvnw.calls");
    return Files.exists(calls) ? Files.readAllLines(calls) : List.of();
  }

  private Path jar() {
    return tree.resolve("server/target/naru.jar");
  }

  private Path siteJar() {
    return tree.resolve("examples/concert/target/concert.jar");
  }

  private Path lock() {
    return tree.resolve("target/building");
  }

  private void jdk25() throws IOException {
    jdk(jvms.resolve("temurin-25"), "25.0.3");
  }

  private static Path jdk(Path home, String version) throws IOException {
    write(
        home.resolve("release"),
        "IMPLEMENTOR=\"Somebody\"\nJAVA_VERSION=\"" + version + "\"\nOS_NAME=\"Linux\"\n");
    Files.createDirectories(home.resolve("bin"));
    executable(home.resolve("bin/java"), FAKE_JAVA);
    executable(home.resolve("bin/javac"), FAKE_JAVA);
    return home;
  }

  private void isUser(int number) throws IOException {
    executable(bin.resolve("id"), "#!/bin/sh\necho " + number + "\n");
  }

  private void isFreeInMemory(int kilobytes) throws IOException {
    executable(
        bin.resolve("df"),
        """
        #!/bin/sh
        echo Filesystem 1024-blocks Used Available Capacity Mounted on
        echo tmpfs 1 1 %d 1%% %s
        """
            .formatted(kilobytes, MEMORY));
  }

  private void builtHalfAnHourAgo() throws IOException {
    write(jar(), "");
    var hourAgo = FileTime.from(Instant.now().minus(Duration.ofHours(1)));
    try (var files = Files.walk(tree)) {
      for (var file : files.toList()) {
        Files.setLastModifiedTime(file, hourAgo);
      }
    }
    Files.setLastModifiedTime(jar(), FileTime.from(Instant.now().minus(Duration.ofMinutes(30))));
  }

  private static void touch(Path file) throws IOException {
    Files.setLastModifiedTime(file, FileTime.from(Instant.now()));
  }

  private static void write(Path file, String content) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, content);
  }

  private static void executable(Path file, String content) throws IOException {
    Files.writeString(file, content);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private static Path which(String tool) {
    return Arrays.stream(System.getenv("PATH").split(":"))
        .map(folder -> Path.of(folder, tool))
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow(() -> new IllegalStateException(tool + " is not on the PATH"));
  }
}
