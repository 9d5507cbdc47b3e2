/** What an operator does with queues. */
@NullMarked
package io.naru.server.admin;

import org.jspecify.annotations.NullMarked;
