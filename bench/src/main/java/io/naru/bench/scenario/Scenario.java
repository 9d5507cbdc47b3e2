package io.naru.bench.scenario;

import io.naru.bench.report.Row;
import java.util.List;

/** One thing that is measured. To add another: implement this, and name it in {@link Scenarios}. */
public interface Scenario {

  /** The word that selects it on the command line. */
  String name();

  /** Starts what it needs, measures, stops it again. */
  List<Row> run(Stage stage);
}
