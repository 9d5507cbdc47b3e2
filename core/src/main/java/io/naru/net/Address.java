package io.naru.net;

import java.net.InetAddress;
import java.nio.ByteBuffer;

/**
 * An address as limits see it. Of IPv6 the first 64 bits: one subscriber has all of the rest.
 *
 * @param host one subscriber: an IPv4 address or an IPv6 /64
 * @param network many of them: an IPv4 /24 or an IPv6 /48
 */
public record Address(long host, long network) {

  public static Address of(String literal) {
    byte[] bytes = InetAddress.ofLiteral(literal).getAddress();
    if (bytes.length == 4) {
      // No IPv6 network that is in use begins with 32 zeros.
      long host = Integer.toUnsignedLong(ByteBuffer.wrap(bytes).getInt());
      return new Address(host, host & ~0xffL);
    }
    long host = ByteBuffer.wrap(bytes).getLong();
    return new Address(host, host & ~0xffffL);
  }
}
