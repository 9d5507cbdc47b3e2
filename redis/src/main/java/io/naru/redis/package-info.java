/**
 * The queue that Redis alone decides: every change is one atomic Lua step, one file per operation,
 * and every place is read from the sorted set of those waiting.
 */
@NullMarked
package io.naru.redis;

import org.jspecify.annotations.NullMarked;
