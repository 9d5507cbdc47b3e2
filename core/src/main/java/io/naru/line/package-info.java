/**
 * The live order of those waiting, and {@link io.naru.line.Line}: the port for where one stands.
 */
@NullMarked
package io.naru.line;

import org.jspecify.annotations.NullMarked;
