package io.naru.rate;

/**
 * What a queue itself knows of the site at one moment.
 *
 * @param now in microseconds
 * @param inside how many are inside
 * @param departed how many have gone in and are gone, ever
 * @param turnSeconds how long somebody may stay at most
 */
public record Site(long now, long inside, long departed, int turnSeconds) {}
