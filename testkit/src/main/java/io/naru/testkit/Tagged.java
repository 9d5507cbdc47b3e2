package io.naru.testkit;

import org.jspecify.annotations.Nullable;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.UniqueId;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;

/**
 * Tells {@link Tether} which test class runs that does not say that it starts processes. A quick
 * run would fail there, and the full run is the one that everybody looks at.
 */
public final class Tagged implements TestExecutionListener {

  /** The tagged class that runs now: what runs within it, with one parameter or the other, is. */
  private @Nullable UniqueId tagged;

  @Override
  public void executionStarted(TestIdentifier test) {
    if (isClass(test) && tagged == null) {
      if (test.getTags().stream().anyMatch(tag -> tag.getName().equals("process"))) {
        tagged = test.getUniqueIdObject();
      } else {
        Tether.untagged = test.getLegacyReportingName();
      }
    }
  }

  @Override
  public void executionFinished(TestIdentifier test, TestExecutionResult result) {
    if (tagged != null && tagged.equals(test.getUniqueIdObject())) {
      tagged = null;
    }
    if (isClass(test)) {
      Tether.untagged = null;
    }
  }

  private static boolean isClass(TestIdentifier test) {
    return test.getSource().filter(ClassSource.class::isInstance).isPresent();
  }
}
