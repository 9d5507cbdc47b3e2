/** One class for each thing that is measured. */
@NullMarked
package io.naru.bench.scenario;

import org.jspecify.annotations.NullMarked;
