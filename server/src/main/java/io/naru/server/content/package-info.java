/** What is sent to browsers as it is: the files of the console and of the waiting page. */
@NullMarked
package io.naru.server.content;

import org.jspecify.annotations.NullMarked;
