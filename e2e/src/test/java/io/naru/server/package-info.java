/** Servers that are wrong on purpose, each in one way. */
@NullMarked
package io.naru.server;

import org.jspecify.annotations.NullMarked;
