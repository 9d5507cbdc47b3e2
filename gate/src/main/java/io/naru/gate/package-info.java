/** Guards an application: {@link io.naru.gate.Gate} verifies passes, the filter asks for them. */
@NullMarked
package io.naru.gate;

import org.jspecify.annotations.NullMarked;
