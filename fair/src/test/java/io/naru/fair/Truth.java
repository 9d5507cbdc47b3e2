package io.naru.fair;

import io.naru.admission.Allowance;
import io.naru.fair.LogRecord.Back;
import io.naru.fair.LogRecord.ByHand;
import io.naru.fair.LogRecord.Close;
import io.naru.fair.LogRecord.Coin;
import io.naru.fair.LogRecord.Done;
import io.naru.fair.LogRecord.Drawn;
import io.naru.fair.LogRecord.End;
import io.naru.fair.LogRecord.Enter;
import io.naru.fair.LogRecord.Handoff;
import io.naru.fair.LogRecord.Join;
import io.naru.fair.LogRecord.Move;
import io.naru.fair.LogRecord.Pass;
import io.naru.fair.LogRecord.Rules;
import io.naru.fair.LogRecord.Seal;
import io.naru.fair.LogRecord.Seeds;
import io.naru.fair.LogRecord.Settle;
import io.naru.fair.LogRecord.Settled;
import io.naru.line.Score;
import io.naru.queue.Fairness.Draw;
import io.naru.queue.Lane;
import io.naru.queue.QueueId;
import io.naru.queue.Secret;
import io.naru.queue.Settings;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A small queue that keeps to the rules and writes down what happens, as the server does: so there
 * is something true to be falsified.
 */
final class Truth {

  static final QueueId QUEUE = QueueId.parse("CONCERT/2026");
  static final String ORIGIN = "wait.example.com/queue/CONCERT/2026";
  static final Note.Signer SIGNER = new Note.Signer(ORIGIN, Hashes.utf8("k".repeat(32)));
  static final TestChain CHAIN = new TestChain("truth");
  static final long SECOND = 1_000_000;
  static final long START = 1_000 * SECOND;

  private static final Secret SALTS = new Secret(new byte[32]).derive("salt");

  /** Somebody. */
  static final class Person {
    final String user;
    long joined;
    String lane;
    boolean isSettled;
    boolean isWaiting = true;
    boolean isInside;
    boolean isPassed;
    long until;

    Person(String user, long joined, String lane) {
      this.user = user;
      this.joined = joined;
      this.lane = lane;
    }
  }

  private final Consumer<LogRecord> out;
  private final Consumer<Lobby> sealedLists;
  private Settings settings;
  private boolean isOpen;
  private boolean isPaused;
  private long version;
  private Allowance allowance;
  long now = START;
  private long change;
  private long lastNumber = START - 1;
  private long inside;
  private long draws;
  private long lastJoined;
  private long windowEnd;
  private int inWindow;
  private final Map<Person, Long> due = new LinkedHashMap<>();
  private final Map<String, Long> tickets = new LinkedHashMap<>();
  private final Map<String, Deque<Person>> lines = new LinkedHashMap<>();
  private List<Person> unsettled = new ArrayList<>();
  private byte[] seed = new byte[0];
  private final byte[] windowSeed = Hashes.sha256(Hashes.utf8("window"));
  private @Nullable Lobby list;

  Truth(Map<String, ? extends @Nullable Object> settings, Consumer<LogRecord> out) {
    this(settings, out, _ -> {});
  }

  Truth(
      Map<String, ? extends @Nullable Object> settings,
      Consumer<LogRecord> out,
      Consumer<Lobby> sealedLists) {
    this.out = out;
    this.sealedLists = sealedLists;
    this.settings = Settings.DEFAULT.with(settings);
    this.isOpen = true;
    this.allowance = Allowance.full(this.settings.pacing(), now);
    change++;
    rules();
    boolean hasLobby = this.settings.times().lobbyOpensAt().isPresent();
    if (!hasLobby) {
      commit(0);
    }
  }

  static String salt(String user) {
    return Leaves.salt(SALTS, QUEUE, user);
  }

  static byte[] leaf(long joined, String user) {
    return Leaves.leaf(QUEUE, joined, user, salt(user));
  }

  private void emit(LogRecord event) {
    out.accept(event);
  }

