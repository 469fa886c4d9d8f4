/** Squid's native access log, with the field names of Logstash before ECS. */
export const patterns: Readonly<Record<string, string>> = {
  SQUID3:
    String.raw`%{NUMBER:timestamp}\s+%{NUMBER:duration}\s+%{IP:client_address}\s+` +
    String.raw`%{WORD:cache_result}/%{NONNEGINT:status_code}\s+%{NUMBER:bytes}\s+` +
    String.raw`(?:-|%{WORD:request_method})\s+%{NOTSPACE:url}\s+%{NOTSPACE:user}\s+` +
    String.raw`%{WORD:hierarchy_code}/(?:-|%{IPORHOST:server})\s+%{NOTSPACE:content_type}`
}
