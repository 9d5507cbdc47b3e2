/** What single classes cost, by JMH. */
@NullMarked
package io.naru.bench.jmh;

import org.jspecify.annotations.NullMarked;
