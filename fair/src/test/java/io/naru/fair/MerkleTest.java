package io.naru.fair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.naru.support.Seeded;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The reference tree of Certificate Transparency, and trees of every size against it. */
class MerkleTest {

  private static final List<byte[]> LEAVES =
      List.of(
          hex(""),
          hex("00"),
          hex("10"),
          hex("2021"),
          hex("3031"),
          hex("40414243"),
          hex("5051525354555657"),
          hex("606162636465666768696a6b6c6d6e6f"));

  private static final List<String> ROOTS =
      List.of(
          "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
          "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
          "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
          "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
          "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
          "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
          "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
          "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
          "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328");

  private static byte[] hex(String text) {
    return HexFormat.of().parseHex(text);
  }

  private static List<byte[]> hashes(String... texts) {
    return List.of(texts).stream().map(MerkleTest::hex).toList();
  }

  /** A tree with all of its nodes. */
  private static final class Tree {
    final Frontier frontier = new Frontier();
    final Map<String, byte[]> nodes = new HashMap<>();
    final List<byte[]> roots = new ArrayList<>(List.of(frontier.root()));

    void append(byte[] leafHash) {
      frontier.append(leafHash, (height, number, hash) -> nodes.put(height + "/" + number, hash));
      roots.add(frontier.root());
    }

    Merkle.Nodes nodes() {
      return (height, number) -> {
        byte[] hash = nodes.get(height + "/" + number);
        return Objects.requireNonNull(hash, height + "/" + number);
      };
    }

    static Tree reference() {
      var tree = new Tree();
      LEAVES.forEach(leaf -> tree.append(Merkle.leafHash(leaf)));
      return tree;
    }

    static Tree random(Random random, int size) {
      var tree = new Tree();
      for (int i = 0; i < size; i++) {
        byte[] leaf = new byte[random.nextInt(40)];
        random.nextBytes(leaf);
        tree.append(Merkle.leafHash(leaf));
      }
      return tree;
    }
  }

  @Test
  void root_ofTheReferenceTree_atEverySize() {
    Tree tree = Tree.reference();

    for (int size = 0; size <= 8; size++) {
      assertThat(tree.roots.get(size)).isEqualTo(hex(ROOTS.get(size)));
      assertThat(Merkle.root(size, tree.nodes())).isEqualTo(hex(ROOTS.get(size)));
    }
  }

  @Test
  void inclusion_ofTheReferenceTree() {
    Merkle.Nodes nodes = Tree.reference().nodes();

    List<byte[]> first = Merkle.inclusion(0, 8, nodes);
    List<byte[]> sixth = Merkle.inclusion(5, 8, nodes);
    List<byte[]> third = Merkle.inclusion(2, 3, nodes);
    List<byte[]> second = Merkle.inclusion(1, 5, nodes);

    assertThat(first)
        .containsExactlyElementsOf(
            hashes(
                "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
                "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
                "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4"));
    assertThat(sixth)
        .containsExactlyElementsOf(
            hashes(
                "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
                "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
                "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7"));
    assertThat(third).containsExactlyElementsOf(hashes(ROOTS.get(2)));
    assertThat(second)
        .containsExactlyElementsOf(
            hashes(
                "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
                "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
                "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b"));
  }

  @Test
  void consistency_ofTheReferenceTree() {
    Merkle.Nodes nodes = Tree.reference().nodes();

    assertThat(Merkle.consistency(1, 1, nodes)).isEmpty();
    assertThat(Merkle.consistency(1, 8, nodes))
        .containsExactlyElementsOf(
            hashes(
                "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
                "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
                "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4"));
    assertThat(Merkle.consistency(6, 8, nodes))
        .containsExactlyElementsOf(
            hashes(
                "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
                "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
                "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7"));
    assertThat(Merkle.consistency(2, 5, nodes))
        .containsExactlyElementsOf(
            hashes(
                "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
                "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b"));
  }

  @Test
  void proofs_ofEveryLeafAndSize_holdAndNothingElseDoes() {
    Tree tree = Tree.random(new Random(7), 70);
    for (int size = 1; size <= 70; size++) {
      for (int index = 0; index < size; index++) {
        byte[] leaf = tree.nodes().hash(0, index);
        List<byte[]> path = Merkle.inclusion(index, size, tree.nodes());
        byte[] root = tree.roots.get(size);
        assertThat(Merkle.isIncluded(index, size, leaf, path, root)).isTrue();
        assertThat(Merkle.isIncluded(index ^ 1, size, leaf, path, root)).isFalse();
        assertThat(Merkle.isIncluded(index, size, leaf, path, tree.roots.get(size - 1))).isFalse();
        if (!path.isEmpty()) {
          assertThat(Merkle.isIncluded(index, size, leaf, path.subList(1, path.size()), root))
              .isFalse();
        }
        assertThat(Merkle.isIncluded(index, size, leaf, plus(path, leaf), root)).isFalse();
      }
      for (int before = 0; before <= size; before++) {
        List<byte[]> proof = Merkle.consistency(before, size, tree.nodes());
        byte[] first = tree.roots.get(before);
        byte[] second = tree.roots.get(size);
        assertThat(Merkle.isConsistent(before, size, first, second, proof)).isTrue();
        assertThat(Merkle.isConsistent(before, size, second, changed(second), proof)).isFalse();
        assertThat(Merkle.isConsistent(before, size, first, second, plus(proof, first))).isFalse();
        if (before > 0) {
          assertThat(Merkle.isConsistent(before, size, changed(first), second, proof)).isFalse();
        }
        if (before > 0 && before < size) {
          assertThat(Merkle.isConsistent(before, size, first, changed(second), proof)).isFalse();
        }
      }
    }
  }

