/** The gate in a Spring Boot application: one dependency, three lines of configuration. */
@NullMarked
package io.naru.gate.spring;

import org.jspecify.annotations.NullMarked;
