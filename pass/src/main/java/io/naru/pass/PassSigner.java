package io.naru.pass;

import java.time.Duration;

/** Makes tokens of passes. May be used by many threads. */
public final class PassSigner {

  private final PassKey key;

  public PassSigner(PassKey key) {
    if (!key.canSign()) {
      throw new IllegalArgumentException("signing needs a private key: " + key);
    }
    this.key = key;
  }

  /** The key in use, for {@code kid}. */
  public PassKey key() {
    return key;
  }

  /**
   * The pass as a token.
   *
   * @throws IllegalArgumentException if no verifier would ever take it
   */
  public String sign(Pass pass) {
    long life = Duration.between(pass.admittedAt(), pass.expiresAt()).toSeconds();
    if (life < 0 || life > Pass.MAX_LIFE_SECONDS) {
      throw new IllegalArgumentException(
          "a pass lives 0..%s s, not %s".formatted(Pass.MAX_LIFE_SECONDS, life));
    }
    String token = Jws.sign(key, Pass.TYPE, pass.claims());
    if (token.length() > Pass.MAX_LENGTH) {
      throw new IllegalArgumentException("a pass of %s characters".formatted(token.length()));
    }
    return token;
  }
}
