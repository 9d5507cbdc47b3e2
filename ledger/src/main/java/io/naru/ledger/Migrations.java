package io.naru.ledger;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.flywaydb.core.api.ResourceProvider;
import org.flywaydb.core.api.resource.LoadableResource;
import org.jspecify.annotations.Nullable;

/**
 * The scripts that make the tables of one database, by a list that lies beside them. Flyway would
 * find them without, and look at each of the twenty thousand files of our jar for that.
 */
final class Migrations implements ResourceProvider {

  private final String folder;
  private final List<LoadableResource> all;

  /**
   * @param database as the folder of its scripts is called
   */
  Migrations(String database) {
    folder = "/io/naru/ledger/" + database + "/";
    all =
        new BufferedReader(open("migrations.txt"))
            .lines()
            .<LoadableResource>map(Script::new)
            .toList();
  }

  private Reader open(String name) {
    InputStream in = Migrations.class.getResourceAsStream(folder + name);
    return new InputStreamReader(Objects.requireNonNull(in, folder + name), UTF_8);
  }

  @Override
  public @Nullable LoadableResource getResource(String name) {
    return all.stream()
        .filter(each -> each.getRelativePath().equals(name))
        .findFirst()
        .orElse(null);
  }

  @Override
  public Collection<LoadableResource> getResources(String prefix, String[] suffixes) {
    return all.stream()
        .filter(each -> each.getFilename().startsWith(prefix))
        .filter(each -> Stream.of(suffixes).anyMatch(each.getFilename()::endsWith))
        .toList();
  }

  private final class Script extends LoadableResource {
    private final String name;

    Script(String name) {
      this.name = name;
    }

    @Override
    public Reader read() {
      return open(name);
    }

    @Override
    public String getFilename() {
      return name;
    }

    @Override
    public String getRelativePath() {
      return name;
    }

    @Override
    public String getAbsolutePath() {
      return folder + name;
    }

    @Override
    public String getAbsolutePathOnDisk() {
      return folder + name;
    }
  }
}
