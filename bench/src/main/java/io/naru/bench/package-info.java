/** The command line of the benchmarks. */
@NullMarked
package io.naru.bench;

import org.jspecify.annotations.NullMarked;