  void tick(long micros) {
    now += micros;
  }

  /** The next change. */
  private long next() {
    return ++change;
  }

  private void rules() {
    version++;
    Map<String, @Nullable Object> deciding = new LinkedHashMap<>(settings.asMap());
    deciding.keySet().removeIf(name -> name.startsWith("theme") || name.equals("title"));
    emit(
        new Rules(
            change,
            now,
            version,
            deciding,
            isPaused ? "PAUSED" : "OPEN",
            isOpen,
            isPaused,
            endedAt));
  }

  private long endedAt;

  void edit(Map<String, ? extends @Nullable Object> changes) {
    next();
    var before = settings.pacing();
    settings = settings.with(changes);
    allowance = allowance.repaced(before, settings.pacing(), now);
    rules();
  }

  void pause(boolean is) {
    next();
    isPaused = is;
    rules();
  }

  private void commit(long number) {
    seed = Hashes.sha256(Hashes.utf8("seed " + number));
    boolean isCoin = number > 0 && settings.fairness().draw() == Draw.COIN;
    emit(
        new LogRecord.Lobby(
            change,
            now,
            number,
            settings.fairness().draw(),
            Hashes.hex(Hashes.sha256(seed)),
            Hashes.hex(Hashes.sha256(windowSeed)),
            isCoin ? CHAIN.drand().chain() : ""));
  }

  void openLobby() {
    draws++;
    commit(draws);
    isDrawing = true;
  }

  private boolean isDrawing;

  // --- places

  private int band(String lane) {
    if (lane.equals("fallback")) {
      return Score.FALLBACK;
    }
    List<Lane> lanes = settings.lanes().lanes();
    if (lanes.isEmpty() || lanes.getLast().name().equals(lane)) {
      return 0;
    }
    for (int i = 0; i < lanes.size(); i++) {
      if (lanes.get(lanes.size() - 1 - i).name().equals(lane)) {
        return Score.FIRST_LANE + i - 1;
      }
    }
    throw new IllegalArgumentException(lane);
  }

  private long number() {
    lastNumber = Math.max(lastNumber + 1, now);
    return lastNumber;
  }

  private long ticket(String lane) {
    return tickets.merge(lane, 1L, Long::sum);
  }

  private Deque<Person> line(String lane) {
    return lines.computeIfAbsent(lane, _ -> new ArrayDeque<>());
  }

  Person join(String user) {
    return join(user, settings.lanes().isNone() ? "" : settings.lanes().lanes().getLast().name());
  }

  Person join(String user, String lane) {
    next();
    return joinToo(user, lane);
  }

  /** In the same change as the one before. */
  Person joinToo(String user, String lane) {
    var person = new Person(user, number(), lane);
    String leaf = Leaves.text(leaf(person.joined, user));
    if (isDrawing || settings.fairness().settlesLater()) {
      unsettled.add(person);
      if (!isDrawing) {
        enterWindow(person);
      }
      emit(new Join(change, now, person.joined, leaf, lane, null, 0));
    } else {
      person.isSettled = true;
      line(lane).add(person);
      long score = Score.inBand(band(lane), person.joined);
      emit(new Join(change, now, person.joined, leaf, lane, score, ticket(lane)));
    }
    return person;
  }

  private long j(Person person) {
    return Bytes.getLong(
        Hashes.hmac(windowSeed).doFinal(Hashes.utf8(Long.toString(person.joined))), 0);
  }

  private void enterWindow(Person person) {
    long window = settings.fairness().fairWindowMillis() * 1_000L;
    long jitter = settings.fairness().jitterMillis() * 1_000L;
    if (jitter > 0) {
      due.put(person, person.joined + Long.remainderUnsigned(j(person), jitter + 1));
      return;
    }
    if (person.joined >= windowEnd || inWindow >= 10_000) {
      windowEnd = person.joined + window;
      inWindow = 0;
    }
    inWindow++;
    due.put(person, windowEnd);
  }

