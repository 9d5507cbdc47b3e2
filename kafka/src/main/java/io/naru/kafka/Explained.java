package io.naru.kafka;

import java.util.concurrent.ExecutionException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.TransactionalIdAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** What a failure of Kafka means, and what an operator can do about it. */
final class Explained {

  private Explained() {}

  static Throwable cause(Throwable failure) {
    Throwable cause = failure;
    while (cause.getCause() != null
        && (cause instanceof ExecutionException
            || cause.getClass().equals(org.apache.kafka.common.KafkaException.class))) {
      cause = cause.getCause();
    }
    return cause;
  }

  /** Whether another one does the same work by now. */
  static boolean isFenced(Throwable failure) {
    Throwable cause = cause(failure);
    return cause instanceof ProducerFencedException
        || cause instanceof InvalidProducerEpochException;
  }

  static String of(Throwable failure, KafkaConfig config) {
    Throwable cause = cause(failure);
    return switch (cause) {
      case TopicAuthorizationException e ->
          "no rights to %s: grant Write and Describe on topic %s, and Write, Read and Describe on %s%s"
              .formatted(
                  e.unauthorizedTopics(), config.topic(), config.cursors(), commandRights(config));
      case TransactionalIdAuthorizationException _ ->
          "no rights to write in transactions: grant Write and Describe on transactional ids that"
              + " begin with naru-";
      case GroupAuthorizationException e ->
          "no rights to group %s: grant Read on groups that begin with naru-"
              .formatted(e.groupId());
      case ClusterAuthorizationException _ ->
          "no rights to the cluster: create topics %s and %s (cleanup.policy=compact), or grant Create"
              .formatted(config.topic(), config.cursors());
      case SslAuthenticationException e ->
          "no TLS with it: we trust whom ssl.truststore… names (--kafka-properties): "
              + e.getMessage();
      case AuthenticationException e ->
          "it does not take our credentials (--kafka-properties): " + e.getMessage();
      case UnknownTopicOrPartitionException e ->
          "there is no such topic, and it cannot be made: " + e.getMessage();
      case TimeoutException e ->
          "%s does not answer in time: %s".formatted(config.brokers(), e.getMessage());
      default -> cause.getClass().getSimpleName() + ": " + cause.getMessage();
    };
  }

  private static String commandRights(KafkaConfig config) {
    return config.commands() == null
        ? ""
        : "; Read and Describe on %s, Write on %s".formatted(config.commands(), config.rejected());
  }
}
