/** How many may go in now: pure arithmetic of capacity and allowance, and the words for asking. */
@NullMarked
package io.naru.admission;

import org.jspecify.annotations.NullMarked;
