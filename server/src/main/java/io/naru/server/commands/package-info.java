/** What systems behind ask for over a topic instead of HTTP. */
@NullMarked
package io.naru.server.commands;

import org.jspecify.annotations.NullMarked;
