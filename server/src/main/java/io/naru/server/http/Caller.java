package io.naru.server.http;

import io.naru.access.Reach;
import io.naru.access.Role;
import io.naru.queue.Actor;

/**
 * Who calls as an operator.
 *
 * @param key the id of their key
 * @param isBySession whether their browser said so by a cookie, which it sends whoever makes it
 *     call
 */
public record Caller(String key, Actor actor, Role role, Reach reach, boolean isBySession) {}
