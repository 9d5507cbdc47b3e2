package io.naru.fair;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A log as somebody tells it: perhaps as it was. */
final class Told {

  final List<String> records = new ArrayList<>();
  final List<Lobby> lists = new ArrayList<>();
  final List<String> checkpoints = new ArrayList<>();

  void add(LogRecord event) {
    records.add(Records.write(event));
  }

  Told copy() {
    var copy = new Told();
    copy.records.addAll(records);
    copy.lists.addAll(lists);
    copy.checkpoints.addAll(checkpoints);
    return copy;
  }

  GrowingTree tree() {
    var tree = new GrowingTree();
    records.forEach(text -> tree.append(Merkle.leafHash(Hashes.utf8(text))));
    return tree;
  }

  /** What whoever has the key signs: what it is now. */
  Told sign() {
    checkpoints.clear();
    checkpoints.add(checkpoint(records.size(), Records.read(records.getLast()).at()));
    return this;
  }

  String checkpoint(int size, long at) {
    return new Checkpoint(Truth.ORIGIN, size, tree().root(size), at).sign(Truth.SIGNER);
  }

  /** Where the first one is that begins so. */
  int find(String start) {
    return find(start, 0);
  }

  int find(String start, int from) {
    for (int i = from; i < records.size(); i++) {
      if (records.get(i).startsWith("[\"" + start + "\"")) {
        return i;
      }
    }
    throw new AssertionError("no " + start);
  }

  LogRecord at(int index) {
    return Records.read(records.get(index));
  }

  Told change(int index, UnaryOperator<LogRecord> change) {
    records.set(index, Records.write(change.apply(at(index))));
    return this;
  }

  Receipt receipt(Truth.Person person, int size, long at) {
    String joined = "," + person.joined + ",";
    int index = -1;
    for (int i = 0; i < size; i++) {
      if (records.get(i).matches("\\[\"(join|handoff)\",.*") && records.get(i).contains(joined)) {
        index = i;
        break;
      }
    }
    GrowingTree tree = tree();
    var told = new ArrayList<List<byte[]>>();
    var all = new HashMap<String, byte[]>();
    var frontier = new Frontier();
    for (int i = 0; i < size; i++) {
      frontier.append(tree.leafHash(i), (h, n, hash) -> all.put(h + "/" + n, hash));
    }
    told.add(Merkle.inclusion(index, size, (h, n) -> Objects.requireNonNull(all.get(h + "/" + n))));
    return new Receipt(
        Truth.ORIGIN,
        Truth.QUEUE,
        person.joined,
        person.user,
        Truth.salt(person.user),
        index,
        records.get(index),
        told.getFirst(),
        checkpoint(size, at),
        Truth.SIGNER.verifier().toString());
  }

  /** As a file. */
  Path export(Path file) {
    try (var out = Files.newOutputStream(file);
        var writer = new Export.Writer(out, header(), "0.1.0-test")) {
      read(writer);
      writer.finish();
      return file;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static LogSource.Header header() {
    return new LogSource.Header(Truth.ORIGIN, Truth.QUEUE, Truth.SIGNER.verifier().toString());
  }

  LogSource source() {
    return new LogSource() {
      @Override
      public Header header() {
        return Told.header();
      }

      @Override
      public void read(LogReader reader) throws IOException {
        Told.this.read(reader);
      }
    };
  }

  private void read(LogReader reader) throws IOException {
    int list = 0;
    for (String text : records) {
      byte[] bytes = Hashes.utf8(text);
      reader.record(bytes, 0, bytes.length);
      if (text.startsWith("[\"seal\"") && list < lists.size()) {
        Lobby lobby = lists.get(list++);
        for (int part = 0; part < lobby.parts(); part++) {
          reader.leaves(list, lobby.part(part));
        }
      }
    }
    for (String note : checkpoints) {
      reader.checkpoint(note);
    }
  }

  Report verify(@Nullable Receipt... receipts) {
    List<String> texts = new ArrayList<>();
    for (Receipt receipt : receipts) {
      if (receipt != null) {
        texts.add(receipt.write());
      }
    }
    try {
      return new Verifier(Truth.CHAIN.drand()).verify(source(), texts);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
