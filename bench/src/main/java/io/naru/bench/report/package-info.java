/** What was measured, as a table for people and as JSON, and the progress until then. */
@NullMarked
package io.naru.bench.report;

import org.jspecify.annotations.NullMarked;
