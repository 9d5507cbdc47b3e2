/**
 * What makes an order checkable by anybody: leaves, the draw, the log and its proofs, receipts,
 * exports, and the verifier. Everything here is arithmetic; nothing knows a server.
 */
@NullMarked
package io.naru.fair;

import org.jspecify.annotations.NullMarked;
