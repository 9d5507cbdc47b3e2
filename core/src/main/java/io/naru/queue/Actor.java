package io.naru.queue;

/**
 * Who acts as an operator.
 *
 * @param who the name of their key
 * @param role what that key allows, in a word
 * @param from the address that they act from
 */
public record Actor(String who, String role, String from) {}
