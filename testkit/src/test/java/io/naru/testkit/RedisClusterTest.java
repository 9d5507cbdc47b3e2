package io.naru.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class RedisClusterTest {

  @Test
  void start_threeMasters_coverAllSlots() throws IOException {
    try (var cluster = RedisCluster.start(RedisBinary.embedded())) {
      assertThat(cluster.uri())
          .matches(
              "redis-cluster://127\\.0\\.0\\.1:\\d+,127\\.0\\.0\\.1:\\d+,127\\.0\\.0\\.1:\\d+");
      for (var node : cluster.nodes()) {
        try (var redis = node.connect()) {
          assertThat(redis.call("CLUSTER", "INFO"))
              .contains("cluster_state:ok", "cluster_slots_ok:16384", "cluster_known_nodes:3");
        }
      }
    }
  }
}
