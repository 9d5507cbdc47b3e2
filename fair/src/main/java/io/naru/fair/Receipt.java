package io.naru.fair;

import io.naru.fair.LogRecord.Handoff;
import io.naru.fair.LogRecord.Join;
import io.naru.queue.InvalidValue;
import io.naru.queue.Json;
import io.naru.queue.QueueId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A visitor's proof, in one small file, that their place was recorded, and where: it can be checked
 * without asking anybody. JSON, with exactly these members in this order.
 *
 * @param origin which log it is of
 * @param joined names the entry
 * @param user and
 * @param salt open the leaf
 * @param index of the record in the log, from 0
 * @param record its text
 * @param proof from the record to the root
 * @param checkpoint a signed note
 * @param key whose it must be: {@code name+hash+key}
 */
public record Receipt(
    String origin,
    QueueId queue,
    long joined,
    String user,
    String salt,
    long index,
    String record,
    List<byte[]> proof,
    String checkpoint,
    String key) {

  private static final int FORMAT = 1;
  private static final int MAX_CHARS = 64 * 1024;
  private static final String VERSION = "naruReceipt";
  private static final Set<String> MEMBERS =
      Set.of(
          VERSION,
          "origin",
          "eventType",
          "eventId",
          "joined",
          "user",
          "salt",
          "index",
          "record",
          "proof",
          "checkpoint",
          "key");

  public Receipt {
    proof = List.copyOf(proof);
  }

  /** As visitors keep it. */
  public String write() {
    Map<String, Object> receipt = new LinkedHashMap<>();
    receipt.put(VERSION, FORMAT);
    receipt.put("origin", origin);
    receipt.put("eventType", queue.type());
    receipt.put("eventId", queue.id());
    receipt.put("joined", joined);
    receipt.put("user", user);
    receipt.put("salt", salt);
    receipt.put("index", index);
    receipt.put("record", record);
    receipt.put("proof", proof.stream().map(Hashes::base64).toList());
    receipt.put("checkpoint", checkpoint);
    receipt.put("key", key);
    return Json.write(receipt);
  }

  /**
   * The inverse of {@link #write()}; says nothing about whether it is true.
   *
   * @throws IllegalArgumentException if it is not exactly so
   */
  public static Receipt read(String text) {
    if (text.length() > MAX_CHARS) {
      throw new IllegalArgumentException("a receipt of " + text.length() + " characters");
    }
    Map<String, @Nullable Object> members = Json.readObject(text);
    if (!(members.get(VERSION) instanceof Integer version)) {
      throw new IllegalArgumentException("not a receipt");
    }
    if (version != FORMAT) {
      throw new IllegalArgumentException(
          "a receipt of format " + version + "; this version of Naru knows format " + FORMAT);
    }
    if (!members.keySet().equals(MEMBERS)) {
      throw new IllegalArgumentException("a receipt with other members than " + MEMBERS);
    }
    Receipt receipt;
    try {
      receipt =
          new Receipt(
              text(members, "origin"),
              new QueueId(text(members, "eventType"), text(members, "eventId")),
              number(members, "joined"),
              text(members, "user"),
              text(members, "salt"),
              number(members, "index"),
              text(members, "record"),
              proof(members.get("proof")),
              text(members, "checkpoint"),
              text(members, "key"));
    } catch (InvalidValue e) {
      throw new IllegalArgumentException("a receipt of no queue: " + e.getMessage(), e);
    }
    if (!receipt.write().equals(text)) {
      throw new IllegalArgumentException("the receipt is not as it was written");
    }
    return receipt;
  }

  private static String text(Map<String, @Nullable Object> members, String name) {
    if (members.get(name) instanceof String text) {
      return text;
    }
    throw new IllegalArgumentException(name + " of the receipt is not text");
  }

  private static long number(Map<String, @Nullable Object> members, String name) {
    return switch (members.get(name)) {
      case Integer i when i >= 0 -> i;
      case Long l when l >= 0 -> l;
      case null, default ->
          throw new IllegalArgumentException(name + " of the receipt is not a whole number");
    };
  }

  private static List<byte[]> proof(@Nullable Object given) {
    if (!(given instanceof List<?> hashes)) {
      throw new IllegalArgumentException("the proof of the receipt is not a list");
    }
    List<byte[]> proof = new ArrayList<>();
    for (Object hash : hashes) {
      proof.add(Hashes.ofBase64("proof", Objects.toString(hash)));
    }
    return proof;
  }

  /**
   * What the log was when this was given out: the receipt is true, as far as it can be told without
   * the log. Whether its key is the one that everybody else was shown, it cannot tell.
   *
   * @throws IllegalArgumentException if it is not, with the reason
   */
  public Checkpoint verify() {
    Checkpoint signed = Checkpoint.open(checkpoint, Note.Verifier.of(key));
    if (!signed.origin().equals(origin)) {
      throw new IllegalArgumentException("the receipt is of " + origin + ", its checkpoint not");
    }
    requireQueue();
    byte[] bytes = Hashes.utf8(record);
    if (!Merkle.isIncluded(index, signed.size(), Merkle.leafHash(bytes), proof, signed.root())) {
      throw new IllegalArgumentException("the proof does not lead from the record to the root");
    }
    String leaf = Leaves.text(Leaves.leaf(queue, joined, user, salt));
    boolean isOwn =
        switch (Records.read(record)) {
          case Join join -> join.joined() == joined && join.leaf().equals(leaf);
          case Handoff taken -> taken.newJoined() == joined && taken.leaf().equals(leaf);
          default -> false;
        };
    if (!isOwn) {
      throw new IllegalArgumentException("the record is not of this entry");
    }
    return signed;
  }

  /**
   * The same of somebody who knows the key of the log from elsewhere.
   *
   * @throws IllegalArgumentException if it is not true, or was signed by another key
   */
  public Checkpoint verify(Note.Verifier known) {
    if (!known.toString().equals(key)) {
      throw new IllegalArgumentException("the receipt has another key than the log");
    }
    return verify();
  }

  /** An origin ends with its queue, and perhaps with which one of that name it is. */
  private void requireQueue() {
    int mark = origin.indexOf('#');
    String address = mark < 0 ? origin : origin.substring(0, mark);
    if (!address.endsWith("/queue/" + queue)) {
      throw new IllegalArgumentException("the log " + origin + " is not of " + queue);
    }
  }
}
