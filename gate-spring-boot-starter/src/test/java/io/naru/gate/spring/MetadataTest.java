package io.naru.gate.spring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.util.JSONObjectUtils;
import java.io.InputStream;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What an IDE knows about the properties. */
class MetadataTest {

  @Test
  void everyProperty_hasADescription_andItsDefault() throws Exception {
    Map<String, Map<?, ?>> properties = new HashMap<>();
    try (InputStream file =
        NaruGateProperties.class.getResourceAsStream(
            "/META-INF/spring-configuration-metadata.json")) {
      assertThat(file).isNotNull();
      Map<String, Object> metadata = JSONObjectUtils.parse(new String(file.readAllBytes(), UTF_8));
      for (Object each : (List<?>) requireNonNull(metadata.get("properties"))) {
        var property = (Map<?, ?>) each;
        properties.put((String) property.get("name"), property);
      }
    }

    assertThat(properties)
        .containsOnlyKeys(
            "naru.gate.enabled",
            "naru.gate.url",
            "naru.gate.queue",
            "naru.gate.protect",
            "naru.gate.public-url",
            "naru.gate.audience",
            "naru.gate.clock-skew",
            "naru.gate.poll-every",
            "naru.gate.max-knowledge-age",
            "naru.gate.bind-to-session",
            "naru.gate.site-key",
            "naru.gate.signal-key",
            "naru.gate.source");
    assertThat(properties)
        .allSatisfy(
            (name, property) ->
                assertThat((String) property.get("description")).as(name).endsWith("."));
    var defaults = new HashMap<String, Object>();
    properties.forEach((name, property) -> defaults.put(name, property.get("defaultValue")));
    defaults.values().removeIf(Objects::isNull);
    assertThat(defaults)
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                "naru.gate.enabled",
                true,
                "naru.gate.bind-to-session",
                false,
                "naru.gate.clock-skew",
                "5s",
                "naru.gate.poll-every",
                "2s",
                "naru.gate.protect",
                "/**"));
  }
}
