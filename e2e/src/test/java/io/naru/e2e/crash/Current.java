package io.naru.e2e.crash;

/** What is in a place now; what was there before is gone. */
final class Current<T extends AutoCloseable> implements AutoCloseable {

  private volatile T it;

  Current(T first) {
    this.it = first;
  }

  T get() {
    return it;
  }

  void replace(T next) {
    T before = it;
    it = next;
    close(before);
  }

  @Override
  public void close() {
    close(it);
  }

  private static void close(AutoCloseable closed) {
    try {
      closed.close();
    } catch (Exception e) {
      throw new IllegalStateException(closed + " cannot be closed", e);
    }
  }
}
