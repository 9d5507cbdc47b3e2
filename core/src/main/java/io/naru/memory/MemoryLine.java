package io.naru.memory;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The order of those waiting in one queue, in memory. Join, rank, leave and the taking of one are
 * O(log n), wherever in the line the score falls; taking k from the front is O(k + log n).
 *
 * <p>A treap: a search tree by score that is at the same time a heap by a random priority, which
 * keeps it balanced on average without any bookkeeping. Every node knows the size of its subtree,
 * so a rank is the sum of what lies to the left on the way up to the root, and "the first k" is one
 * cut. All changes are made of two operations, {@link #split} and {@link #merge}. Most joins carry
 * the highest score so far and only touch the right spine.
 *
 * <p>Not thread-safe: its queue holds a lock.
 */
public final class MemoryLine {

  private final Map<String, Node> byUser = new HashMap<>();
  // The seed may be known: scores come from our clock, nobody can pick them to match priorities.
  private final SplittableRandom priorities = new SplittableRandom(20260101);
  private @Nullable Node root;

  /** Somebody in line. */
  public record Waiting(String user, long score) {}

  private static final class Node {
    final String user;
    final long score;
    final int priority;
    int size = 1;
    @Nullable Node left;
    @Nullable Node right;
    @Nullable Node parent;

    Node(String user, long score, int priority) {
      this.user = user;
      this.score = score;
      this.priority = priority;
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

  /** Puts a user in line; false if they are in it already (and keep their score). */
  public boolean join(String user, long score) {
    var node = new Node(user, score, priorities.nextInt());
    if (byUser.putIfAbsent(user, node) != null) {
      return false;
    }
    Node last = last();
    if (last == null || last.score < score) {
      setRoot(merge(root, node));
    } else {
      Node[] parts = split(root, rankOf(score));
      setRoot(merge(merge(parts[0], node), parts[1]));
    }
    return true;
  }

  public OptionalLong scoreOf(String user) {
    Node node = byUser.get(user);
    return node == null ? OptionalLong.empty() : OptionalLong.of(node.score);
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

  /** Takes the first {@code count} (or all, if fewer) out of the line, in order. */
  public List<Waiting> take(int count) {
    Node[] parts = split(root, Math.min(count, size()));
    setRoot(parts[1]);
    List<Waiting> taken = new ArrayList<>(sizeOf(parts[0]));
    inOrder(
        parts[0],
        node -> {
          byUser.remove(node.user);
          taken.add(new Waiting(node.user, node.score));
        });
    return taken;
  }

  public @Nullable Waiting first() {
    Node node = root;
    while (node != null && node.left != null) {
      node = node.left;
    }
    return node == null ? null : new Waiting(node.user, node.score);
  }

  private @Nullable Node last() {
    Node node = root;
    while (node != null && node.right != null) {
      node = node.right;
    }
    return node;
  }

  private int rankOf(long score) {
    int rank = 0;
    for (Node node = root; node != null; ) {
      if (node.score < score) {
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

  private static void inOrder(@Nullable Node node, Consumer<Node> visit) {
    if (node != null) {
      inOrder(node.left, visit);
      visit.accept(node);
      inOrder(node.right, visit);
    }
  }
}
