package io.naru.bench.servers;

import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * How our server is started.
 *
 * @param siteJar the site that it protects
 * @param redis one that already runs, or empty for one of our own
 */
public record Setup(Path jar, Path siteJar, List<String> jvmArgs, Optional<URI> redis) {

  public Setup {
    jvmArgs = List.copyOf(jvmArgs);
  }

  /** The same with one more option, which wins over earlier ones of its kind. */
  public Setup with(String jvmArg) {
    var more = new ArrayList<>(jvmArgs);
    more.add(jvmArg);
    return new Setup(jar, siteJar, more, redis);
  }
}
