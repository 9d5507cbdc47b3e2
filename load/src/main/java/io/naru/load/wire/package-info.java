/** As little of HTTP/1.1, event streams and WebSockets as it takes to play very many visitors. */
@NullMarked
package io.naru.load.wire;

import org.jspecify.annotations.NullMarked;
