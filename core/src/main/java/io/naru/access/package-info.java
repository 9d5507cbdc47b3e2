/** Who may act as an operator: keys with roles, the same for all servers of a line. */
@NullMarked
package io.naru.access;

import org.jspecify.annotations.NullMarked;
