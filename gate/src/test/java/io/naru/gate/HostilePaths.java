package io.naru.gate;

import java.util.List;

/** Addresses that are meant to deceive: attacks 9 and 17. */
public final class HostilePaths {

  private HostilePaths() {}

  /** What some container or framework takes for {@code /reservations}, or below. */
  public static List<String> spellings() {
    return List.of(
        "/reservations",
        "/reservations/",
        "//reservations",
        "/reservations//1",
        "/./reservations",
        "/x/../reservations",
        "/x/%2e%2e/reservations",
        "/x/..;/reservations",
        "/x/..;a=b/reservations",
        "/RESERVATIONS",
        "/%72eservations",
        "/reservations;a=b",
        "/reservations;a/1",
        "/;a/reservations",
        "/reservations%2f1",
        "/x%2f..%2freservations",
        "/reservations%5c1",
        "/reservations\\1",
        "/x\\..\\reservations",
        "/%2572eservations",
        "/reservations/%252e%252e/x",
        "/reservations/../x",
        "/reservations%00",
        "/reservations%0a",
        "/%c0%ae%c0%ae/reservations",
        "/a%",
        "/%ff",
        "http://site/reservations",
        "http://other/reservations",
        "/reservations?x=/public",
        "/reservations#x");
  }

  /** Protected, and elsewhere when a browser is sent back to them. */
  public static List<String> waysBack() {
    return List.of(
        "//evil.example/../reservations/1",
        "//evil.example/%2e%2e/reservations",
        "/\\evil.example/../reservations",
        "http://evil.example/reservations");
  }
}
