/** People who watch their place: a load generator for streams, and what they were shown. */
@NullMarked
package io.naru.bench.viewers;

import org.jspecify.annotations.NullMarked;
