/**
 * A rate that follows the site: what is said about it, and two rules that make a rate of that. Pure
 * arithmetic; finding the rate is apart from keeping to it, which is {@code io.naru.admission}.
 */
@NullMarked
package io.naru.rate;

import org.jspecify.annotations.NullMarked;
