/** The queue that Redis alone decides. It is frozen: what comes needs a ledger. */
@NullMarked
package io.naru.redis.plain;

import org.jspecify.annotations.NullMarked;
