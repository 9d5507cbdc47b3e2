/** What a visitor does with an entry: enter, status, leave, complete. */
@NullMarked
package io.naru.server.entry;

import org.jspecify.annotations.NullMarked;
