package io.naru.ledger;

import io.naru.queue.QueueId;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** What one transaction is asked about one queue, by kind. */
final class Work {

  final List<Request.Alter> alters = new ArrayList<>();
  final List<Request.Leave> leaves = new ArrayList<>();
  final List<Request.Complete> completes = new ArrayList<>();
  final List<Request.Redeem> redeems = new ArrayList<>();
  final List<Request.Admit> admits = new ArrayList<>();
  final List<Request.Join> joins = new ArrayList<>();
  final List<Request.Delete> deletes = new ArrayList<>();
  final List<Request.Sweep> sweeps = new ArrayList<>();

  static SortedMap<QueueId, Work> byQueue(List<Request> requests) {
    // All servers lock queues in this order, so that they never wait for each other in a circle.
    SortedMap<QueueId, Work> works = new TreeMap<>();
    for (Request request : requests) {
      works.computeIfAbsent(request.queue(), _ -> new Work()).add(request);
    }
    return works;
  }

  private void add(Request request) {
    switch (request) {
      case Request.Alter alter -> alters.add(alter);
      case Request.Leave leave -> leaves.add(leave);
      case Request.Complete complete -> completes.add(complete);
      case Request.Redeem redeem -> redeems.add(redeem);
      case Request.Admit admit -> admits.add(admit);
      case Request.Join join -> joins.add(join);
      case Request.Delete delete -> deletes.add(delete);
      case Request.Sweep sweep -> sweeps.add(sweep);
    }
  }

  /** Whose entries must be read. */
  Set<String> users() {
    Set<String> users = new LinkedHashSet<>();
    joins.forEach(join -> users.add(join.user()));
    leaves.forEach(leave -> users.add(leave.entry().user()));
    completes.forEach(complete -> users.add(complete.entry().user()));
    redeems.forEach(redeem -> users.add(redeem.entry().user()));
    return users;
  }
}
