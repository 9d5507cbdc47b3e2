package io.naru.gateway;

import io.naru.net.Address;

/**
 * Who is at the other end of a connection.
 *
 * @param address a literal
 * @param isProxy whether that is a listed proxy, which speaks for others
 * @param isTls whether nobody between can read along
 */
record Caller(String address, boolean isProxy, boolean isTls) {

  /** One subscriber, as limits count. */
  long host() {
    return Address.of(address).host();
  }
}
