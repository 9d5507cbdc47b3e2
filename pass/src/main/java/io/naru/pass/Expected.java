package io.naru.pass;

/**
 * What a pass must say to count here.
 *
 * @param issuer the public URL of the Naru that is trusted
 * @param audience the site: the queue's setting {@code audience}, or its name
 * @param queue the queue's name, such as {@code TIMEDEAL/123}
 */
public record Expected(String issuer, String audience, String queue) {}
