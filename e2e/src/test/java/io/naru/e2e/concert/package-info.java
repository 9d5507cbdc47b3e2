/** The whole way, from the line to a seat: Naru and the example shop as real processes. */
@NullMarked
package io.naru.e2e.concert;

import org.jspecify.annotations.NullMarked;
