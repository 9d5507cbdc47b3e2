/**
 * The queue that SQL decides: {@link io.naru.ledger.Ledger} is the door. One writer per server
 * decides in transactions, a keeper carries what was decided to the line's copy.
 */
@NullMarked
package io.naru.ledger;

import org.jspecify.annotations.NullMarked;
