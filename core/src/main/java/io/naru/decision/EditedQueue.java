package io.naru.decision;

import io.naru.audit.Act;
import io.naru.queue.Edit;
import io.naru.queue.Micros;
import io.naru.queue.Settings;
import io.naru.queue.State;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What an edit makes of a queue, as an act that names what is different and nothing else. */
final class EditedQueue {

  private final QueueState before;
  private final boolean isNew;

  /**
   * @param before as it is until the edit
   * @param isNew whether there was no such queue
   */
  EditedQueue(QueueState before, boolean isNew) {
    this.before = before;
    this.isNew = isNew;
  }

  Act act(Edit edit, Settings settings, State state) {
    Map<String, @Nullable Object> was = told(before.settings, before.state);
    Map<String, @Nullable Object> is = told(settings, state);
    is.entrySet().removeIf(each -> Objects.equals(each.getValue(), was.get(each.getKey())));
    was.keySet().retainAll(is.keySet());
    return new Act(edit.by(), kind(edit), before.queue, isNew ? Map.of() : was, is);
  }

  private Act.Kind kind(Edit edit) {
    if (isNew) {
      return Act.Kind.CREATE;
    }
    return switch (edit.act()) {
      case KEEP -> Act.Kind.EDIT;
      case ACTIVATE -> Act.Kind.ACTIVATE;
      case DEACTIVATE -> Act.Kind.DEACTIVATE;
      case PAUSE -> Act.Kind.PAUSE;
      case RESUME -> Act.Kind.RESUME;
      case CLOSE -> Act.Kind.CLOSE;
      case OPEN -> Act.Kind.OPEN;
      case END -> Act.Kind.END;
    };
  }

  private static Map<String, @Nullable Object> told(Settings settings, State state) {
    Map<String, @Nullable Object> told = new LinkedHashMap<>(settings.asMap());
    told.put("entryOpen", state.entryOpen());
    told.put("admissionPaused", state.admissionPaused());
    told.put("pausedReason", state.reason());
    told.put("endedAt", state.isEnded() ? Micros.iso(state.endedAt()) : null);
    return told;
  }
}
