/**
 * Servers, Redis and PostgreSQL are killed, frozen and cut off from each other while visitors come
 * and go; what the visitors were told is then held against what must always be true.
 */
@NullMarked
package io.naru.e2e.crash;

import org.jspecify.annotations.NullMarked;
