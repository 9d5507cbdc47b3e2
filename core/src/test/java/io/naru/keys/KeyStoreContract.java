package io.naru.keys;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.keys.KeyStore.Text;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** What every {@link KeyStore} promises. Each test begins with whatever the last one left. */
public abstract class KeyStoreContract {

  /** One of several servers' ways to the same store. */
  protected abstract KeyStore store();

  /** Makes the store as if nothing had ever been kept. */
  protected abstract void empty() throws Exception;

  @Test
  void read_nothingKept_isNone() throws Exception {
    empty();

    assertThat(store().read()).isEqualTo(Text.NONE);
  }

  @Test
  void replace_first_isKeptForAll() throws Exception {
    empty();
    var first = new Text(1, "key a NEXT 1 2 x\npass b 3\n");

    assertThat(store().replace(Text.NONE, first)).isTrue();

    assertThat(store().read()).isEqualTo(first);
  }

  @Test
  void replace_firstTwice_keepsTheFirst() throws Exception {
    empty();
    store().replace(Text.NONE, new Text(1, "ours"));

    assertThat(store().replace(Text.NONE, new Text(1, "theirs"))).isFalse();

    assertThat(store().read()).isEqualTo(new Text(1, "ours"));
  }

  @Test
  void replace_readInBetween_isRefusedAndChangesNothing() throws Exception {
    empty();
    var first = new Text(1, "first");
    var second = new Text(2, "second");
    store().replace(Text.NONE, first);

    assertThat(store().replace(first, second)).isTrue();
    assertThat(store().replace(first, new Text(2, "late"))).isFalse();

    assertThat(store().read()).isEqualTo(second);
    assertThat(store().replace(second, new Text(9, "third"))).isTrue();
    assertThat(store().read()).isEqualTo(new Text(9, "third"));
  }

  @Test
  void replace_manyAtOnce_oneIsFirst() throws Exception {
    empty();
    for (Text read = Text.NONE; read.version() < 5; read = store().read()) {
      assertThat(winners(read)).as("winners at version %d", read.version()).isEqualTo(1);
    }
  }

  private long winners(Text read) throws Exception {
    int servers = 8;
    var together = new CyclicBarrier(servers);
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Boolean>> tries = new ArrayList<>();
      for (int i = 0; i < servers; i++) {
        var next = new Text(read.version() + 1, "of server " + i);
        Callable<Boolean> one =
            () -> {
              together.await();
              return store().replace(read, next);
            };
        tries.add(threads.submit(one));
      }
      long won = 0;
      for (Future<Boolean> each : tries) {
        won += each.get() ? 1 : 0;
      }
      return won;
    }
  }
}
