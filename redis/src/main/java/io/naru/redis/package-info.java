/**
 * The connection to Redis, its keys and scripts, for what decides there ({@code plain}) and what is
 * a copy there ({@code copy}). Every change is one atomic Lua step, one file per operation, and
 * every place is read from the sorted set of those waiting.
 */
@NullMarked
package io.naru.redis;

import org.jspecify.annotations.NullMarked;
