package io.naru.gate;

import io.naru.pass.Pass;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.buf.EncodedSolidusHandling;
import org.apache.tomcat.util.descriptor.web.ErrorPage;
import org.apache.tomcat.util.descriptor.web.FilterDef;
import org.apache.tomcat.util.descriptor.web.FilterMap;
import org.jspecify.annotations.Nullable;

/** A protected application in a real container, as easy-going with addresses as it can be. */
final class Site implements AutoCloseable {

  /** What came through the gate. */
  final Queue<String> served = new ConcurrentLinkedQueue<>();

  /** What happens while a request is inside, before it is led elsewhere. */
  volatile Runnable meanwhile = () -> {};

  private final Tomcat tomcat = new Tomcat();
  private final Context context;

  Site(Gate gate, String contextPath, Path folder) throws LifecycleException {
    this(List.of(gate), contextPath, folder);
  }

  Site(List<Gate> gates, String contextPath, Path folder) throws LifecycleException {
    tomcat.setBaseDir(folder.toString());
    Connector connector = new Connector();
    connector.setPort(0);
    connector.setProperty("address", "127.0.0.1");
    connector.setProperty("relaxedPathChars", "\\|<>[]{}^`\"");
    connector.setEncodedSolidusHandling(EncodedSolidusHandling.DECODE.getValue());
    connector.setEncodedReverseSolidusHandling(EncodedSolidusHandling.DECODE.getValue());
    connector.setAllowBackslash(true);
    connector.setAllowTrace(true);
    tomcat.setConnector(connector);

    context = tomcat.addContext(contextPath, folder.toString());
    addFilter("rewriting", new Rewriting(), Set.of(DispatcherType.REQUEST));
    for (Gate gate : gates) {
      addFilter(gate.settings().queue(), new GateFilter(gate), GateFilter.DISPATCHES);
    }
    Tomcat.addServlet(context, "site", new Pages()).setAsyncSupported(true);
    var sorry = new ErrorPage();
    sorry.setErrorCode(HttpServletResponse.SC_CONFLICT);
    sorry.setLocation("/reservations/sorry");
    context.addErrorPage(sorry);
    context.addServletMappingDecoded("/*", "site");
    tomcat.start();
  }

  int sessions() {
    return context.getManager().getActiveSessions();
  }

  private void addFilter(String name, Filter filter, Set<DispatcherType> dispatches) {
    var definition = new FilterDef();
    definition.setFilterName(name);
    definition.setFilter(filter);
    definition.setAsyncSupported("true");
    context.addFilterDef(definition);
    var everything = new FilterMap();
    everything.setFilterName(name);
    everything.addURLPattern("/*");
    dispatches.forEach(dispatch -> everything.setDispatcher(dispatch.name()));
    context.addFilterMap(everything);
  }

  /** Sends a request exactly as it is given, and returns the whole answer. */
  String send(String method, String target, String... headers) throws IOException {
    return Wire.send(tomcat.getConnector().getLocalPort(), method, target, headers);
  }

  @Override
  public void close() {
    try {
      tomcat.stop();
      tomcat.destroy();
    } catch (LifecycleException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Stands before the gate and leads some requests elsewhere, as sites do. */
  private static final class Rewriting implements Filter {
    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
        throws IOException, ServletException {
      if (request instanceof HttpServletRequest http && http.getHeader("Rewrite-To") != null) {
        chain.doFilter(
            new HttpServletRequestWrapper(http) {
              @Override
              public String getServletPath() {
                return http.getHeader("Rewrite-To");
              }

              @Override
              public @Nullable String getPathInfo() {
                return null;
              }
            },
            response);
      } else {
        chain.doFilter(request, response);
      }
    }
  }

  /** Does what {@code ?then=} says, and else tells for whom it is. */
  private final class Pages extends HttpServlet {
    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response)
        throws IOException, ServletException {
      String then = request.getParameter("then");
      if (then != null && request.getDispatcherType() == DispatcherType.REQUEST) {
        meanwhile.run();
        String[] what = then.split(":", 2);
        switch (what[0]) {
          case "forward" -> request.getRequestDispatcher(what[1]).forward(request, response);
          case "async" -> request.startAsync().dispatch(what[1]);
          case "error" -> response.sendError(HttpServletResponse.SC_CONFLICT);
          case "fail" -> response.sendError(HttpServletResponse.SC_SERVICE_UNAVAILABLE);
          case "stream" -> response.setContentType("text/event-stream");
          case "throw" -> throw new IllegalStateException("as sites do");
          case "visit" -> request.getSession();
          case "login" -> request.changeSessionId();
          case "logout" -> request.getSession().invalidate();
          default -> throw new IllegalArgumentException(then);
        }
        return;
      }
      served.add(request.getMethod() + " " + request.getRequestURI());
      Pass pass = GateFilter.passOf(request);
      response.getWriter().print(pass == null ? "open" : "for " + pass.user());
    }
  }
}
