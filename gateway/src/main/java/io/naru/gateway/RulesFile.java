package io.naru.gateway;

import java.io.IOException;
import java.io.StringReader;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;

/**
 * Rules as a file, of which every mistake is said with its line.
 *
 * <pre>
 * origin: http://127.0.0.1:8081
 * rules:
 *   - protect: [/checkout/**, /seats/**]
 *     queue: TIMEDEAL/123
 *     complete: /checkout/done
 *   - protect: /tickets/**
 *     queue: CONCERT/7
 *     origin: http://127.0.0.1:8082
 * </pre>
 */
public final class RulesFile {

  private static final int MAX_BYTES = 262_144;
  private static final int MAX_RULES = 100;
  private static final Set<String> TOP = Set.of("origin", "rules");
  private static final Set<String> RULE =
      Set.of("protect", "queue", "audience", "complete", "complete-header", "origin");

  private final Path file;
  private final @Nullable URI origin;

  /**
   * @param origin the site behind where the file names none; null if it has to
   */
  public RulesFile(Path file, @Nullable URI origin) {
    this.file = file;
    this.origin = origin;
  }

  public RuleSet read() throws BadRules {
    return parse(text());
  }

  /** What is in the file, whatever it is. */
  String text() throws BadRules {
    try {
      if (Files.size(file) > MAX_BYTES) {
        throw new BadRules(file.toString(), "is larger than 256 kB");
      }
      return Files.readString(file);
    } catch (IOException e) {
      throw new BadRules(file.toString(), "cannot be read (" + e + ")");
    }
  }

  RuleSet parse(String text) throws BadRules {
    Node root;
    try {
      var options = new LoaderOptions();
      options.setMaxAliasesForCollections(0);
      root = new Yaml(options).compose(new StringReader(text));
    } catch (MarkedYAMLException e) {
      int line = e.getProblemMark() == null ? 0 : e.getProblemMark().getLine() + 1;
      throw new BadRules(file + " line " + line, String.valueOf(e.getProblem()));
    } catch (YAMLException e) {
      throw new BadRules(file.toString(), String.valueOf(e.getMessage()));
    }
    if (root == null) {
      throw new BadRules(file.toString(), "is empty");
    }
    Map<String, Node> top = fields(root, TOP);
    URI site = top.containsKey("origin") ? address(top.get("origin")) : origin;
    if (site == null) {
      throw bad(root, "there must be an origin, as http://127.0.0.1:8081");
    }
    Node rules = top.get("rules");
    if (!(rules instanceof SequenceNode list) || list.getValue().isEmpty()) {
      throw bad(rules == null ? root : rules, "rules must be a list of one rule or more");
    }
    if (list.getValue().size() > MAX_RULES) {
      throw bad(rules, "there must be at most " + MAX_RULES + " rules");
    }
    var read = new ArrayList<Rule>();
    for (Node rule : list.getValue()) {
      read.add(rule(rule));
    }
    try {
      return new RuleSet(site, read);
    } catch (IllegalArgumentException e) {
      throw bad(top.getOrDefault("origin", root), String.valueOf(e.getMessage()));
    }
  }

  private Rule rule(Node node) throws BadRules {
    Map<String, Node> fields = fields(node, RULE);
    for (String needed : List.of("protect", "queue")) {
      if (!fields.containsKey(needed)) {
        throw bad(node, "a rule must have " + needed);
      }
    }
    Node header = fields.get("complete-header");
    Node audience = fields.get("audience");
    Node other = fields.get("origin");
    try {
      return new Rule(
          texts(fields.get("protect")),
          text(fields.get("queue")),
          audience == null ? null : text(audience),
          fields.containsKey("complete") ? texts(fields.get("complete")) : List.of(),
          header == null ? Rule.COMPLETE_HEADER : text(header),
          other == null ? null : address(other));
    } catch (IllegalArgumentException e) {
      String why = String.valueOf(e.getMessage());
      // The field that it begins with, where it is one.
      throw bad(fields.getOrDefault(why.split(" ", 2)[0], node), why);
    }
  }

  private Map<String, Node> fields(Node node, Set<String> allowed) throws BadRules {
    if (!(node instanceof MappingNode mapping)) {
      throw bad(node, "there must be 'name: value' lines here");
    }
    var fields = new HashMap<String, Node>();
    for (NodeTuple tuple : mapping.getValue()) {
      String name = text(tuple.getKeyNode());
      if (!allowed.contains(name)) {
        throw bad(
            tuple.getKeyNode(),
            "there is no '" + name + "'; known are " + allowed.stream().sorted().toList());
      }
      if (fields.put(name, tuple.getValueNode()) != null) {
        throw bad(tuple.getKeyNode(), "'" + name + "' is there twice");
      }
    }
    return fields;
  }

  private List<String> texts(@Nullable Node node) throws BadRules {
    if (!(node instanceof SequenceNode list)) {
      return List.of(text(node));
    }
    var texts = new ArrayList<String>();
    for (Node one : list.getValue()) {
      texts.add(text(one));
    }
    return texts;
  }

  private String text(@Nullable Node node) throws BadRules {
    if (node instanceof ScalarNode scalar && !scalar.getValue().isBlank()) {
      return scalar.getValue();
    }
    throw bad(node, "there must be one value here");
  }

  private URI address(@Nullable Node node) throws BadRules {
    String text = text(node);
    try {
      var address = new URI(text);
      Rule.checkOrigin("origin", address);
      return address;
    } catch (URISyntaxException | IllegalArgumentException e) {
      throw bad(node, "origin must be scheme, host and perhaps port, as http://10.0.0.7:8080");
    }
  }

  private BadRules bad(@Nullable Node node, String why) {
    String where = node == null ? "" : " line " + (node.getStartMark().getLine() + 1);
    return new BadRules(file + where, why);
  }
}
