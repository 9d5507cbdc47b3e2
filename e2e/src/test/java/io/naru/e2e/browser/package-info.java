/** The waiting page as people meet it: in a real Chromium, on a real server. */
@NullMarked
package io.naru.e2e.browser;

import org.jspecify.annotations.NullMarked;
