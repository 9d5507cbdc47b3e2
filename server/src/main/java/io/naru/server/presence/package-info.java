/** Whom this server sees near the front of lines in which it matters who is there. */
@NullMarked
package io.naru.server.presence;

import org.jspecify.annotations.NullMarked;
