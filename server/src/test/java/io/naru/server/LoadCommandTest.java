package io.naru.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.load.Count;
import io.naru.load.Course;
import io.naru.load.Crowd;
import io.naru.load.Errand;
import io.naru.load.Habits;
import io.naru.load.Report;
import io.naru.load.Wave;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** {@code naru load} and the crowd behind it, against a server that runs. */
class LoadCommandTest {

  @TempDir private static Path folder;
  private static TestServer server;

  private record Run(int exit, String out) {}

  @BeforeAll
  static void start() {
    server = TestServer.onMemory(folder);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static String url() {
    return "http://127.0.0.1:" + server.port();
  }

  private static Run load(String... args) {
    var out = new StringWriter();
    int exit =
        Main.commandLine()
            .setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(out, true))
            .execute(args);
    return new Run(exit, out.toString());
  }

  @Test
  void load_untilNobodyHasAnythingLeftToDo_leavesAReport() throws IOException {
    server.activate("LOAD/1", "\"maxCapacity\":1000,\"entryBatchSize\":40").is(201);
    Path report = folder.resolve("report.html");

    Run run =
        load(
            "load",
            "LOAD/1",
            "--url",
            url(),
            "--visitors",
            "60",
            "--over",
            "0",
            "--leaving",
            "0",
            "--sleeping",
            "0",
            "--paying",
            "100",
            "--stay",
            "0",
            "--seed",
            "1",
            "--threads",
            "1",
            "--report",
            report.toString());

    assertThat(run.exit).as(run.out).isZero();
    assertThat(run.out).contains("arrived 60", "got in 60", "completed 60", "0 errors", "Report: ");
    assertThat(Files.readString(report)).contains("Load on LOAD/1", "seed 1");
    assertThat(figure("LOAD/1", "completed")).isEqualTo(60);
  }

  /** Whatever the crowd says it did, the queue has counted, too. */
  @ParameterizedTest
  @EnumSource
  void crowd_doesWhatItSays(Errand.Follow follow) {
    String queue = "CROWD/" + follow.name();
    server.activate(queue, "\"maxCapacity\":1000,\"entryBatchSize\":30").is(201);
    var errand =
        new Errand(
            URI.create(url()),
            queue,
            new Wave(100, Duration.ZERO, Wave.Shape.STEADY),
            new Habits(30, 20, 60, 0, Duration.ofSeconds(1), Duration.ofSeconds(0)),
            follow,
            8,
            50,
            "User-Id",
            5);
    Course course;
    try (var crowd = Crowd.start(errand, 2)) {
      Awaitility.await().atMost(Duration.ofSeconds(60)).until(crowd::isOver);
      course = crowd.course();
    }

    assertThat(course.total(Count.ARRIVED)).isEqualTo(100);
    assertThat(course.total(Count.JOINED)).isEqualTo(100);
    assertThat(course.errors()).isEmpty();
    assertThat(course.total(Count.LEFT)).isPositive().isEqualTo(figure(queue, "left"));
    assertThat(course.total(Count.COMPLETED)).isPositive().isEqualTo(figure(queue, "completed"));
    assertThat(course.total(Count.ASLEEP)).isPositive();
    // Nobody is in two states at the end.
    assertThat(course.total(Count.TOLD) + course.total(Count.LEFT) + course.total(Count.ASLEEP))
        .isEqualTo(100);
    assertThat(course.waits().getTotalCount()).isEqualTo(course.total(Count.TOLD));
  }

  /** Who could not pay keeps the place inside, and pays then. */
  @Test
  void crowd_whosePaymentsFail_completesAtTheSecondTry() {
    server.activate("LOAD/failing", "\"maxCapacity\":1000,\"entryBatchSize\":100").is(201);
    var errand =
        new Errand(
            URI.create(url()),
            "LOAD/failing",
            new Wave(60, Duration.ZERO, Wave.Shape.STEADY),
            new Habits(0, 0, 100, 50, Duration.ofSeconds(1), Duration.ZERO),
            Errand.Follow.POLL,
            8,
            0,
            "User-Id",
            5);
    Course course;
    try (var crowd = Crowd.start(errand, 1)) {
      Awaitility.await().atMost(Duration.ofSeconds(60)).until(crowd::isOver);
      course = crowd.course();
    }

    assertThat(course.errors()).isEmpty();
    assertThat(course.total(Count.RETURNED)).isBetween(1L, 59L);
    assertThat(course.total(Count.COMPLETED)).isEqualTo(60);
    assertThat(figure("LOAD/failing", "completed")).isEqualTo(60);
    assertThat(new Report(errand, course, "now").html())
        .contains("failed payments", "50 % of them at the second try");
  }

