/** Real servers as child processes on free loopback ports, which tests may kill. */
@NullMarked
package io.naru.testkit;

import org.jspecify.annotations.NullMarked;
