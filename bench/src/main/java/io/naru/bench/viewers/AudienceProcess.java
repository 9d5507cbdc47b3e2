package io.naru.bench.viewers;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;

/**
 * Viewers in a process of their own, since one may not open files without end. Over its standard
 * input and output it is told where to watch and with which tokens, answers once all have settled,
 * and then what they have seen whenever it is asked. It ends with its input.
 */
public final class AudienceProcess implements Watchers {

  private static final int SETTLED = 1;
  private static final int REPORT = 2;

  private final Process process;
  private final DataOutputStream to;
  private final DataInputStream from;
  private boolean isSettled;

  private AudienceProcess(Process process) {
    this.process = process;
    this.to = new DataOutputStream(new BufferedOutputStream(process.getOutputStream()));
    this.from = new DataInputStream(new BufferedInputStream(process.getInputStream()));
  }

  /** Starts a process whose viewers begin to connect at once. */
  public static AudienceProcess start(Subscription subscription, List<String> tokens) {
    var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    var command =
        List.of(
            java,
            "-Xmx512m",
            "-XX:+UseSerialGC",
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            System.getProperty("java.class.path"),
            AudienceProcess.class.getName());
    try {
      var process =
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
      var audience = new AudienceProcess(process);
      audience.tell(subscription, tokens);
      return audience;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start viewers", e);
    }
  }

  private void tell(Subscription subscription, List<String> tokens) throws IOException {
    to.writeUTF(subscription.server().getHostString());
    to.writeInt(subscription.server().getPort());
    to.writeUTF(subscription.path());
    to.writeInt(tokens.size());
    for (var token : tokens) {
      to.writeUTF(token);
    }
    to.flush();
  }

  @Override
  public void settle() {
    try {
      if (!isSettled && from.readInt() != SETTLED) {
        throw new IllegalStateException("viewers say something else than that they have settled");
      }
      isSettled = true;
    } catch (IOException e) {
      throw new UncheckedIOException("viewers are gone", e);
    }
  }

  @Override
  public Seen seen() {
    settle();
    try {
      to.writeInt(REPORT);
      to.flush();
      return Seen.readFrom(from);
    } catch (IOException e) {
      throw new UncheckedIOException("viewers are gone", e);
    }
  }

  @Override
  public void close() {
    process.destroy();
    try {
      process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  /** The process itself. */
  public static void main(String[] args) throws IOException {
    var in = new DataInputStream(new BufferedInputStream(System.in));
    var out =
        new DataOutputStream(new BufferedOutputStream(new FileOutputStream(FileDescriptor.out)));
    var server = new InetSocketAddress(in.readUTF(), in.readInt());
    try (var audience = new Audience(new Subscription(server, in.readUTF()))) {
      for (int left = in.readInt(); left > 0; left--) {
        audience.open(in.readUTF());
      }
      audience.settle();
      out.writeInt(SETTLED);
      out.flush();
      answer(audience, in, out);
    }
  }

  private static void answer(Audience audience, DataInputStream in, DataOutputStream out)
      throws IOException {
    while (true) {
      try {
        var _ = in.readInt();
      } catch (EOFException e) {
        // Whoever started us has gone, or needs us no more.
        return;
      }
      audience.seen().writeTo(out);
      out.flush();
    }
  }
}