  @Test
  void isIncluded_anInnerNodeInPlaceOfALeaf_no() {
    Merkle.Nodes nodes = Tree.reference().nodes();
    List<byte[]> path = Merkle.inclusion(0, 8, nodes);

    assertThat(Merkle.isIncluded(0, 8, nodes.hash(1, 0), path.subList(1, 3), hex(ROOTS.getLast())))
        .isFalse();
    assertThat(
            Merkle.isConsistent(
                4,
                8,
                hex(ROOTS.get(4)),
                hex(ROOTS.get(8)),
                List.of(nodes.hash(2, 1), new byte[32])))
        .isFalse();
  }

  private static List<byte[]> plus(List<byte[]> hashes, byte[] another) {
    List<byte[]> more = new ArrayList<>(hashes);
    more.add(another);
    return more;
  }

  private static byte[] changed(byte[] hash) {
    byte[] changed = hash.clone();
    changed[9] ^= 4;
    return changed;
  }

  @Test
  void frontier_comesBackFromItsBytes_andGoesOn() {
    Seeded.histories(
        20,
        random -> {
          int size = random.nextInt(300);
          Tree tree = Tree.random(random, size);
          Frontier again = Frontier.of(size, tree.frontier.bytes());
          assertThat(again.root()).isEqualTo(tree.frontier.root());
          byte[] leaf = Merkle.leafHash(new byte[] {1});
          again.append(leaf);
          tree.append(leaf);
          assertThat(again.root()).isEqualTo(tree.frontier.root());
        });
    assertThatIllegalArgumentException().isThrownBy(() -> Frontier.of(3, new byte[32]));
  }

  @Test
  void tiles_haveAllThatProofsNeed() {
    Seeded.histories(
        5,
        random -> {
          int size = 1 + random.nextInt(70_000);
          var tree = new Frontier();
          var plain = new Frontier();
          Map<String, byte[]> tiles = new HashMap<>();
          for (int i = 0; i < size; i++) {
            byte[] leaf = Merkle.leafHash(Bytes.ofLong(i));
            plain.append(leaf);
            Tiles.append(
                tree,
                leaf,
                (level, number, at, hash) -> {
                  byte[] tile = tiles.computeIfAbsent(level + "/" + number, _ -> new byte[8_192]);
                  System.arraycopy(hash, 0, tile, at * 32, 32);
                });
          }
          int total = size;
          Merkle.Nodes nodes =
              Tiles.nodes(
                  size,
                  (level, number, width) -> {
                    assertThat(width).isEqualTo(Tiles.width(level, number, total)).isPositive();
                    byte[] tile = tiles.get(level + "/" + number);
                    return Arrays.copyOf(Objects.requireNonNull(tile), width * 32);
                  });
          byte[] root = plain.root();
          assertThat(Merkle.root(size, nodes)).isEqualTo(root);
          int index = random.nextInt(size);
          assertThat(
                  Merkle.isIncluded(
                      index,
                      size,
                      Merkle.leafHash(Bytes.ofLong(index)),
                      Merkle.inclusion(index, size, nodes),
                      root))
              .isTrue();
        });
  }

  @Test
  void tiles_areSpelledAsTlogTilesDoes() {
    assertThat(Tiles.number(0)).isEqualTo("000");
    assertThat(Tiles.number(67)).isEqualTo("067");
    assertThat(Tiles.number(1_234_067)).isEqualTo("x001/x234/067");
    assertThat(Tiles.number(999)).isEqualTo("999");
    assertThat(Tiles.number(1_000)).isEqualTo("x001/000");
    assertThat(Tiles.path(0, 1_234_067, 256)).isEqualTo("0/x001/x234/067");
    assertThat(Tiles.path(1, 1, 112)).isEqualTo("1/001.p/112");
    assertThat(Tiles.entriesPath(1_234_067, 256)).isEqualTo("entries/x001/x234/067");
    for (long number : new long[] {0, 1, 999, 1_000, 1_234_067, 999_999_999_999L}) {
      assertThat(Tiles.ofNumber(Tiles.number(number))).isEqualTo(number);
    }
    for (String wrong :
        List.of("", "1", "67", "0067", "x000/001", "x001/", "x001/x234", "x1/000", "-01", "000 ")) {
      assertThat(Tiles.ofNumber(wrong)).as(wrong).isEqualTo(-1);
    }
  }

  @Test
  void tiles_ofTheExampleInTheSpecification_areAsWideAsItSays() {
    // A log of 70,000 records: 273 full tiles and one of 112; of level 1, one full and one of 17;
    // and one of a single hash above them.
    assertThat(Tiles.width(0, 272, 70_000)).isEqualTo(256);
    assertThat(Tiles.width(0, 273, 70_000)).isEqualTo(112);
    assertThat(Tiles.width(0, 274, 70_000)).isZero();
    assertThat(Tiles.width(1, 0, 70_000)).isEqualTo(256);
    assertThat(Tiles.width(1, 1, 70_000)).isEqualTo(17);
    assertThat(Tiles.width(2, 0, 70_000)).isEqualTo(1);
    assertThat(Tiles.width(3, 0, 70_000)).isZero();
    assertThat(Tiles.width(-1, 0, 70_000)).isZero();
    assertThat(Tiles.width(8, 0, 70_000)).isZero();
  }
}
