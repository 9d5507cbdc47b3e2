/** What is put under load: our server with its Redis, a peer, and Redis alone. */
@NullMarked
package io.naru.bench.servers;

import org.jspecify.annotations.NullMarked;
