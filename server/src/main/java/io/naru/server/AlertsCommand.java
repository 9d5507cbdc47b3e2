package io.naru.server;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code naru alerts}: rules for Prometheus, with the thresholds that are wanted. */
@Command(
    name = "alerts",
    description = "Prints alert rules for Prometheus.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
final class AlertsCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Option(
      names = "--waiting",
      paramLabel = "COUNT",
      description = "ManyWaiting: more people than that in one queue. Default: 10000")
  private long waiting = 10_000;

  @Option(
      names = "--too-large",
      paramLabel = "COUNT",
      description = "QueueTooLarge: more than that for five minutes. Default: 100000")
  private long tooLarge = 100_000;

  @Option(
      names = "--wait-seconds",
      paramLabel = "SECONDS",
      description = "LongAverageWait: whoever gets in waits longer on average. Default: 600")
  private double waitSeconds = 600;

  @Option(
      names = "--rate",
      paramLabel = "COUNT",
      description = {
        "ProcessingRateLow: fewer than that get into a queue for three minutes while people wait."
            + " Set",
        "it to what your site can take. Default: 500"
      })
  private double rate = 500;

  @Option(
      names = "--rate-per",
      paramLabel = "UNIT",
      description = "A second or a minute. Default: second")
  private String ratePer = "second";

  @Option(
      names = "--redis-millis",
      paramLabel = "MILLIS",
      description = "SlowRedis: it takes longer to answer on average. Default: 100")
  private double redisMillis = 100;

  @Option(
      names = "--stream-failures",
      paramLabel = "PERCENT",
      description = "StreamsFail: a larger share of all streams. Default: 5")
  private double streamFailures = 5;

  @Option(
      names = "--errors",
      paramLabel = "COUNT",
      description = "HighErrorRate: more a second for two minutes. Default: 10")
  private double errors = 10;

  @Option(
      names = "--log-seconds",
      paramLabel = "SECONDS",
      description = "LogBehind: what happened longer ago is in no log. Default: 30")
  private double logSeconds = 30;

  @Option(
      names = "--kafka-seconds",
      paramLabel = "SECONDS",
      description = "KafkaBehind: what happened longer ago is not in Kafka. Default: 60")
  private double kafkaSeconds = 60;

  @Option(
      names = "--webhook-seconds",
      paramLabel = "SECONDS",
      description = "WebhooksBehind: a delivery has been on its way for longer. Default: 600")
  private double webhookSeconds = 600;

  @Option(
      names = "--disk-free",
      paramLabel = "PERCENT",
      description = "DiskFilling: less of the disk is left. Default: 10")
  private double diskFree = 10;

  @Option(
      names = "--job",
      paramLabel = "NAME",
      description = "Under which Prometheus scrapes the servers. Default: naru")
  private String job = "naru";

  @Override
  public Integer call() {
    spec.commandLine().getOut().print(rules());
    spec.commandLine().getOut().flush();
    return CommandLine.ExitCode.OK;
  }

  private String rules() {
    if (!ratePer.equals("second") && !ratePer.equals("minute")) {
      throw bad("--rate-per", "must be second or minute, is " + ratePer);
    }
    if (!job.matches("[A-Za-z0-9_.:/-]{1,100}")) {
      throw bad("--job", "is not the name of a job: " + job);
    }
    Map<String, String> values = new LinkedHashMap<>();
    values.put("waiting", number("--waiting", (double) waiting, 1e12));
    values.put("too-large", number("--too-large", (double) tooLarge, 1e12));
    values.put("wait-seconds", number("--wait-seconds", waitSeconds, 1e9));
    values.put("rate", number("--rate", rate, 1e9));
    values.put("rate-per", ratePer);
    values.put("rate-factor", ratePer.equals("minute") ? "60" : "1");
    values.put("redis-seconds", number("--redis-millis", redisMillis, 1e9, 1_000));
    values.put("stream-failures", number("--stream-failures", streamFailures, 100));
    values.put("errors", number("--errors", errors, 1e9));
    values.put("log-seconds", number("--log-seconds", logSeconds, 1e9));
    values.put("kafka-seconds", number("--kafka-seconds", kafkaSeconds, 1e9));
    values.put("webhook-seconds", number("--webhook-seconds", webhookSeconds, 1e9));
    values.put("disk-free", number("--disk-free", diskFree, 100));
    values.put("job", job);
    String text = Monitoring.text(Monitoring.ALERTS);
    for (Map.Entry<String, String> value : values.entrySet()) {
      text = text.replace("%" + value.getKey() + "%", value.getValue());
    }
    return text;
  }

  private String number(String option, double value, double max) {
    return number(option, value, max, 1);
  }

  /** As Prometheus reads it, without a fraction where there is none. */
  private String number(String option, double value, double max, int divisor) {
    if (!(value > 0 && value <= max)) {
      throw bad(option, "must be more than 0" + (max == 100 ? " and at most 100" : ""));
    }
    double part = value / divisor;
    return part == Math.rint(part) ? Long.toString((long) part) : Double.toString(part);
  }

  private ParameterException bad(String option, String problem) {
    return new ParameterException(spec.commandLine(), option + ": " + problem);
  }
}
