package io.naru.e2e.crash;

import io.naru.testkit.MariaDbServer;
import io.naru.testkit.Program;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("process")
@EnabledIfSystemProperty(named = "old.jar", matches = ".+")
class MariaDbUpgradeTest extends UpgradeTest {

  @RegisterExtension static final Program MARIADB = MariaDbServer.program();

  @Override
  Database kind() {
    return Database.MARIADB;
  }
}
