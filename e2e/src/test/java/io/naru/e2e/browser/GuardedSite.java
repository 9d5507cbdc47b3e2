package io.naru.e2e.browser;

import io.naru.gate.Gate;
import io.naru.gate.GateFilter;
import io.naru.pass.Pass;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.descriptor.web.FilterDef;
import org.apache.tomcat.util.descriptor.web.FilterMap;

/** The site that people wait for, in a real container, with the gate before its seats. */
final class GuardedSite implements AutoCloseable {

  static final String PROTECTED = "/seats/**";

  /** All that it was asked, with what browsers say of where they come from. */
  private final List<String> requests = new CopyOnWriteArrayList<>();

  private final Tomcat tomcat = new Tomcat();
  private final Gate gate;

  GuardedSite(Gate gate, Path folder) {
    this.gate = gate;
    tomcat.setBaseDir(folder.toString());
    tomcat.setSilent(true);
    Connector connector = new Connector();
    connector.setPort(0);
    connector.setProperty("address", "127.0.0.1");
    tomcat.setConnector(connector);
    Context context = tomcat.addContext("", folder.toString());
    addFilter(context, "requests", new Requests());
    addFilter(context, "naru", new GateFilter(gate));
    Tomcat.addServlet(context, "pages", new Pages());
    context.addServletMappingDecoded("/*", "pages");
    try {
      tomcat.start();
    } catch (LifecycleException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void addFilter(Context context, String name, Filter filter) {
    var definition = new FilterDef();
    definition.setFilterName(name);
    definition.setFilter(filter);
    context.addFilterDef(definition);
    var everything = new FilterMap();
    everything.setFilterName(name);
    everything.addURLPattern("/*");
    context.addFilterMap(everything);
  }

  String origin(String host) {
    return "http://" + host + ":" + tomcat.getConnector().getLocalPort();
  }

  List<String> requests() {
    return requests;
  }

  long requestsFor(String path) {
    return requests.stream().filter(request -> request.startsWith(path)).count();
  }

  @Override
  public void close() {
    try {
      tomcat.stop();
      tomcat.destroy();
    } catch (LifecycleException e) {
      throw new IllegalStateException(e);
    } finally {
      gate.close();
    }
  }

  private static String address(HttpServletRequest request) {
    String query = request.getQueryString();
    return request.getRequestURI() + (query == null ? "" : "?" + query);
  }

  private final class Requests extends HttpFilter {
    @Override
    protected void doFilter(
        HttpServletRequest request, HttpServletResponse response, FilterChain chain)
        throws IOException, ServletException {
      requests.add(address(request) + " from " + request.getHeader("Referer"));
      chain.doFilter(request, response);
    }
  }

  /** Says what was asked for, to whom it is shown. */
  private static final class Pages extends HttpServlet {
    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
      response.setContentType("text/html; charset=utf-8");
      Pass pass = GateFilter.passOf(request);
      String asked = address(request).replace("&", "&amp;").replace("<", "&lt;");
      String user = pass == null ? "anybody" : pass.user();
      response
          .getWriter()
          .print(
              "<!DOCTYPE html><html lang=en><title>Seats</title><h1>%s</h1><p id=user>%s</p>"
                  .formatted(asked, user));
    }
  }
}
