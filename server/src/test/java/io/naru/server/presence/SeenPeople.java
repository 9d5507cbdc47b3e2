package io.naru.server.presence;

import io.naru.queue.Queues;
import io.naru.queue.Seen;
import io.naru.queue.Sightings;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

/** A store that is told who is there, and nothing else; it remembers each by when they joined. */
public final class SeenPeople {

  private final List<Long> joined = new CopyOnWriteArrayList<>();

  public Queues store() {
    return (Queues)
        Proxy.newProxyInstance(
            Queues.class.getClassLoader(),
            new Class<?>[] {Queues.class},
            (_, _, args) -> {
              var people = ((Sightings) args[1]).people();
              joined.addAll(people.stream().map(Sightings.Sight::joined).toList());
              return CompletableFuture.completedStage(new Seen(true, Set.of()));
            });
  }

  public List<Long> joined() {
    return joined;
  }
}
