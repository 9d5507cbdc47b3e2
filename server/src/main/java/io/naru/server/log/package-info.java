/** The public log of a queue: appended from its journal, and told to whoever asks. */
@NullMarked
package io.naru.server.log;

import org.jspecify.annotations.NullMarked;
