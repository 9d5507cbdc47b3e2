/** Who is asking: trusted header or signed cookie. */
@NullMarked
package io.naru.server.identity;

import org.jspecify.annotations.NullMarked;
