package io.naru.example.concert;

import org.springframework.http.CacheControl;
import org.springframework.http.ResponseEntity;

/** What all pages have. */
final class Page {

  private Page() {}

  static ResponseEntity<String> of(String content) {
    String html =
        """
        <!doctype html>
        <html lang="en">
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>The concert</title>
        <link rel="stylesheet" href="/concert.css">
        %s
        </html>
        """
            .formatted(content);
    return ResponseEntity.ok().cacheControl(CacheControl.noStore()).body(html);
  }
}
