/** What an operator asks about people: one of them, or all of them in numbers. */
@NullMarked
package io.naru.server.people;

import org.jspecify.annotations.NullMarked;
