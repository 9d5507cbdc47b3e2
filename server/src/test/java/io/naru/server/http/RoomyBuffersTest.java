package io.naru.server.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.impl.HttpServerConnection;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class RoomyBuffersTest {

  /** What goes out, piece by piece. */
  private static List<String> pieces(ByteBufAllocator buffers, int bodyLength) {
    var channel = new EmbeddedChannel(new HttpResponseEncoder());
    channel.config().setAllocator(buffers);
    var response =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1,
            HttpResponseStatus.OK,
            Unpooled.copiedBuffer("p".repeat(bodyLength), ISO_8859_1));
    response
        .headers()
        .set("X-Request-Id", "0123456789abcdef")
        .set("Content-Type", "application/json")
        .set("Cache-Control", "no-store")
        .set("Retry-After", "30")
        .set("Content-Length", bodyLength);
    channel.writeOutbound(response);
    List<String> pieces = new ArrayList<>();
    for (ByteBuf piece = channel.readOutbound(); piece != null; piece = channel.readOutbound()) {
      pieces.add(piece.toString(ISO_8859_1));
      piece.release();
    }
    channel.finishAndReleaseAll();
    return pieces;
  }

  @Test
  void placeInLine_goesOutInOnePiece() {
    assertThat(pieces(ByteBufAllocator.DEFAULT, 420)).hasSize(2);
    assertThat(pieces(RoomyBuffers.ROOMY, 420)).hasSize(1);
  }

  @Test
  void whateverItsLength_theSameGoesOut() {
    for (int length = 0; length < 3_000; length += 7) {
      assertThat(String.join("", pieces(RoomyBuffers.ROOMY, length)))
          .isEqualTo(String.join("", pieces(ByteBufAllocator.DEFAULT, length)));
    }
  }

  @Test
  void connection_hasThem() throws Exception {
    var used = new AtomicReference<ByteBufAllocator>();
    var home =
        new Route(
            HttpMethod.GET,
            "/",
            Route.Audience.PUBLIC,
            Route.Pages.ANY,
            Route.Body.NONE,
            exchange -> {
              var connection = (HttpServerConnection) exchange.request().connection();
              used.set(connection.channelHandlerContext().alloc());
              exchange.json(200, Json.object(_ -> {}));
            });
    var door =
        new HttpDoor(
            new RouteTable(List.of(home)),
            HttpDoor.Guard.NONE,
            Cors.NONE,
            () -> "",
            new RequestIds(_ -> false),
            null,
            _ -> {});
    var vertx = Vertx.vertx();
    try (var client = HttpClient.newHttpClient()) {
      var server =
          vertx
              .createHttpServer(HttpDoor.options())
              .connectionHandler(door::connected)
              .requestHandler(door::handle)
              .listen(0, "127.0.0.1")
              .toCompletionStage()
              .toCompletableFuture()
              .get(10, TimeUnit.SECONDS);
      var address = URI.create("http://127.0.0.1:" + server.actualPort() + "/");
      client.send(HttpRequest.newBuilder(address).build(), BodyHandlers.discarding());
    } finally {
      vertx.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
    }
    assertThat(used.get()).isSameAs(RoomyBuffers.ROOMY);
  }
}
