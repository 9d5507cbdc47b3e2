package io.naru.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.naru.journal.Event;
import io.naru.journal.Happened;
import io.naru.journal.Unread;
import io.naru.queue.EventKind;
import io.naru.queue.Json;
import io.naru.queue.Micros;
import io.naru.queue.QueueId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;

/**
 * Events as CloudEvents 1.0 in Kafka's binary mode: attributes are headers, the data is the value,
 * and the key is the queue, so that all events of one are in one partition, in order.
 */
final class CloudEvent {

  /** What says that events are missing. */
  static final String GAP = "io.naru.gap";

  private static final Header SPEC = header("ce_specversion", "1.0");
  private static final Header JSON = header("content-type", "application/json");
  private static final Map<EventKind, Header> TYPES =
      Arrays.stream(EventKind.values())
          .collect(Collectors.toMap(kind -> kind, kind -> header("ce_type", kind.type())));

  private final String topic;
  private final Header source;

  /**
   * @param ledger names where the events come from
   */
  CloudEvent(String topic, String ledger) {
    this.topic = topic;
    this.source = header("ce_source", "urn:naru:" + ledger);
  }

  private static Header header(String name, String value) {
    return new RecordHeader(name, value.getBytes(UTF_8));
  }

  /** All events of one change. */
  List<ProducerRecord<String, byte[]>> records(Unread of, Happened change) {
    Header time = header("ce_time", Micros.iso(change.at()));
    List<ProducerRecord<String, byte[]>> records = new ArrayList<>();
    for (Event event : change.events()) {
      records.add(
          record(
              of.queue(),
              header("ce_id", event.id(of, change)),
              Objects.requireNonNull(TYPES.get(event.kind())),
              time,
              event.json(of.queue(), change)));
    }
    return records;
  }

  /** Nothing is known of these changes. */
  ProducerRecord<String, byte[]> gap(Unread of, long from, long to) {
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("eventType", of.queue().type());
    data.put("eventId", of.queue().id());
    data.put("kind", "gap");
    data.put("from", from);
    data.put("to", to);
    return record(
        of.queue(),
        header("ce_id", of.original() + "/" + from + "-" + to),
        header("ce_type", GAP),
        header("ce_time", Micros.iso(of.now())),
        Json.write(data));
  }

  private ProducerRecord<String, byte[]> record(
      QueueId queue, Header id, Header type, Header time, String data) {
    String name = queue.toString();
    return new ProducerRecord<>(
        topic,
        null,
        null,
        name,
        data.getBytes(UTF_8),
        List.of(
            SPEC,
            id,
            type,
            source,
            time,
            header("ce_subject", name),
            header("ce_partitionkey", name),
            JSON));
  }
}
