package io.naru.rate;

import io.naru.queue.RateNow;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rate of a queue, now and before.
 *
 * @param now the rate in force, also where it follows nothing
 * @param state how it follows the site; null if it follows nothing
 * @param points the earliest first
 */
public record RateView(RateNow now, @Nullable RateState state, List<RatePoint> points) {}
