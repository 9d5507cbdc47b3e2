package io.naru.server;

import picocli.CommandLine.IVersionProvider;

/** The version of this build, from the jar's manifest. */
final class Version implements IVersionProvider {

  static String get() {
    String version = Version.class.getPackage().getImplementationVersion();
    return version == null ? "dev" : version;
  }

  @Override
  public String[] getVersion() {
    return new String[] {"naru " + get()};
  }
}
