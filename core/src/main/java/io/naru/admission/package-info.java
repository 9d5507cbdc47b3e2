/** How many may go in now, and when the others: pure arithmetic of capacity and allowance. */
@NullMarked
package io.naru.admission;

import org.jspecify.annotations.NullMarked;
