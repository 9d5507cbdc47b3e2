package io.naru.rate;

import io.naru.queue.Adaptive;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rate of a queue, now and before.
 *
 * @param perSecond the rate in force, also where it follows nothing
 * @param rule by which it follows the site; null if it follows nothing, as {@code state} is then
 * @param points the earliest first
 */
public record RateView(
    double perSecond, @Nullable Adaptive rule, @Nullable RateState state, List<RatePoint> points) {}
