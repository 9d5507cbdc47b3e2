/**
 * {@code main()}, the options, and the one class that wires everything: {@link
 * io.naru.server.Naru}.
 */
@NullMarked
package io.naru.server;

import org.jspecify.annotations.NullMarked;
