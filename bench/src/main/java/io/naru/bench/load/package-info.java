/** A load generator about as cheap as wrk: few threads, prebuilt requests, hardly any parsing. */
@NullMarked
package io.naru.bench.load;

import org.jspecify.annotations.NullMarked;
