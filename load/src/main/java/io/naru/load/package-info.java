/** A crowd of visitors who are not there: how they arrive, what they do, and what they saw. */
@NullMarked
package io.naru.load;

import org.jspecify.annotations.NullMarked;
