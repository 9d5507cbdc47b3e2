package io.naru.e2e.browser;

import java.awt.Rectangle;
import java.awt.image.BufferedImage;
import java.awt.image.DataBuffer;
import java.awt.image.IndexColorModel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageTypeSpecifier;
import javax.imageio.ImageWriter;
import javax.imageio.metadata.IIOMetadata;
import javax.imageio.metadata.IIOMetadataNode;
import javax.imageio.stream.ImageOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * An animated picture. Only what changed since the frame before is written, and within that what
 * stayed is transparent: screens hardly change from one moment to the next, so that is most of it.
 */
final class Gif implements AutoCloseable {

  private static final String FORMAT = "javax_imageio_gif_image_1.0";
  private static final int COLORS = 256;
  private static final int TRANSPARENT = COLORS - 1;

  private final ImageWriter writer = ImageIO.getImageWritersBySuffix("gif").next();
  private final ImageOutputStream out;
  private final int[] shown;
  private final int width;
  private final int height;
  private @Nullable Palette palette;

  Gif(Path file, int width, int height) throws IOException {
    this.width = width;
    this.height = height;
    this.shown = new int[width * height];
    Arrays.fill(shown, -1);
    Files.deleteIfExists(file);
    out = ImageIO.createImageOutputStream(file.toFile());
    writer.setOutput(out);
    writer.prepareWriteSequence(null);
  }

  /**
   * @param millis for how long it is seen
   */
  void add(BufferedImage frame, int millis) throws IOException {
    int[] pixels = frame.getRGB(0, 0, width, height, null, 0, width);
    if (palette == null) {
      palette = Palette.of(pixels);
    }
    var colors = palette;
    byte[] indexes = new byte[pixels.length];
    for (int i = 0; i < pixels.length; i++) {
      int index = colors.nearest(pixels[i]);
      indexes[i] = (byte) (index == shown[i] ? TRANSPARENT : index);
    }
    Rectangle changed = changed(indexes);
    for (int i = 0; i < indexes.length; i++) {
      if ((indexes[i] & 0xff) != TRANSPARENT) {
        shown[i] = indexes[i] & 0xff;
      }
    }
    var part =
        new BufferedImage(
            changed.width, changed.height, BufferedImage.TYPE_BYTE_INDEXED, colors.model());
    for (int y = 0; y < changed.height; y++) {
      byte[] row = new byte[changed.width];
      System.arraycopy(indexes, (changed.y + y) * width + changed.x, row, 0, changed.width);
      part.getRaster().setDataElements(0, y, changed.width, 1, row);
    }
    writer.writeToSequence(new IIOImage(part, null, metadata(part, changed, millis)), null);
  }

  private Rectangle changed(byte[] indexes) {
    int left = width;
    int top = height;
    int right = -1;
    int bottom = -1;
    for (int i = 0; i < indexes.length; i++) {
      if ((indexes[i] & 0xff) != TRANSPARENT) {
        left = Math.min(left, i % width);
        right = Math.max(right, i % width);
        top = Math.min(top, i / width);
        bottom = Math.max(bottom, i / width);
      }
    }
    // A picture has at least one point, also where nothing changed.
    return right < 0
        ? new Rectangle(0, 0, 1, 1)
        : new Rectangle(left, top, right - left + 1, bottom - top + 1);
  }

  private IIOMetadata metadata(BufferedImage part, Rectangle at, int millis) throws IOException {
    IIOMetadata metadata = writer.getDefaultImageMetadata(new ImageTypeSpecifier(part), null);
    var root = (IIOMetadataNode) metadata.getAsTree(FORMAT);
    IIOMetadataNode place = child(root, "ImageDescriptor");
    place.setAttribute("imageLeftPosition", "" + at.x);
    place.setAttribute("imageTopPosition", "" + at.y);
    IIOMetadataNode control = child(root, "GraphicControlExtension");
    control.setAttribute("disposalMethod", "doNotDispose");
    control.setAttribute("userInputFlag", "FALSE");
    control.setAttribute("transparentColorFlag", "TRUE");
    control.setAttribute("transparentColorIndex", "" + TRANSPARENT);
    control.setAttribute("delayTime", "" + millis / 10);
    var forEver = new IIOMetadataNode("ApplicationExtension");
    forEver.setAttribute("applicationID", "NETSCAPE");
    forEver.setAttribute("authenticationCode", "2.0");
    forEver.setUserObject(new byte[] {1, 0, 0});
    child(root, "ApplicationExtensions").appendChild(forEver);
    metadata.setFromTree(FORMAT, root);
    return metadata;
  }

  private static IIOMetadataNode child(IIOMetadataNode root, String name) {
    for (int i = 0; i < root.getLength(); i++) {
      if (root.item(i).getNodeName().equals(name)) {
        return (IIOMetadataNode) root.item(i);
      }
    }
    var made = new IIOMetadataNode(name);
    root.appendChild(made);
    return made;
  }

  @Override
  public void close() throws IOException {
    writer.endWriteSequence();
    out.close();
    writer.dispose();
  }

  /** The colours that are used most; all others are the nearest of them. */
  private static final class Palette {

    private final int[] colors;
    private final Map<Integer, Integer> known = new HashMap<>();

    private Palette(int[] colors) {
      this.colors = colors;
    }

    static Palette of(int[] pixels) {
      Map<Integer, Integer> counts = new HashMap<>();
      for (int pixel : pixels) {
        // Shades that nobody tells apart are one.
        counts.merge(pixel & 0xf8f8f8, 1, Integer::sum);
      }
      // Some that come later: greys, and the pages' own colours.
      for (int later : new int[] {0x0b6e75, 0x5fc9d0, 0x0b57d0, 0xb45309, 0xbe123c, 0xffffff, 0}) {
        counts.put(later & 0xf8f8f8, Integer.MAX_VALUE);
      }
      for (int grey = 0; grey < 256; grey += 8) {
        counts.put(grey * 0x010101, Integer.MAX_VALUE);
      }
      int[] most =
          counts.entrySet().stream()
              .sorted(Map.Entry.<Integer, Integer>comparingByValue().reversed())
              .limit(COLORS - 1)
              .mapToInt(Map.Entry::getKey)
              .toArray();
      return new Palette(most);
    }

    int nearest(int rgb) {
      return known.computeIfAbsent(rgb & 0xffffff, this::search);
    }

    private int search(int rgb) {
      int best = 0;
      int least = Integer.MAX_VALUE;
      for (int i = 0; i < colors.length; i++) {
        int red = (rgb >> 16 & 255) - (colors[i] >> 16 & 255);
        int green = (rgb >> 8 & 255) - (colors[i] >> 8 & 255);
        int blue = (rgb & 255) - (colors[i] & 255);
        int distance = 3 * red * red + 6 * green * green + blue * blue;
        if (distance < least) {
          least = distance;
          best = i;
        }
      }
      return best;
    }

    IndexColorModel model() {
      int[] all = new int[COLORS];
      for (int i = 0; i < colors.length; i++) {
        // What was cut off at the bottom comes back, so that white is white.
        all[i] = 0xff000000 | colors[i] | (colors[i] >> 5 & 0x070707);
      }
      return new IndexColorModel(8, COLORS, all, 0, true, TRANSPARENT, DataBuffer.TYPE_BYTE);
    }
  }
}
