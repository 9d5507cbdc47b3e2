/** What to set for an expected crowd, and what it takes: pure arithmetic. */
@NullMarked
package io.naru.load.plan;

import org.jspecify.annotations.NullMarked;
