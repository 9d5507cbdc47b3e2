package io.naru.server.http;

import io.vertx.core.http.HttpMethod;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/** All routes, found by method and path. */
public final class RouteTable {

  private final List<Route> routes;
  private final List<List<Compiled>> bySegmentCount = new ArrayList<>();

  private record Compiled(Route route, List<String> segments) {

    boolean matches(String[] path) {
      for (int i = 0; i < path.length; i++) {
        String segment = segments.get(i);
        if (!Route.isParameter(segment) && !segment.equals(path[i])) {
          return false;
        }
      }
      return true;
    }

    List<String> parameters(String[] path) {
      List<String> parameters = new ArrayList<>(2);
      for (int i = 0; i < path.length; i++) {
        if (Route.isParameter(segments.get(i))) {
          parameters.add(path[i]);
        }
      }
      return parameters;
    }
  }

  /** A route and the values of its parameters, in order. */
  public record Match(Route route, List<String> parameters) {}

  public RouteTable(List<Route> routes) {
    this.routes = List.copyOf(routes);
    for (Route route : routes) {
      List<String> segments = route.segments();
      while (bySegmentCount.size() <= segments.size()) {
        bySegmentCount.add(new ArrayList<>());
      }
      bySegmentCount.get(segments.size()).add(new Compiled(route, segments));
    }
  }

  public List<Route> routes() {
    return routes;
  }

  /** The route of a request; empty if there is none, whatever the reason. */
  Optional<Match> find(HttpMethod method, String path) {
    String[] segments = segments(path);
    for (Compiled candidate : candidates(segments)) {
      if (candidate.route.method().equals(method) && candidate.matches(segments)) {
        return Optional.of(new Match(candidate.route, candidate.parameters(segments)));
      }
    }
    return Optional.empty();
  }

  /** The methods that a path answers; none if there is no such path. */
  SortedSet<String> methods(String path) {
    String[] segments = segments(path);
    var methods = new TreeSet<String>();
    for (Compiled candidate : candidates(segments)) {
      if (candidate.matches(segments)) {
        methods.add(candidate.route.method().name());
      }
    }
    return methods;
  }

  private List<Compiled> candidates(String[] segments) {
    return segments.length < bySegmentCount.size()
        ? bySegmentCount.get(segments.length)
        : List.of();
  }

  private static String[] segments(String path) {
    int count = 0;
    for (int i = 0; i < path.length(); i++) {
      if (path.charAt(i) == '/') {
        count++;
      }
    }
    String[] segments = new String[count];
    int start = 1;
    for (int i = 0; i < count; i++) {
      int slash = path.indexOf('/', start);
      int end = slash < 0 ? path.length() : slash;
      segments[i] = path.substring(start, end);
      start = end + 1;
    }
    return segments;
  }
}
