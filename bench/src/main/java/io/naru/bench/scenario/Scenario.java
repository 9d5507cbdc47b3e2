package io.naru.bench.scenario;

import io.naru.bench.report.Row;
import java.util.function.Consumer;

/** One thing that is measured. To add another: implement this, and name it in {@link Scenarios}. */
public interface Scenario {

  /** The word that selects it on the command line. */
  String name();

  /**
   * Starts what it needs, measures, stops it again.
   *
   * @param rows takes each figure once it is known, so that a failure later on does not lose it
   */
  void run(Stage stage, Consumer<Row> rows);
}
