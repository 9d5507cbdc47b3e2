package io.naru.server.doors;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.naru.queue.Json;
import io.naru.queue.Secret;
import io.naru.server.doors.Altcha.Challenge;
import io.naru.server.doors.Altcha.Effort;
import io.naru.server.doors.Altcha.Verdict;
import io.naru.testkit.MachineLocale;
import io.naru.testkit.NodeLibrary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Our proofs of work are those of ALTCHA v2, and nothing else is one. */
class AltchaTest {

  private static final String SIGNATURES = "signature-secret-of-the-test-vectors";
  private static final String KEYS = "key-signature-secret-of-the-test-vectors";
  private static final String ENTRY = "00ff";
  private static final long NOW = 1_800_000_000;
  private static final Effort LITTLE = new Effort(20, 3, 9);

  private final Altcha altcha = altcha(SIGNATURES, KEYS);

  private static Altcha altcha(String signatures, String keys) {
    return new Altcha(new Secret(signatures.getBytes(UTF_8)), new Secret(keys.getBytes(UTF_8)));
  }

  private static Map<String, @Nullable Object> asked(Challenge challenge) {
    return Json.readObject(challenge.json());
  }

  private static Map<String, @Nullable Object> solved(Challenge challenge) {
    return solved(asked(challenge));
  }

  private static Map<String, @Nullable Object> solved(Map<String, @Nullable Object> challenge) {
    Map<String, @Nullable Object> payload = new LinkedHashMap<>();
    payload.put("challenge", challenge);
    payload.put("solution", Solver.solve(Solver.map(challenge, "parameters")));
    return payload;
  }

  /** The payload with something in it changed. */
  private static Map<String, @Nullable Object> with(
      Map<String, @Nullable Object> payload, @Nullable Object value, String... path) {
    Map<String, @Nullable Object> copy = new LinkedHashMap<>(payload);
    if (path.length == 1) {
      copy.put(path[0], value);
    } else {
      @SuppressWarnings("unchecked")
      var inner = (Map<String, @Nullable Object>) Objects.requireNonNull(copy.get(path[0]));
      copy.put(
          path[0],
          with(inner, value, List.of(path).subList(1, path.length).toArray(String[]::new)));
    }
    return copy;
  }

  @Test
  void ofTheReferenceLibrary_isSolvedAndTaken() throws IOException {
    Map<String, @Nullable Object> vectors;
    try (var in = Objects.requireNonNull(getClass().getResourceAsStream("/altcha/vectors.json"))) {
      vectors = Json.readObject(new String(in.readAllBytes(), UTF_8));
    }
    for (Object each : (List<?>) Objects.requireNonNull(vectors.get("payloads"))) {
      var payload = (Map<?, ?>) each;
      Map<?, ?> parameters = Solver.map(Solver.map(payload, "challenge"), "parameters");
      assertThat(Solver.solve(parameters)).isEqualTo(payload.get("solution"));
      String entry = String.valueOf(Solver.map(parameters, "data").get("entry"));
      assertThat(altcha.verify(payload, entry, NOW)).isEqualTo(Verdict.GOOD);
    }
  }

  @Test
  void whereDigitsLookDifferent_isTheSameText() {
    try (var _ = new MachineLocale("fa-IR")) {
      Challenge challenge = altcha.challenge(LITTLE, ENTRY, NOW + 60);

      assertThat(challenge.json()).isASCII().contains("\"expiresAt\":1800000060");
      assertThat(altcha.verify(solved(challenge), ENTRY, NOW)).isEqualTo(Verdict.GOOD);
    }
  }

  @Test
  @Tag("process")
  void ofOurs_theReferenceLibrarySolvesAndTakesIt(@TempDir Path folder) throws Exception {
    Path library = NodeLibrary.need("altcha-lib");
    Challenge challenge = altcha.challenge(Proofs.EFFORT, ENTRY, NOW * 2);
    Path script = folder.resolve("check.mjs");
    Files.writeString(
        script,
        """
        import { solveChallenge, verifySolution } from '%1$s/dist/esm/v2/pow.js';
        import { deriveKey } from '%1$s/dist/esm/v2/algorithms/pbkdf2.js';
        const challenge = %2$s;
        const solution = await solveChallenge({ challenge, deriveKey });
        const { verified } = await verifySolution({ challenge, solution, deriveKey,
          hmacSignatureSecret: '%3$s', hmacKeySignatureSecret: '%4$s' });
        console.log(verified + ' ' + JSON.stringify({ challenge, solution }));
        """
            .formatted(library, challenge.json(), SIGNATURES, KEYS));
    Process node = new ProcessBuilder("node", script.toString()).redirectErrorStream(true).start();
    String said = new String(node.getInputStream().readAllBytes(), UTF_8);
    assertThat(said).startsWith("true ");
    assertThat(altcha.verify(Json.readObject(said.substring(5).strip()), ENTRY, NOW))
        .isEqualTo(Verdict.GOOD);
  }

  @Test
  void solved_isTaken_againAndUntilItsEnd() {
    Map<String, @Nullable Object> payload = solved(altcha.challenge(LITTLE, ENTRY, NOW));

    assertThat(altcha.verify(payload, ENTRY, NOW)).isEqualTo(Verdict.GOOD);
    assertThat(altcha.verify(payload, ENTRY, NOW)).isEqualTo(Verdict.GOOD);
    assertThat(altcha.verify(payload, ENTRY, NOW + 1)).isEqualTo(Verdict.EXPIRED);
    assertThat(altcha.verify(payload, "00fe", NOW)).isEqualTo(Verdict.FOREIGN);
  }

  @Test
  void anythingElse_isRefused() {
    Challenge challenge = altcha.challenge(LITTLE, ENTRY, NOW);
    Map<String, @Nullable Object> good = solved(challenge);
    Map<String, @Nullable Object> other = solved(altcha.challenge(LITTLE, ENTRY, NOW));
    String prefix = challenge.parameters().keyPrefix();

    assertThat(verdict(with(good, other.get("solution"), "solution")))
        .as("the solution of another one")
        .isEqualTo(Verdict.WRONG);
    assertThat(verdict(with(good, prefix + prefix, "solution", "derivedKey")))
        .as("what can be seen of the key")
        .isEqualTo(Verdict.WRONG);
    assertThat(verdict(with(good, NOW + 9, "challenge", "parameters", "expiresAt")))
        .isEqualTo(Verdict.FORGED);
    assertThat(verdict(with(good, 1, "challenge", "parameters", "cost"))).isEqualTo(Verdict.FORGED);
    assertThat(verdict(with(good, "00fe", "challenge", "parameters", "data", "entry")))
        .isEqualTo(Verdict.FORGED);
    assertThat(verdict(with(good, "", "challenge", "signature"))).isEqualTo(Verdict.FORGED);
    assertThat(verdict(with(good, "x", "challenge", "parameters", "more")))
        .isEqualTo(Verdict.MALFORMED);
    assertThat(verdict(with(good, "SHA-256", "challenge", "parameters", "algorithm")))
        .isEqualTo(Verdict.MALFORMED);
    assertThat(verdict(with(good, "\",\"x\":\"", "challenge", "parameters", "nonce")))
        .isEqualTo(Verdict.MALFORMED);
    assertThat(verdict(Map.of())).isEqualTo(Verdict.MALFORMED);
    Altcha foreign = altcha("another-secret-of-another-line-of-queues", KEYS);
    assertThat(foreign.verify(good, ENTRY, NOW)).isEqualTo(Verdict.FORGED);
  }

  private Verdict verdict(Map<?, ?> payload) {
    return altcha.verify(payload, ENTRY, NOW);
  }
}
