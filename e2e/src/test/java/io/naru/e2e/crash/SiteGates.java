package io.naru.e2e.crash;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;

import io.naru.gate.Gate;
import io.naru.pass.Reason;
import io.naru.pass.Verification;
import io.naru.testkit.FaultProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The site behind a queue: one gate for each server, whose passes it takes, with a way of its own
 * to that server, which can be cut. Every pass that anybody was shown is brought there.
 */
final class SiteGates implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration POLL_EVERY = Duration.ofMillis(200);
  private static final Pattern KEY_ID = Pattern.compile("\"kid\":\"([^\"]+)\"");

  private final Run run;
  private final Look look;
  private final Map<String, Gate> gates = new HashMap<>();
  private final List<FaultProxy> ways = new ArrayList<>();

  /** With which the passes were signed that were let in. */
  private final Set<String> keys = new HashSet<>();

  /** Those that were refused because their turn is over. */
  private final List<Call> over = new ArrayList<>();

  private final List<String> refused = new ArrayList<>();
  private int brought;
  private @Nullable Call last;

  SiteGates(Stage stage, Run run) {
    this(stage, run, Gate::check);
  }

  SiteGates(Stage stage, Run run, Look look) {
    this.run = run;
    this.look = look;
    String queue = run.queue().type() + "/" + run.queue().id();
    for (Node node : stage.nodes()) {
      FaultProxy way = FaultProxy.to(node.port());
      ways.add(way);
      gates.put(
          node.name(),
          Gate.builder("http://127.0.0.1:" + way.port(), queue)
              .publicUrl("http://127.0.0.1:" + node.port())
              .pollEvery(POLL_EVERY)
              .open());
    }
    await("open gates").atMost(PATIENCE).until(() -> all(gate -> gate.status().ready()));
  }

  /** How a site looks at a pass. */
  interface Look {
    Verification at(Gate gate, String pass);
  }

  private interface Is {
    boolean of(Gate gate);
  }

  private boolean all(Is what) {
    return gates.values().stream().allMatch(what::of);
  }

  /** Waits until each gate knows so many keys. */
  void awaitKeys(int count) {
    await("keys").atMost(PATIENCE).until(() -> all(gate -> gate.status().keys() >= count));
  }

  /** No gate reaches its server any more; returns once all have noticed. */
  void cutOff() {
    ways.forEach(FaultProxy::refuse);
    await("gates cut off").atMost(PATIENCE).until(() -> all(it -> it.status().problem() != null));
  }

  void heal() {
    ways.forEach(FaultProxy::heal);
    await("gates that hear").atMost(PATIENCE).until(() -> all(it -> it.status().problem() == null));
  }

  /** Waits until somebody was let in with a pass that another key has signed than all before. */
  void awaitAnotherKey() {
    int before = keys.size();
    await("another key")
        .atMost(PATIENCE)
        .until(
            () -> {
              bring();
              return keys.size() > before;
            });
  }

  private void bring() {
    List<Call> calls = run.history().calls();
    for (Call call : calls.subList(brought, calls.size())) {
      if (call.seen() != null && call.seen().isEntered()) {
        judge(call, check(call, call.seen().pass()));
      }
    }
    brought = calls.size();
  }

  private Verification check(Call call, String pass) {
    return look.at(Objects.requireNonNull(gates.get(call.server())), pass);
  }

  private void judge(Call call, Verification verification) {
    switch (verification) {
      case Verification.Verified _ -> {
        keys.add(keyOf(Told.seen(call).pass()));
        last = call;
      }
      case Verification.Refused(Reason reason, _) when reason == Reason.TURN_OVER -> over.add(call);
      case Verification.Refused(Reason reason, _) -> refused.add(reason + " for " + call);
    }
  }

  /** What is none of theirs is refused, whatever is reached or not. */
  List<String> takenThoughForged() {
    Call call = Objects.requireNonNull(last, "nobody was let in");
    String pass = Told.seen(call).pass();
    String key = keyOf(pass);
    String[] parts = pass.split("\\.", -1);
    String header = new String(Base64.getUrlDecoder().decode(parts[0]), UTF_8);
    String unknown = encoded(header.replace(key, new StringBuilder(key).reverse()));
    char first = parts[2].charAt(0);
    String changed = (first == 'A' ? 'B' : 'A') + parts[2].substring(1);
    List<String> taken = new ArrayList<>();
    for (String forged :
        List.of(
            parts[0] + "." + parts[1] + "." + changed,
            parts[0] + "." + parts[1] + ".",
            unknown + "." + parts[1] + "." + parts[2])) {
      if (check(call, forged) instanceof Verification.Verified) {
        taken.add(forged);
      }
    }
    return taken;
  }

  private static String encoded(String text) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(UTF_8));
  }

  private static String keyOf(String pass) {
    String header = pass.substring(0, pass.indexOf('.'));
    Matcher id = KEY_ID.matcher(new String(Base64.getUrlDecoder().decode(header), UTF_8));
    InvalidRun.unless(id.find(), "a pass names no key");
    return id.group(1);
  }

  /** Whoever was refused although it was their turn. */
  List<String> refusedInTurn() {
    // Their own call may have ended it, of which the gate has heard before they have.
    await("the ends of turns")
        .atMost(PATIENCE)
        .until(() -> over.stream().allMatch(this::mayBeOver));
    return refused;
  }

  private boolean mayBeOver(Call shown) {
    return run.history()
            .count(
                call ->
                    call.mayEnd()
                        && call.user().equals(shown.user())
                        && call.meant() == Told.seen(shown).joined())
        > 0;
  }

  @Override
  public void close() {
    gates.values().forEach(Gate::close);
    ways.forEach(FaultProxy::close);
  }
}
