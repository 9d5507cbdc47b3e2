package io.naru.bench.jmh;

import com.amazon.corretto.crypto.provider.AmazonCorrettoCryptoProvider;
import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSVerifier;
import com.nimbusds.jose.crypto.ECDSAVerifier;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import com.nimbusds.jwt.proc.BadJWTException;
import com.nimbusds.jwt.proc.DefaultJWTClaimsVerifier;
import com.nimbusds.jwt.proc.JWTClaimsSetVerifier;
import io.naru.pass.Algorithm;
import io.naru.pass.Expected;
import io.naru.pass.KeySource;
import io.naru.pass.Pass;
import io.naru.pass.PassKey;
import io.naru.pass.PassSigner;
import io.naru.pass.PassVerifier;
import io.naru.pass.Verification;
import java.text.ParseException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The pass: signed for everybody who is let in, verified on every request to the protected site.
 * Beside it, what Nimbus alone takes to verify the same token, with the signatures of the same
 * provider and with those of the JDK.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(1)
public class PassBenchmark {

  private static final String QUEUE = "TIMEDEAL/123";
  private static final Expected EXPECTED = new Expected("https://naru.example", QUEUE, QUEUE);

  private final PassKey key = PassKey.generate(Algorithm.ES256);
  private final PassSigner signer = new PassSigner(key);
  private final Pass pass = pass();
  private final String token = signer.sign(pass);
  private final PassVerifier remembering =
      new PassVerifier(new OneKey(key.publicHalf()), InstantSource.system());
  private final PassVerifier forgetting =
      new PassVerifier(
          new OneKey(key.publicHalf()), InstantSource.system(), PassVerifier.DEFAULT_SKEW, 0);
  private final JWSVerifier nimbus = nimbus();
  private final JWSVerifier nimbusOnJdk = nimbus();
  private final JWTClaimsSetVerifier<?> claims =
      new DefaultJWTClaimsVerifier<>(
          QUEUE,
          new JWTClaimsSet.Builder().issuer(EXPECTED.issuer()).claim("queue", QUEUE).build(),
          Set.of("sub", "jti", "iat", "nbf", "exp"));

  public PassBenchmark() {
    nimbus.getJCAContext().setProvider(AmazonCorrettoCryptoProvider.INSTANCE);
  }

  private static Pass pass() {
    Instant now = Instant.now();
    return new Pass(
        EXPECTED.issuer(),
        QUEUE,
        QUEUE,
        "0123456789abcdef",
        "AAAZ0wQFhgB1b3J0aG9nb25hbC1tYWM",
        now,
        now.plus(Duration.ofHours(1)));
  }

  private JWSVerifier nimbus() {
    try {
      return new ECDSAVerifier(ECKey.parse(key.publicHalf().toJwk()));
    } catch (JOSEException | ParseException e) {
      throw new IllegalStateException(e);
    }
  }

  @Benchmark
  public String sign() {
    return signer.sign(pass);
  }

  @Benchmark
  public Verification verifyAgain() {
    return remembering.verify(token, EXPECTED);
  }

  @Benchmark
  public Verification verifyFirst() {
    return forgetting.verify(token, EXPECTED);
  }

  @Benchmark
  public JWTClaimsSet verifyWithNimbus() throws ParseException, JOSEException, BadJWTException {
    return verifyWith(nimbus);
  }

  @Benchmark
  public JWTClaimsSet verifyWithNimbusOnJdk()
      throws ParseException, JOSEException, BadJWTException {
    return verifyWith(nimbusOnJdk);
  }

  private JWTClaimsSet verifyWith(JWSVerifier verifier)
      throws ParseException, JOSEException, BadJWTException {
    SignedJWT jwt = SignedJWT.parse(token);
    if (!new JOSEObjectType(Pass.TYPE).equals(jwt.getHeader().getType())
        || !key.id().equals(jwt.getHeader().getKeyID())
        || !jwt.verify(verifier)) {
      throw new IllegalStateException("refused");
    }
    claims.verify(jwt.getJWTClaimsSet(), null);
    return jwt.getJWTClaimsSet();
  }

  /** As a gate knows it. */
  private record OneKey(PassKey key) implements KeySource {
    @Override
    public @Nullable PassKey find(String keyId) {
      return keyId.equals(key.id()) ? key : null;
    }

    @Override
    public boolean keyRevoked(String keyId) {
      return false;
    }

    @Override
    public boolean passRevoked(String passId) {
      return false;
    }
  }
}
