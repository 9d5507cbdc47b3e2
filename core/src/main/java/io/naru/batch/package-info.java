/** Natural batches: what collects while one call is under way goes with the next. */
@NullMarked
package io.naru.batch;

import org.jspecify.annotations.NullMarked;
