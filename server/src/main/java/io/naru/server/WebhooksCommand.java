package io.naru.server;

import io.naru.server.http.Json;
import io.naru.webhook.Delivery.State;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.core.JsonGenerator;

/** {@code naru webhooks}: who is told what happens, of a server that runs. */
@Command(
    name = "webhooks",
    description = {
      "Lists, makes and removes webhooks, gives them new secrets, and shows and repeats what did",
      "not arrive, on a running server."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    synopsisSubcommandLabel =
        "list | add URL | rotate ID | test ID | remove ID | deliveries ID | replay ID")
final class WebhooksCommand implements Runnable {

  private static final String PATH = "/admin/webhooks";
  private static final String ROW = "%-17s  %-20s  %-28s  %-20s  %-20s  %s%n";
  private static final String DELIVERY = "%-36s  %-7s  %-12s  %-20s  %5s  %-20s  %s%n";

  private static final String ID = "The webhook's id, as list shows it.";

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(),
        "say what: list, add URL, rotate ID, test ID, remove ID, deliveries ID or replay ID");
  }

  @Command(
      name = "list",
      description = "Shows all webhooks, and whether they are still told.",
      mixinStandardHelpOptions = true)
  int list(@Mixin RunningServer server) {
    return server.tried(
        err(),
        () -> {
          out().printf(ROW, "ID", "NAME", "STATE", "QUEUES", "EVENTS", "URL");
          pages(server, PATH + "?", "webhooks", this::row);
        });
  }

  @Command(
      name = "add",
      description = "Has somebody told, and shows the secret that signs it, once.",
      mixinStandardHelpOptions = true)
  int add(
      @Parameters(paramLabel = "URL", description = "Where it is told: https://…") String url,
      @Option(
              names = "--name",
              paramLabel = "NAME",
              description = "For people, in lists. Default: its id")
          @Nullable String name,
      @Option(
              names = "--queues",
              paramLabel = "QUEUE",
              split = ",",
              description = "Only of these: TYPE/id, or TYPE/* for all of a type. Default: all")
          @Nullable List<String> queues,
      @Option(
              names = "--events",
              paramLabel = "EVENT",
              split = ",",
              description = "Only these, as docs/webhooks.md names them. Default: the usual ones")
          @Nullable List<String> events,
      @Mixin RunningServer server) {
    String body =
        body(
            json -> {
              json.writeStringProperty("url", url);
              if (name != null) {
                json.writeStringProperty("name", name);
              }
              texts(json, "queues", queues);
              texts(json, "events", events);
            });
    return server.tried(
        err(), () -> secret(server.object(server.done(201, "POST", PATH, body, err()))));
  }

  @Command(
      name = "rotate",
      description = {
        "Gives it a new secret and shows that, once. For a while what is sent is signed with both."
      },
      mixinStandardHelpOptions = true)
  int rotate(
      @Parameters(paramLabel = "ID", description = ID) String id,
      @Option(
              names = "--overlap",
              paramLabel = "SECONDS",
              description = "For how long; 0 if somebody else may know the old one. Default: a day")
          @Nullable Long overlap,
      @Mixin RunningServer server) {
    String path = path(id) + "/rotate";
    String body =
        body(
            json -> {
              if (overlap != null) {
                json.writeNumberProperty("overlapSeconds", overlap);
              }
            });
    return server.tried(
        err(), () -> secret(server.object(server.done(200, "POST", path, body, err()))));
  }

  @Command(
      name = "test",
      description = "Sends it a ping; `deliveries` shows what came of that.",
      mixinStandardHelpOptions = true)
  int test(
      @Parameters(paramLabel = "ID", description = ID) String id, @Mixin RunningServer server) {
    String path = path(id) + "/test";
    return server.tried(err(), () -> sent(server.done(202, "POST", path, "{}", err()), server));
  }

  @Command(
      name = "remove",
      description = "Forgets it with its deliveries; nothing is sent there any more.",
      mixinStandardHelpOptions = true)
  int remove(
      @Parameters(paramLabel = "ID", description = ID) String id, @Mixin RunningServer server) {
    String path = path(id);
    return server.tried(
        err(),
        () -> {
          var _ = server.done(204, "DELETE", path, "", err());
        });
  }

  @Command(
      name = "deliveries",
      description = "Shows what did not arrive, the latest first.",
      mixinStandardHelpOptions = true)
  int deliveries(
      @Parameters(paramLabel = "ID", description = ID) String id,
      @Option(
              names = "--state",
              paramLabel = "STATE",
              description = "Others: " + State.ALLOWED + ". Default: failed")
          @Nullable String state,
      @Mixin RunningServer server) {
    String wanted = Objects.requireNonNullElse(state, State.FAILED.word());
    if (!wanted.matches("[a-z]{1,16}")) {
      throw new ParameterException(spec.commandLine(), "--state: is none of " + State.ALLOWED);
    }
    String path = path(id) + "/deliveries?state=" + wanted + "&";
    return server.tried(
        err(),
        () -> {
          out().printf(DELIVERY, "ID", "STATE", "EVENT", "QUEUE", "TRIES", "LAST TRY", "ANSWER");
          pages(server, path, "deliveries", this::delivery);
        });
  }

  @Command(
      name = "replay",
      description = "Sends again what did not arrive, under the same id.",
      mixinStandardHelpOptions = true)
  int replay(
      @Parameters(paramLabel = "ID", description = ID) String id,
      @Parameters(
              paramLabel = "DELIVERY",
              arity = "0..1",
              description = "This one, as deliveries shows it.")
          @Nullable String delivery,
      @Option(
              names = "--since",
              paramLabel = "TIME",
              description = "Or all that failed since then, like 2027-01-31T18:00:00Z.")
          @Nullable String since,
      @Mixin RunningServer server) {
    if ((delivery == null) == (since == null)) {
      throw new ParameterException(spec.commandLine(), "say which: DELIVERY, or --since TIME");
    }
    if (delivery == null) {
      String path = path(id) + "/replay";
      String body = body(json -> json.writeStringProperty("since", since));
      return server.tried(
          err(),
          () -> {
            var done = server.object(server.done(202, "POST", path, body, err()));
            out().println(done.get("replayed") + " are sent again");
            out().flush();
          });
    }
    if (!delivery.matches("[0-9A-Za-z_]{1,64}")) {
      throw new ParameterException(
          spec.commandLine(), "DELIVERY: is not the id of a delivery: " + delivery);
    }
    String path = path(id) + "/deliveries/" + delivery + "/replay";
    return server.tried(err(), () -> sent(server.done(202, "POST", path, "{}", err()), server));
  }

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }

  private PrintWriter err() {
    return spec.commandLine().getErr();
  }

  private String path(String id) {
    if (!id.matches("[0-9a-f]{1,32}")) {
      throw new ParameterException(spec.commandLine(), "ID: is not the id of a webhook: " + id);
    }
    return PATH + "/" + id;
  }

  private static String body(Json.Fields fields) {
    return Json.object(fields).toString(StandardCharsets.UTF_8);
  }

  private static void texts(JsonGenerator json, String field, @Nullable List<String> texts) {
    if (texts != null) {
      json.writeArrayPropertyStart(field);
      texts.forEach(json::writeString);
      json.writeEndArray();
    }
  }

  /** Has each one of all pages of a list. */
  private void pages(RunningServer server, String path, String field, Consumer<Map<?, ?>> each)
      throws RunningServer.Failure {
    @Nullable Object after = "";
    while (after != null) {
      String more = after.equals("") ? "" : "after=" + after;
      var page = server.object(server.done(200, "GET", path + more, "", err()));
      if (page.get(field) instanceof List<?> rows) {
        for (Object row : rows) {
          if (row instanceof Map<?, ?> one) {
            each.accept(one);
          }
        }
      }
      after = page.get("next");
    }
    out().flush();
  }

  private void row(Map<?, ?> webhook) {
    boolean isOn = Boolean.TRUE.equals(webhook.get("enabled"));
    String because = webhook.get("because") instanceof String words ? ": " + words : "";
    String state =
        !isOn
            ? "ended" + because
            : webhook.get("rotatingUntil") == null
                ? "on"
                : "two secrets until " + seconds(webhook.get("rotatingUntil"));
    out()
        .printf(
            ROW,
            webhook.get("id"),
            webhook.get("name"),
            state,
            words(webhook.get("queues"), "all"),
            words(webhook.get("events"), "the usual"),
            webhook.get("url"));
  }

  private void delivery(Map<?, ?> one) {
    Object answer = one.get("error") == null ? one.get("status") : one.get("error");
    out()
        .printf(
            DELIVERY,
            one.get("id"),
            one.get("state"),
            one.get("event"),
            Objects.requireNonNullElse(one.get("queue"), "-"),
            one.get("tries"),
            seconds(one.get("triedAt")),
            Objects.requireNonNullElse(answer, "-"));
  }

  private static String words(@Nullable Object texts, String none) {
    return texts instanceof List<?> some
        ? String.join(" ", some.stream().map(String::valueOf).toList())
        : none;
  }

  private static String seconds(@Nullable Object time) {
    return time == null ? "-" : time.toString().replaceAll("\\..*", "Z");
  }

  private void secret(Map<String, @Nullable Object> webhook) {
    out().println(webhook.get("secret"));
    out().flush();
    err()
        .println(
            "the secret of %s, id %s: it is not shown again"
                .formatted(webhook.get("name"), webhook.get("id")));
  }

  private void sent(String json, RunningServer server) throws RunningServer.Failure {
    out().println(server.object(json).get("id") + " is on its way");
    out().flush();
  }
}