  /** There is no other try, or it is over before they are done: they wait in front again. */
  @ParameterizedTest
  @CsvSource({"0, 0, 1", "1, 2, 8"})
  void crowd_whoseOtherTryIsOver_waitsInFrontAndCompletes(
      int retrySeconds, int staySeconds, int intervalSeconds) {
    String queue = "LOAD/again" + retrySeconds;
    server
        .activate(
            queue,
            "\"maxCapacity\":1000,\"entryBatchSize\":20,\"entryIntervalSeconds\":%d,\"retrySeconds\":%d"
                .formatted(intervalSeconds, retrySeconds))
        .is(201);
    var errand =
        new Errand(
            URI.create(url()),
            queue,
            new Wave(20, Duration.ZERO, Wave.Shape.STEADY),
            new Habits(0, 0, 100, 50, Duration.ofSeconds(1), Duration.ofSeconds(staySeconds)),
            Errand.Follow.STREAM,
            8,
            50,
            "User-Id",
            5);
    Course course;
    try (var crowd = Crowd.start(errand, 1)) {
      Awaitility.await().atMost(Duration.ofSeconds(60)).until(crowd::isOver);
      course = crowd.course();
    }

    assertThat(course.errors()).isEmpty();
    assertThat(course.total(Count.RETURNED)).isBetween(1L, 19L);
    assertThat(course.total(Count.COMPLETED)).isEqualTo(20);
    assertThat(course.total(Count.TOLD)).as("some of them twice").isGreaterThan(20);
    assertThat(course.total(Count.JOINED)).isEqualTo(course.total(Count.TOLD));
    assertThat(figure(queue, "completed")).isEqualTo(20);
  }

  @Test
  void crowd_beforeAClosedDoor_goesAwayInTheEnd_andSaysWhy() {
    server.activate("LOAD/closed", "\"maxCapacity\":1").is(201);
    String name = "{\"eventType\":\"LOAD\",\"eventId\":\"closed\"}";
    server.admin("POST", "/admin/queue/deactivate", name).is(200);

    Run run =
        load(
            "load",
            "LOAD/closed",
            "--url",
            url(),
            "--visitors",
            "3",
            "--over",
            "0",
            "--at-most",
            "1",
            "--report",
            folder.resolve("closed.html").toString());

    assertThat(run.exit).isEqualTo(1);
    assertThat(run.out).contains("× enter 403 S805");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "load|Missing required parameter: 'TYPE/id'",
        "load NONE/1|TYPE/id: there is no queue NONE/1",
        "load SALE|TYPE/id: is not a queue: SALE",
        "load SALE/1 --visitors 0|--visitors: must be 1..1000000, is 0",
        "load SALE/1 --visitors 1e9|Invalid value for option '--visitors'",
        "load SALE/1 --over 999999|--over: must be 0..21600, is 999999",
        "load SALE/1 --leaving 60 --sleeping 60|--leaving and --sleeping together: must be 0..100",
        "load SALE/1 --shape flood|--shape: must be one of burst, ramp, steady, is flood",
        "load SALE/1 --follow rumour|--follow: must be one of stream, socket, poll, board, is rumour",
        "load SALE/1 --connections 100000|--connections: must be 1..10000, is 100000",
        "load SALE/1 --threads 0|--threads: must be 1..64, is 0",
        "load SALE/1 --at-most 0|--at-most: must be 1..86400, is 0",
        "load SALE/1 --url http://192.0.2.1:8080|say so with --allow-host 192.0.2.1",
        "load SALE/1 --url http://192.0.2.1:8080 --allow-host 192.0.2.2|is not this machine",
        "load SALE/1 --url ftp://127.0.0.1|--url: must be the address of a Naru",
        "load SALE/1 --failing 101|--failing: must be 0..100, is 101",
        "load SALE/1 --ca pom.xml|--ca: is for https, and --url is http",
        "load SALE/1 --ca pom.xml --url https://127.0.0.1|--ca: cannot be read, or has no",
        "load SALE/1 --ca none --url https://127.0.0.1|--ca: cannot be read, or has no",
      })
  void absurd_isRefusedWithTheRange(String line, String message) {
    String given = line.contains("--url") ? line : line + " --url " + url();
    Run run = load(given.split(" ", -1));

    assertThat(run.exit).isEqualTo(2);
    assertThat(run.out).contains(message);
  }

  private static long figure(String queue, String name) {
    var figures = server.admin("GET", "/admin/queues/" + queue, "").object("figures");
    return figures.get(name) instanceof Number number ? number.longValue() : -1;
  }
}
