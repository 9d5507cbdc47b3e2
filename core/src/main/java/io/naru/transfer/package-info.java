/** Queues that move: what one is, whole, and how it comes to another ledger. */
@NullMarked
package io.naru.transfer;

import org.jspecify.annotations.NullMarked;
