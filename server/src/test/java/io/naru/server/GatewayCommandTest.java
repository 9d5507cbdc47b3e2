package io.naru.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GatewayCommandTest {

  @TempDir private Path folder;

  private static String refused(String... args) {
    var err = new StringWriter();
    int code = Main.commandLine().setErr(new PrintWriter(err, true)).execute(args);
    assertThat(code).isEqualTo(2);
    return err.toString();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --queue=A/1 --protect=/a                                       | --origin: say where
          --origin=http://a --protect=/a                                 | --queue: say which paths
          --origin=http://a --queue=A/1                                  | --protect: say which paths
          --origin=http://a --queue=a --protect=/a                       | --queue must be TYPE/id
          --origin=http://a --queue=A/1 --protect=a                      | --protect must be
          --origin=http://a/b --queue=A/1 --protect=/a                   | --origin must be scheme
          --origin=http://a --queue=A/1 --protect=/a --port=70000        | --port: must be 0..65535
          --origin=http://a --queue=A/1 --protect=/a --answer-timeout=0  | --answer-timeout: must be
          --origin=http://a --queue=A/1 --protect=/a --url=ftp://n       | --url: must be
          --origin=http://a --queue=A/1 --protect=/a --trusted-proxies=x | --trusted-proxies: trusted
          --origin=http://a --queue=A/1 --protect=/a --complete=done     | --complete must be
          --origin=http://a --queue=A/1 --protect=/a --site-key-file=/no | --site-key-file: there is no
          --origin=http://a --queue=A/1 --protect=/a --origin-ca=/no     | --origin-ca: cannot be read
          --origin=http://a --queue=A/1 --protect=/a --origin-ca=pom.xml | --origin-ca: cannot be read
          --origin=http://a --queue=A/1 --protect=/a --tls-cert=/no      | --tls-key: give it with --tls-cert
          --origin=http://a --queue=A/1 --protect=/a --tls-key=/no       | --tls-cert: give it with --tls-key
          --origin=http://a --queue=A/1 --protect=/a --tls-cert=/no --tls-key=/no | /no: there is no such file
          --origin=http://a --queue=A/1 --protect=/a --tls-cert=pom.xml --tls-key=pom.xml | pom.xml: is not a certificate
          """)
  void wrong_option_isNamed(String options, String complaint) {
    assertThat(refused(("gateway " + options).split(" +"))).contains(complaint);
  }

  @Test
  void wrong_rules_areNamedWithTheirLine() throws Exception {
    Path rules =
        Files.writeString(
            folder.resolve("rules.yaml"), "origin: http://127.0.0.1:1\nrules:\n  - queue: A/1\n");
    assertThat(refused("gateway", "--rules", rules.toString()))
        .contains("--rules: ")
        .contains("rules.yaml line 3: a rule must have protect");
  }
}
