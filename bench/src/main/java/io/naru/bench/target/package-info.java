/** What is put under load: our server with its Redis, a peer, and Redis alone. */
@NullMarked
package io.naru.bench.target;

import org.jspecify.annotations.NullMarked;
