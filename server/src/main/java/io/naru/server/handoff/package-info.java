/** Taking one's place along to another device. */
@NullMarked
package io.naru.server.handoff;

import org.jspecify.annotations.NullMarked;
