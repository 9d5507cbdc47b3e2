/** What a Naru says about itself to whoever comes without an address. */
@NullMarked
package io.naru.server.home;

import org.jspecify.annotations.NullMarked;
