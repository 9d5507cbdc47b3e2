package io.naru.bench.servers;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.naru.bench.load.Target;
import io.naru.bench.load.Traffic;
import io.naru.testkit.AddressProcess;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;

/** {@code naru gateway} as a process of its own, before a site. */
public final class Gateway implements AutoCloseable {

  private final AddressProcess process;

  public Gateway(Setup setup, Naru naru, Queue queue, URI site, String protect) {
    process =
        AddressProcess.gateway(
            setup.jar(),
            setup.jvmArgs(),
            List.of(
                "--url=" + naru.uri(),
                "--origin=" + site,
                "--protect=" + protect,
                "--queue=" + queue.name(),
                // As many as download at once here.
                "--origin-connections=2000"));
  }

  public Target target() {
    return target(process.port());
  }

  public static Target target(int port) {
    return Target.http(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
  }

  /** The same page again and again, by somebody with this pass. */
  public static Traffic visits(String path, String pass) {
    byte[] request =
        "GET %s HTTP/1.1\r\nHost: shop.example\r\nAccept: text/html\r\nCookie: a=b; naru-pass=%s\r\n\r\n"
            .formatted(path, pass)
            .getBytes(US_ASCII);
    return out -> {
      out.writeBytes(request);
      return true;
    };
  }

  public int port() {
    return process.port();
  }

  public Vitals vitals() {
    return new Vitals(process.pid());
  }

  @Override
  public void close() {
    process.close();
  }
}
