/**
 * Keeps the copies of lines up with the ledger: what a copy lacks is told, what is lost is made
 * anew.
 */
@NullMarked
package io.naru.ledger.copies;

import org.jspecify.annotations.NullMarked;
