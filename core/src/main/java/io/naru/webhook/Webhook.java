package io.naru.webhook;

import io.naru.access.Reach;
import io.naru.audit.Act;
import io.naru.queue.Actor;
import io.naru.queue.Micros;
import io.naru.queue.QueueId;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Somebody outside who is told what happens in queues; without the secret that signs what they are
 * told. All times are microseconds, see {@link Micros}; 0 means never.
 *
 * @param id later ones have higher ones
 * @param name for people
 * @param url where they are told
 * @param reach of which queues
 * @param events of what, in words, in order; none for {@link Kinds#BY_DEFAULT}
 * @param version changed with everything that an operator changes
 * @param rotatingUntil when the last of its former secrets signs no more
 * @param endedAt since when nothing is sent there
 * @param because why that is; empty as long as something is
 */
public record Webhook(
    String id,
    String name,
    String url,
    Reach reach,
    List<String> events,
    long createdAt,
    String createdBy,
    long version,
    long rotatingUntil,
    long endedAt,
    String because) {

  public Webhook {
    events = List.copyOf(events);
  }

  public boolean isEnded() {
    return endedAt != 0;
  }

  /** Whether it is to be told of this. */
  public boolean wants(String kind, @Nullable QueueId queue) {
    return !isEnded()
        && (events.isEmpty() ? Kinds.BY_DEFAULT : events).contains(kind)
        && (queue == null || reach.includes(queue));
  }

  /** The same with other values of an operator's. */
  public Webhook edited(String newName, String newUrl, Reach newReach, List<String> newEvents) {
    return new Webhook(
        id,
        newName,
        newUrl,
        newReach,
        newEvents,
        createdAt,
        createdBy,
        version + 1,
        rotatingUntil,
        endedAt,
        because);
  }

  public Webhook rotating(long until) {
    return new Webhook(
        id, name, url, reach, events, createdAt, createdBy, version + 1, until, endedAt, because);
  }

  /** Nothing is sent there any more. */
  public Webhook ended(long at, String why) {
    return new Webhook(
        id, name, url, reach, events, createdAt, createdBy, version + 1, rotatingUntil, at, why);
  }

  /** What happens from now on is sent there again. */
  public Webhook begun() {
    return ended(0, "");
  }

  /** An act about it. What else is in its address may be a secret, so only the host is told. */
  public Act act(Actor by, Act.Kind kind, @Nullable Webhook before) {
    boolean isGone = kind == Act.Kind.WEBHOOK_DELETE;
    return new Act(
        by, kind, null, before == null ? Map.of() : before.told(), isGone ? Map.of() : told());
  }

  private Map<String, @Nullable Object> told() {
    Map<String, @Nullable Object> told = new LinkedHashMap<>();
    told.put("id", id);
    told.put("name", name);
    told.put("host", host());
    told.put("queues", reach.isAll() ? null : reach.names());
    told.put("events", events.isEmpty() ? null : events);
    told.put("rotatingUntil", rotatingUntil == 0 ? null : Micros.iso(rotatingUntil));
    told.put("endedAt", endedAt == 0 ? null : Micros.iso(endedAt));
    told.put("because", because.isEmpty() ? null : because);
    return told;
  }

  /** The part of its address that is no secret. */
  public String host() {
    return String.valueOf(URI.create(url).getHost());
  }
}
