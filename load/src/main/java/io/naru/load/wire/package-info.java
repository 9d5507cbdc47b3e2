/** As little of HTTP/1.1 and of event streams as it takes to play very many visitors. */
@NullMarked
package io.naru.load.wire;

import org.jspecify.annotations.NullMarked;
