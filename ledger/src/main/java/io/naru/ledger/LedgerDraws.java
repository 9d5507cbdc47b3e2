package io.naru.ledger;

import io.naru.decision.EntryState;
import io.naru.decision.Request;
import io.naru.line.Part;
import io.naru.queue.DrawStep;
import io.naru.queue.DrawView;
import io.naru.queue.Draws;
import io.naru.queue.LobbyEntry;
import io.naru.queue.QueueId;
import io.naru.queue.Seal;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Draws of queues that a ledger decides. A lobby is read in parts, each in a short snapshot of its
 * own, on a connection for which no visitor waits.
 */
final class LedgerDraws implements Draws {

  private final Writer writer;
  private final Reader reader;
  private final Acting acting;
  private final Dialect dialect;
  private final Background background;
  private final Asides.Kind<QueueId, DrawView> views;

  LedgerDraws(
      Writer writer,
      Reader reader,
      Acting acting,
      Dialect dialect,
      Background background,
      Asides asides) {
    this.writer = writer;
    this.reader = reader;
    this.acting = acting;
    this.dialect = dialect;
    this.background = background;
    this.views = asides.kind("draw", "find a draw", reader::drawViews);
  }

  @Override
  public CompletionStage<List<QueueId>> underWay() {
    return background.call("find draws", reader::draws);
  }

  /** Something about one queue. */
  private interface Reading<T> {
    T read(Rows rows, QueueRow row, long now) throws SQLException;
  }

  private <T> Reader.Reading<Optional<T>> ofQueue(QueueId queue, Reading<Optional<T>> reading) {
    return (connection, rows) -> {
      Optional<QueueRow> row = rows.queues().find(queue);
      return row.isEmpty()
          ? Optional.empty()
          : reading.read(rows, row.get(), dialect.now(connection));
    };
  }

  @Override
  public CompletionStage<Optional<DrawView>> draw(QueueId queue) {
    return views.find(queue);
  }

  @Override
  public CompletionStage<List<LobbyEntry>> lobby(QueueId queue, int lane, long after, int limit) {
    return background
        .callAtLeisure(
            "read a lobby",
            () ->
                reader.readLong(
                    ofQueue(
                        queue,
                        (rows, row, now) -> {
                          Optional<Part> part = row.toDraw(lane, after, now);
                          return part.isEmpty()
                              ? Optional.<List<LobbyEntry>>empty()
                              : Optional.of(lobby(rows, row, part.get(), limit));
                        })))
        .thenApply(found -> found.orElse(List.of()));
  }

  private static List<LobbyEntry> lobby(Rows rows, QueueRow row, Part part, int limit)
      throws SQLException {
    return rows.entries().waitingFrom(row, part.after() + 1, limit).stream()
        .map(EntryState::fact)
        .filter(part::contains)
        .map(fact -> new LobbyEntry(fact.joined(), fact.user()))
        .toList();
  }

  @Override
  public CompletionStage<Boolean> keepLeaves(
      QueueId queue, String sealId, int part, byte[] leaves) {
    return background.callAtLeisure(
        "keep leaves",
        () ->
            acting.run(
                "keep leaves",
                (rows, _) -> {
                  Optional<QueueRow> row = rows.queues().find(queue);
                  if (row.isPresent()) {
                    rows.leaves().put(row.get().id, sealId, part, dialect.nowHere(), leaves);
                  }
                  return row.isPresent();
                }));
  }

  @Override
  public CompletionStage<Optional<byte[]>> leaves(QueueId queue, String sealId, int part) {
    return background.callAtLeisure(
        "read leaves",
        () ->
            reader.readLong(
                ofQueue(queue, (rows, row, _) -> rows.leaves().find(row.id, sealId, part))));
  }

  @Override
  public CompletionStage<?> forgetLeaves(QueueId queue, String sealId) {
    return background.callAtLeisure(
        "forget leaves",
        () ->
            acting.run(
                "forget leaves",
                (rows, _) -> {
                  Optional<QueueRow> row = rows.queues().find(queue);
                  boolean isOther =
                      row.isPresent()
                          && (row.get().draw == null || !row.get().draw.sealId().equals(sealId));
                  if (isOther) {
                    rows.leaves().delete(row.get().id, sealId);
                  }
                  return isOther;
                }));
  }

  @Override
  public CompletionStage<DrawStep> seal(QueueId queue, Seal seal) {
    return writer.submit(new Request.Seal(queue, seal));
  }

  @Override
  public CompletionStage<DrawStep> coin(
      QueueId queue, String commitment, long round, String signature) {
    return writer.submit(new Request.Coin(queue, commitment, round, signature));
  }

  @Override
  public CompletionStage<DrawStep> settle(
      QueueId queue, String commitment, long from, List<Long> joined) {
    return writer.submit(new Request.Settle(queue, commitment, from, joined));
  }
}
