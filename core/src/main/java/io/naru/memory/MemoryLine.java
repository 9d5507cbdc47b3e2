package io.naru.memory;

import io.naru.line.Fact;
import io.naru.line.Score;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The order of those waiting in one queue, in memory. Join, rank and leave are O(log n), wherever
 * in the line the score falls; the first k are O(k + log n).
 *
 * <p>A treap: a search tree by score that is at the same time a heap by a random priority, which
 * keeps it balanced on average without any bookkeeping. Every node knows the size of its subtree,
 * so a rank is the sum of what lies to the left on the way up to the root. All changes are made of
 * two operations, {@link #split} and {@link #merge}. Most joins carry the highest score so far and
 * only touch the right spine.
 *
 * <p>Not thread-safe: its queue holds a lock.
 */
public final class MemoryLine {

  private final Map<String, Node> byUser = new HashMap<>();
  // The seed may be known: scores come from our clock, nobody can pick them to match priorities.
  private final SplittableRandom priorities = new SplittableRandom(20260101);
  private @Nullable Node root;

  private static final class Node {
    final Fact fact;
    final int priority;
    int size = 1;
    @Nullable Node left;
    @Nullable Node right;
    @Nullable Node parent;

    Node(Fact fact, int priority) {
      this.fact = fact;
      this.priority = priority;
    }

    long score() {
      return fact.score();
    }

    void adopt(@Nullable Node newLeft, @Nullable Node newRight) {
      left = newLeft;
      right = newRight;
      if (newLeft != null) {
        newLeft.parent = this;
      }
      if (newRight != null) {
        newRight.parent = this;
      }
      size = 1 + sizeOf(newLeft) + sizeOf(newRight);
    }
  }

  public int size() {
    return byUser.size();
  }

  /** Puts somebody in line; false if they are in it already (and keep their score). */
  public boolean join(Fact waiting) {
    var node = new Node(waiting, priorities.nextInt());
    if (byUser.putIfAbsent(waiting.user(), node) != null) {
      return false;
    }
    Node last = last();
    if (last == null || last.score() < node.score()) {
      setRoot(merge(root, node));
    } else {
      Node[] parts = split(root, before(node.score()));
      setRoot(merge(merge(parts[0], node), parts[1]));
    }
    return true;
  }

  /** Somebody in line, or null. */
  public @Nullable Fact find(String user) {
    Node node = byUser.get(user);
    return node == null ? null : node.fact;
  }

  /** How many stand before {@code user}; -1 if they are not in line. */
  public int ahead(String user) {
    Node node = byUser.get(user);
    if (node == null) {
      return -1;
    }
    int ahead = sizeOf(node.left);
    for (Node child = node, up = node.parent; up != null; child = up, up = up.parent) {
      if (up.right == child) {
        ahead += sizeOf(up.left) + 1;
      }
    }
    return ahead;
  }

  /** Takes a user out; false if they are not in line. */
  public boolean leave(String user) {
    Node node = byUser.remove(user);
    if (node == null) {
      return false;
    }
    Node parent = node.parent;
    Node rest = merge(node.left, node.right);
    if (parent == null) {
      setRoot(rest);
      return true;
    }
    if (parent.left == node) {
      parent.left = rest;
    } else {
      parent.right = rest;
    }
    if (rest != null) {
      rest.parent = parent;
    }
    for (Node up = parent; up != null; up = up.parent) {
      up.size--;
    }
    return true;
  }

  /** The first {@code count} (or all, if fewer), in order. */
  public List<Fact> first(int count) {
    List<Fact> first = new ArrayList<>(Math.clamp(count, 0, size()));
    Node node = root;
    while (node != null && node.left != null) {
      node = node.left;
    }
    for (; node != null && first.size() < count; node = after(node)) {
      first.add(node.fact);
    }
    return first;
  }

  /** Those with a score above {@code after} and up to {@code upTo}, the first ones, in order. */
  List<Fact> between(long after, long upTo, int limit) {
    Node from = null;
    for (Node node = root; node != null; ) {
      boolean isBehind = node.score() > after;
      from = isBehind ? node : from;
      node = isBehind ? node.left : node.right;
    }
    List<Fact> some = new ArrayList<>();
    for (; from != null && from.score() <= upTo && some.size() < limit; from = after(from)) {
      some.add(from.fact);
    }
    return some;
  }

  /** The first in line from a score on, if any. */
  @Nullable Fact firstFrom(long score) {
    List<Fact> first = between(score - 1, Long.MAX_VALUE, 1);
    return first.isEmpty() ? null : first.getFirst();
  }

  /** The last in line before a score, if any. */
  @Nullable Fact lastBefore(long score) {
    Node last = null;
    for (Node node = root; node != null; ) {
      boolean isBefore = node.score() < score;
      last = isBefore ? node : last;
      node = isBefore ? node.right : node.left;
    }
    return last == null ? null : last.fact;
  }

  /** How many stand before a ticket of a lane: in a lane, tickets are in the order of scores. */
  int beforeTicket(int lane, long ticket) {
    int rank = 0;
    for (Node node = root; node != null; ) {
      int at = Integer.compare(Score.lane(node.score()), lane);
      if (at < 0 || (at == 0 && node.fact.ticket() < ticket)) {
        rank += sizeOf(node.left) + 1;
        node = node.right;
      } else {
        node = node.left;
      }
    }
    return rank;
  }

  /** The tickets of those who stand at some places of the line, in order. */
  List<Long> tickets(int from, int upTo) {
    List<Long> tickets = new ArrayList<>();
    Node node = at(from);
    for (int i = from; i < upTo && node != null; i++) {
      tickets.add(node.fact.ticket());
      node = after(node);
    }
    return tickets;
  }

  private @Nullable Node at(int rank) {
    int left = rank;
    Node node = root;
    while (node != null && left != sizeOf(node.left)) {
      if (left < sizeOf(node.left)) {
        node = node.left;
      } else {
        left -= sizeOf(node.left) + 1;
        node = node.right;
      }
    }
    return node;
  }

  private static @Nullable Node after(Node node) {
    if (node.right != null) {
      Node next = node.right;
      while (next.left != null) {
        next = next.left;
      }
      return next;
    }
    Node child = node;
    Node up = node.parent;
    while (up != null && up.right == child) {
      child = up;
      up = up.parent;
    }
    return up;
  }

  private @Nullable Node last() {
    Node node = root;
    while (node != null && node.right != null) {
      node = node.right;
    }
    return node;
  }

  /** How many have a smaller score. */
  int before(long score) {
    int rank = 0;
    for (Node node = root; node != null; ) {
      if (node.score() < score) {
        rank += sizeOf(node.left) + 1;
        node = node.right;
      } else {
        node = node.left;
      }
    }
    return rank;
  }

  private void setRoot(@Nullable Node node) {
    root = node;
    if (node != null) {
      node.parent = null;
    }
  }

  private static int sizeOf(@Nullable Node node) {
    return node == null ? 0 : node.size;
  }

  /** Cuts a tree into its first {@code count} nodes and the others. */
  private static @Nullable Node[] split(@Nullable Node node, int count) {
    if (node == null) {
      return new @Nullable Node[] {null, null};
    }
    if (count <= sizeOf(node.left)) {
      @Nullable Node[] parts = split(node.left, count);
      node.adopt(parts[1], node.right);
      return new @Nullable Node[] {parts[0], node};
    }
    @Nullable Node[] parts = split(node.right, count - sizeOf(node.left) - 1);
    node.adopt(node.left, parts[0]);
    return new @Nullable Node[] {node, parts[1]};
  }

  /** Joins two trees of which the first lies wholly before the second. */
  private static @Nullable Node merge(@Nullable Node first, @Nullable Node second) {
    if (first == null) {
      return second;
    }
    if (second == null) {
      return first;
    }
    if (first.priority > second.priority) {
      first.adopt(first.left, merge(first.right, second));
      return first;
    }
    second.adopt(merge(first, second.left), second.right);
    return second;
  }
}
