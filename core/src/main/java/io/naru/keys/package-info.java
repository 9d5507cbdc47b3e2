/** Where the keys that sign passes are kept, the same for all servers of a line. */
@NullMarked
package io.naru.keys;

import org.jspecify.annotations.NullMarked;
