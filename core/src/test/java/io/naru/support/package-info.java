/** What tests of several packages and modules share: a clock to set, histories to replay. */
@NullMarked
package io.naru.support;

import org.jspecify.annotations.NullMarked;