  /** Those who are due get their places. */
  void settleDue() {
    List<Person> now = new ArrayList<>();
    unsettled.stream().filter(p -> due.getOrDefault(p, 0L) <= this.now).forEach(now::add);
    if (now.isEmpty()) {
      return;
    }
    now.sort(
        Comparator.comparingLong((Person p) -> due.getOrDefault(p, 0L))
            .thenComparing(this::j, Long::compareUnsigned));
    next();
    now.forEach(this::settle);
    unsettled.removeAll(now);
  }

  private void settle(Person person) {
    person.isSettled = true;
    line(person.lane).add(person);
    long score = Score.inBand(band(person.lane), number());
    emit(new Settle(change, now, person.joined, person.lane, score, ticket(person.lane)));
  }

  // --- the draw

  private List<String> laneNames() {
    List<Lane> lanes = settings.lanes().lanes();
    return lanes.isEmpty() ? List.of("") : lanes.stream().map(Lane::name).toList();
  }

  void close() {
    next();
    lastJoined = lastNumber;
    emit(new Close(change, now, draws, lastJoined, unsettled.size()));
  }

  long seal() {
    next();
    var sealed = new Lobby();
    List<Seal.InLane> counts = new ArrayList<>();
    List<String> names = laneNames();
    for (int lane = 0; lane < names.size(); lane++) {
      String name = names.get(lane);
      int before = sealed.count();
      for (Person person : unsettled) {
        if (person.lane.equals(name) && person.joined <= lastJoined) {
          sealed.add(person.joined, lane, leaf(person.joined, person.user));
        }
      }
      counts.add(new Seal.InLane(name, sealed.count() - before));
    }
    list = sealed;
    boolean isCoin = settings.fairness().draw() == Draw.COIN;
    long round = isCoin ? CHAIN.drand().roundFor(now) : 0;
    emit(new Seal(change, now, draws, Hashes.hex(sealed.root()), sealed.count(), counts, round));
    sealedLists.accept(sealed);
    return round;
  }

  /**
   * @param round of the coin; 0 for none
   */
  Order draw(long round) {
    byte[] signature = round == 0 ? new byte[0] : CHAIN.sign(round);
    next();
    if (round > 0) {
      now = Math.max(now, CHAIN.drand().startOf(round) + SECOND / 2);
      emit(new Coin(change, now, draws, round, Hashes.hex(signature)));
    }
    emit(new Drawn(change, now, draws, round > 0 ? Draw.COIN : Draw.SEED, Hashes.hex(seed)));
    Lobby drawn = Objects.requireNonNull(list);
    byte[] coin = round > 0 ? Drand.randomness(signature) : new byte[0];
    return Order.of(drawn, Order.key(seed, drawn.root(), coin));
  }

  /** All places of the draw, in steps, and those who came late behind them. */
  void settleAll(Order order, int step) {
    Map<Long, Person> waiting = new HashMap<>();
    unsettled.forEach(p -> waiting.put(p.joined, p));
    for (int from = 0; from < order.count(); from += step) {
      int upTo = Math.min(order.count(), from + step);
      next();
      Map<String, Settled.First> firsts = new LinkedHashMap<>();
      List<Long> gone = new ArrayList<>();
      for (int rank = from; rank < upTo; rank++) {
        Person person = waiting.get(order.joinedAt(rank));
        if (person == null || !person.isWaiting) {
          gone.add(order.joinedAt(rank));
          continue;
        }
        person.isSettled = true;
        line(person.lane).add(person);
        long score = Score.inBand(band(person.lane), number());
        firsts.putIfAbsent(person.lane, new Settled.First(score, ticket(person.lane)));
      }
      emit(new Settled(change, now, draws, from, upTo, firsts, gone));
    }
    next();
    unsettled.stream().filter(p -> p.joined > lastJoined && p.isWaiting).forEach(this::settle);
    unsettled = new ArrayList<>();
    isDrawing = false;
    emit(new Done(change, now, draws));
  }

  // --- in and out

