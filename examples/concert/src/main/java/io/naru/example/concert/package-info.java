/** A concert with numbered seats, which people reserve when it is their turn. */
@NullMarked
package io.naru.example.concert;

import org.jspecify.annotations.NullMarked;
