/** What is kept on disk. */
@NullMarked
package io.naru.files;

import org.jspecify.annotations.NullMarked;
