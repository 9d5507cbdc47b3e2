package io.naru.pass;

import io.naru.pass.PassVerifier.Signed;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Tokens whose signature was good, in two generations: when the young one is full it becomes the
 * old one, and the old one is forgotten. A token in use moves to the young one by being used. So
 * the bound holds without locks or counting of uses, and only good tokens can push out others.
 */
final class Remembered {

  private final int generation;
  private volatile Map<String, Signed> young = new ConcurrentHashMap<>();
  private volatile Map<String, Signed> old = Map.of();

  Remembered(int tokens) {
    if (tokens < 0) {
      throw new IllegalArgumentException("remembered tokens must be 0 or more, is " + tokens);
    }
    this.generation = tokens / 2;
  }

  @Nullable Signed get(String token) {
    Signed signed = young.get(token);
    if (signed != null) {
      return signed;
    }
    signed = old.get(token);
    if (signed != null) {
      put(token, signed);
    }
    return signed;
  }

  void put(String token, Signed signed) {
    if (generation == 0) {
      return;
    }
    if (young.size() >= generation) {
      turn();
    }
    young.put(token, signed);
  }

  int size() {
    return young.size() + old.size();
  }

  private synchronized void turn() {
    if (young.size() >= generation) {
      old = young;
      young = new ConcurrentHashMap<>();
    }
  }
}
