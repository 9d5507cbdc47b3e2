package io.naru.gate;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How the gate is, for health checks.
 *
 * @param ready false: everybody is refused, since what Naru publishes has not arrived yet, or is
 *     older than {@code maxKnowledgeAge}
 * @param keys how many keys are known
 * @param keysAt when they were fetched last
 * @param revocationsAt when the list of revocations was fetched last
 * @param turnsAt when it was last told whose turn is over
 * @param problem why the last fetch failed; null if it did not
 */
public record GateStatus(
    boolean ready,
    int keys,
    @Nullable Instant keysAt,
    @Nullable Instant revocationsAt,
    @Nullable Instant turnsAt,
    @Nullable String problem) {}
