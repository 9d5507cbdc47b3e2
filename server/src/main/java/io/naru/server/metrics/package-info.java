/** Figures for operators, on the management port. */
@NullMarked
package io.naru.server.metrics;

import org.jspecify.annotations.NullMarked;