  /** As many as may go in now; says who. */
  List<Person> admit() {
    allowance = allowance.at(now, settings.pacing());
    long room = settings.pace().maxCapacity() - inside;
    long places = Math.min(Math.min(room, allowance.tokens(settings.pacing())), 1_000);
    List<Person> in = isPaused ? List.of() : take(places);
    if (!in.isEmpty()) {
      next();
      in.forEach(this::enter);
      allowance = allowance.spend(in.size(), settings.pacing());
    }
    return in;
  }

  void process(int count) {
    List<Person> in = take(Math.min(count, settings.pace().maxCapacity() - inside));
    next();
    emit(new ByHand(change, now, in.size()));
    in.forEach(this::enter);
  }

  private List<Person> take(long places) {
    List<Person> in = new ArrayList<>();
    boolean goesOn = true;
    while (goesOn && in.size() < places) {
      goesOn = false;
      for (Deque<Person> line : lines.values()) {
        Person first = in.size() < places ? first(line) : null;
        if (first != null) {
          line.remove(first);
          in.add(first);
          goesOn = true;
        }
      }
    }
    return in;
  }

  private static @Nullable Person first(Deque<Person> line) {
    while (!line.isEmpty() && !line.peek().isWaiting) {
      line.remove();
    }
    return line.stream().filter(p -> p.isWaiting && !p.isPassed).findFirst().orElse(null);
  }

  private void enter(Person person) {
    person.isWaiting = false;
    person.isInside = true;
    person.until = now + settings.stay().passTtlSeconds() * SECOND;
    inside++;
    emit(new Enter(change, now, person.joined, person.until));
  }

  void end(Person person, String status, String reason) {
    next();
    endToo(person, status, reason);
  }

  void endToo(Person person, String status, String reason) {
    inside -= person.isInside ? 1 : 0;
    person.isInside = false;
    person.isWaiting = false;
    unsettled.remove(person);
    emit(new End(change, now, person.joined, status, reason));
  }

  void pass(Person person) {
    next();
    person.isPassed = true;
    emit(new Pass(change, now, person.joined));
  }

  void back(Person person) {
    next();
    person.isPassed = false;
    emit(new Back(change, now, person.joined));
  }

  void move(Person person, String lane) {
    next();
    line(person.lane).remove(person);
    person.lane = lane;
    if (person.isSettled) {
      line(lane).add(person);
      emit(
          new Move(
              change, now, person.joined, lane, Score.inBand(band(lane), number()), ticket(lane)));
    } else {
      emit(new Move(change, now, person.joined, lane, null, 0));
    }
  }

  Person handOff(Person person, String user) {
    next();
    var taken = new Person(user, number(), person.lane);
    taken.isSettled = true;
    Deque<Person> line = line(person.lane);
    List<Person> all = new ArrayList<>(line);
    all.set(all.indexOf(person), taken);
    line.clear();
    line.addAll(all);
    person.isWaiting = false;
    String leaf = Leaves.text(leaf(taken.joined, user));
    emit(new Handoff(change, now, person.joined, taken.joined, leaf));
    return taken;
  }

  /** The turn of somebody inside is over, and they stand in front again. */
  Person fallBack(Person person) {
    next();
    endToo(person, "EXPIRED", "returned");
    var again = new Person(person.user, number(), "fallback");
    again.isSettled = true;
    line("fallback").add(again);
    String leaf = Leaves.text(leaf(again.joined, again.user));
    long score = Score.inBand(Score.FALLBACK, again.joined);
    emit(new Join(change, now, again.joined, leaf, "fallback", score, ticket("fallback")));
    return again;
  }

  void finish() {
    next();
    isOpen = false;
    isPaused = true;
    endedAt = now;
    rules();
    emit(new Seeds(change, now, Hashes.hex(windowSeed)));
    for (Deque<Person> line : lines.values()) {
      line.stream()
          .filter(p -> p.isWaiting)
          .forEach(p -> emit(new End(change, now, p.joined, "EXPIRED", "")));
    }
  }
}
