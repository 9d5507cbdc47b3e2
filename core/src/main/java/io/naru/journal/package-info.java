/** What was decided, event by event, and the public log that is made of it. */
@NullMarked
package io.naru.journal;

import org.jspecify.annotations.NullMarked;
