/** Where requests come from, and what those who send them would like to read. */
@NullMarked
package io.naru.net;

import org.jspecify.annotations.NullMarked;
