package io.naru.pass;

import static org.assertj.core.api.Assertions.assertThat;

import java.security.GeneralSecurityException;
import java.security.Provider;
import java.security.Security;
import org.junit.jupiter.api.Test;

/**
 * Run twice, like all tests here: with the fast provider on the class path, and without it. That
 * others verify what it signs is shown by {@link ForeignLibraryTest}, which knows the JDK only.
 */
class SignaturesTest {

  @Test
  void provider_fastOneOnTheClassPath_isTaken() {
    boolean without = System.getProperty("naru.test.signatures", "").equals("SunEC");

    assertThat(Signatures.provider())
        .startsWith(without ? "the JDK" : "AmazonCorrettoCryptoProvider");
  }

  @Test
  void keys_areMadeByWhoSigns() throws GeneralSecurityException {
    String signs = Signatures.of("SHA256withECDSA").getProvider().getName();

    assertThat(Signatures.pairs("EC").getProvider().getName()).isEqualTo(signs);
  }

  @Test
  void provider_fastOneTaken_isNotInstalledForTheWholeApplication() {
    assertThat(Signatures.provider()).isNotEmpty();

    assertThat(Security.getProviders())
        .extracting(Provider::getName)
        .doesNotContain("AmazonCorrettoCryptoProvider");
  }
}
