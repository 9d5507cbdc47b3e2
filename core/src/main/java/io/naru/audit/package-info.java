/** Who did what: kept with what was done, or not at all. */
@NullMarked
package io.naru.audit;

import org.jspecify.annotations.NullMarked;
