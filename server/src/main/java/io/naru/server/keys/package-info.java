/** The keys that sign passes, as one ring, and the secrets that a server keeps in files. */
@NullMarked
package io.naru.server.keys;

import org.jspecify.annotations.NullMarked;
