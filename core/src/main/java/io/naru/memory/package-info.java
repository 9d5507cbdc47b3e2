/** The queue that memory alone decides: the embedded mode of one server. */
@NullMarked
package io.naru.memory;

import org.jspecify.annotations.NullMarked;
