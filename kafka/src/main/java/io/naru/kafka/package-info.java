/** What happens, into a topic of Kafka, each event once and in order; and commands out of one. */
@NullMarked
package io.naru.kafka;

import org.jspecify.annotations.NullMarked;
