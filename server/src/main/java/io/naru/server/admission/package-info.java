/** The beat that lets people in. */
@NullMarked
package io.naru.server.admission;

import org.jspecify.annotations.NullMarked;
