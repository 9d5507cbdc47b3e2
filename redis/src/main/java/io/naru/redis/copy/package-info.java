/** The copy in Redis of a line that a ledger decides. */
@NullMarked
package io.naru.redis.copy;

import org.jspecify.annotations.NullMarked;
