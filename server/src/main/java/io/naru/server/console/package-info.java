/** The console: its page and files, and the figures of a queue as they are each second. */
@NullMarked
package io.naru.server.console;

import org.jspecify.annotations.NullMarked;
