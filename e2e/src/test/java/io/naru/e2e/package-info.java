/** Naru as its users meet it: the launcher, real processes, real sockets. */
@NullMarked
package io.naru.e2e;

import org.jspecify.annotations.NullMarked;
