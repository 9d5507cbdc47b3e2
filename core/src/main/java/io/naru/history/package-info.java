/** What has been in a queue, in numbers: how long people waited, and what happened when. */
@NullMarked
package io.naru.history;

import org.jspecify.annotations.NullMarked;
