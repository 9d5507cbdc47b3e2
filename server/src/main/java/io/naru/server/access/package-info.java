/** Who acts as an operator: keys with roles, console sessions, and what neither may do. */
@NullMarked
package io.naru.server.access;

import org.jspecify.annotations.NullMarked;
