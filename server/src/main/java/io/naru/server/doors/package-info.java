/** What newcomers owe, and how they prove it: work, or the word of an outside verifier. */
@NullMarked
package io.naru.server.doors;

import org.jspecify.annotations.NullMarked;
