package io.naru.fair;

import java.util.HexFormat;
import supranational.blst.P1;
import supranational.blst.P2;
import supranational.blst.SecretKey;

/** A chain whose rounds are made when a test wants them: as quicknet, with another key. */
public final class TestChain {

  private final SecretKey key = new SecretKey();
  private final Drand drand;

  public TestChain(String name) {
    key.keygen(Hashes.sha256(Hashes.utf8(name)));
    this.drand =
        new Drand(
            Hashes.hex(Hashes.sha256(Hashes.utf8("chain " + name))),
            HexFormat.of().formatHex(new P2(key).compress()),
            1_692_803_367,
            3);
  }

  public Drand drand() {
    return drand;
  }

  /** The key as the chain publishes it. */
  public String publicKey() {
    return HexFormat.of().formatHex(new P2(key).compress());
  }

  public byte[] sign(long round) {
    return new P1()
        .hash_to(Drand.message(round), "BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_")
        .sign_with(key)
        .compress();
  }
}
