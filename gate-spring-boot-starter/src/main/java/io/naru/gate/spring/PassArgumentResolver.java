package io.naru.gate.spring;

import io.naru.gate.GateFilter;
import io.naru.pass.Pass;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.ModelAndViewContainer;

/** Hands a controller the pass that its request was let in with. */
final class PassArgumentResolver implements HandlerMethodArgumentResolver {

  @Override
  public boolean supportsParameter(MethodParameter parameter) {
    return parameter.nestedIfOptional().getNestedParameterType() == Pass.class;
  }

  @Override
  public Object resolveArgument(
      MethodParameter parameter,
      @Nullable ModelAndViewContainer container,
      NativeWebRequest request,
      @Nullable WebDataBinderFactory binders) {
    Object pass = request.getAttribute(GateFilter.PASS, RequestAttributes.SCOPE_REQUEST);
    if (parameter.isOptional()) {
      return Optional.ofNullable(pass);
    }
    if (pass == null) {
      // The method and not the path: what visitors send stays out of messages.
      throw new IllegalStateException(
          ("%s needs a Pass, but its path is not protected, so there may be none. Add the path to"
                  + " naru.gate.protect, or take Optional<Pass>.")
              .formatted(parameter.getExecutable()));
    }
    return pass;
  }
}
