/** Passes: made of committed admissions, signed with keys that all servers of a line share. */
@NullMarked
package io.naru.server.pass;

import org.jspecify.annotations.NullMarked;
