/**
 * The rules of a queue, once for every store: what was asked, the state it meets, and what comes of
 * it. Pure: no store, no clock, no thread in here.
 */
@NullMarked
package io.naru.decision;

import org.jspecify.annotations.NullMarked;
