package io.naru.kafka;

import static java.util.concurrent.TimeUnit.SECONDS;

import io.naru.batch.BatchObserver;
import io.naru.ledger.Ledger;
import io.naru.memory.MemoryCopy;
import io.naru.queue.Actor;
import io.naru.queue.Admission;
import io.naru.queue.Edit;
import io.naru.queue.Joined;
import io.naru.queue.QueueId;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/**
 * A server that somebody kills: people join two queues, and what happens goes to Kafka. It ends in
 * order when it is told so, and at once when whoever started it is gone.
 */
final class RelayMain {

  static final List<QueueId> QUEUES = List.of(new QueueId("KILL", "1"), new QueueId("KILL", "2"));

  private static volatile boolean isOver;

  private RelayMain() {}

  /**
   * @param args the ledger's address, the brokers, the topic, and which life this is
   */
  public static void main(String[] args) throws Exception {
    Thread.ofPlatform().daemon().start(RelayMain::listen);
    var config = new Ledger.Config(args[0], null, null, false);
    try (Ledger ledger = Ledger.open(config, InstantSource.system())) {
      ledger.start(new MemoryCopy(), BatchObserver.NONE);
      ledger.serve();
      var kafka = new KafkaConfig(args[1], args[2], null, Map.of());
      // The same server in every life: nobody has to wait until the one before is forgotten.
      try (var relay = new Relay(ledger.feed(), kafka, ledger.id(), "one")) {
        ledger.feed().listen(Relay.READER);
        relay.start();
        for (QueueId queue : QUEUES) {
          activate(ledger, queue);
        }
        System.out.println("up");
        for (int i = 0; !isOver; i++) {
          try {
            step(ledger, args[3] + "-" + i);
          } catch (ExecutionException | TimeoutException e) {
            // A busy machine: what counts is what the ledger has in the end.
            System.err.println(e);
          }
        }
        while (!ledger.feed().unread(Relay.READER, 10).isEmpty()) {
          Thread.sleep(20);
        }
        System.out.println("done");
      }
    }
  }

  /** On a busy machine the ledger may not answer in time; then it is asked again. */
  private static void activate(Ledger ledger, QueueId queue) throws InterruptedException {
    while (true) {
      try {
        ledger
            .queues()
            .edit(queue, Edit.activate(Map.of("events", List.of("joined", "entered"))))
            .toCompletableFuture()
            .get(5, SECONDS);
        return;
      } catch (ExecutionException | TimeoutException e) {
        System.err.println(e);
      }
    }
  }

  private static void step(Ledger ledger, String name) throws Exception {
    List<CompletionStage<Joined>> joins = new ArrayList<>();
    for (QueueId queue : QUEUES) {
      for (int i = 0; i < 10; i++) {
        joins.add(ledger.queues().join(queue, name + "-" + i));
      }
    }
    for (CompletionStage<Joined> join : joins) {
      join.toCompletableFuture().get(5, SECONDS);
    }
    for (QueueId queue : QUEUES) {
      ledger
          .queues()
          .admit(queue, new Admission.ByHand(5, Actor.SYSTEM))
          .toCompletableFuture()
          .get(5, SECONDS);
    }
    Thread.sleep(10);
  }

  private static void listen() {
    try {
      int read = System.in.read();
      isOver = read >= 0;
      if (read < 0) {
        Runtime.getRuntime().halt(1);
      }
    } catch (java.io.IOException e) {
      Runtime.getRuntime().halt(1);
    }
  }
}
