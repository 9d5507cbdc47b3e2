/** What one address may do in a while: new visitors, forged tokens, wrong keys. */
@NullMarked
package io.naru.server.limits;

import org.jspecify.annotations.NullMarked;
