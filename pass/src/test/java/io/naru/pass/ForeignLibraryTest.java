package io.naru.pass;

import static io.naru.pass.Forge.HERE;
import static io.naru.pass.Forge.PASS;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.jose4j.jwa.AlgorithmConstraints;
import org.jose4j.jwk.JsonWebKeySet;
import org.jose4j.jwt.JwtClaims;
import org.jose4j.jwt.NumericDate;
import org.jose4j.jwt.consumer.JwtConsumer;
import org.jose4j.jwt.consumer.JwtConsumerBuilder;
import org.jose4j.keys.resolvers.JwksVerificationKeyResolver;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A site without our gate needs any JWT library and the JWKS document, and nothing else. */
class ForeignLibraryTest {

  @ParameterizedTest
  @EnumSource(Algorithm.class)
  void pass_verifiesWithAnotherLibraryFromTheJwksAlone(Algorithm algorithm) throws Exception {
    PassKey key = PassKey.generate(algorithm);
    var published =
        new JsonWebKeySet(PassKey.jwks(List.of(PassKey.generate(Algorithm.ES256), key)));
    JwtConsumer consumer =
        new JwtConsumerBuilder()
            .setVerificationKeyResolver(new JwksVerificationKeyResolver(published.getJsonWebKeys()))
            .setJwsAlgorithmConstraints(
                AlgorithmConstraints.ConstraintType.PERMIT, algorithm.name())
            .setExpectedType(true, Pass.TYPE)
            .setExpectedIssuer(HERE.issuer())
            .setExpectedAudience(HERE.audience())
            .setRequireExpirationTime()
            .setEvaluationTime(NumericDate.fromSeconds(Forge.NOW.getEpochSecond()))
            .build();

    JwtClaims claims = consumer.processToClaims(new PassSigner(key).sign(PASS));

    assertThat(claims.getSubject()).isEqualTo(PASS.user());
    assertThat(claims.getJwtId()).isEqualTo(PASS.id());
    assertThat(claims.getClaimValueAsString("queue")).isEqualTo(PASS.queue());
    assertThat(claims.getNotBefore()).isEqualTo(claims.getIssuedAt());
    assertThat(claims.getExpirationTime().getValue()).isEqualTo(PASS.expiresAt().getEpochSecond());
  }
}
