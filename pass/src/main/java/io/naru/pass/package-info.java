/** The signed pass: what it says, the keys that sign it, how it is verified and revoked. */
@NullMarked
package io.naru.pass;

import org.jspecify.annotations.NullMarked;
