import type { Samples } from "./sample.ts"

export const samples: Samples = {
  texts: {},
  lines: [
    { name: "SQUID3_STATUS", line: "404", rows: [["", "http.response.status_code", 404]] },
    { name: "SQUID3_STATUS", line: "000", rows: [] },
    {
      name: "SQUID3",
      line:
        "1525334330.556      3 192.0.2.9 TCP_MISS/200 2014 GET http://example.com/a.txt ann " +
        "HIER_DIRECT/www.example.com text/plain 9",
      rows: [
        ["timestamp", "timestamp", "1525334330.556"],
        ["duration", "squid.request.duration", 3],
        ["client_address", "source.ip", "192.0.2.9"],
        ["cache_result", "event.action", "TCP_MISS"],
        ["status_code", "http.response.status_code", 200],
        ["bytes", "http.response.bytes", 2014],
        ["request_method", "http.request.method", "GET"],
        ["url", "url.original", "http://example.com/a.txt"],
        ["user", "user.name", "ann"],
        ["hierarchy_code", "squid.hierarchy_code", "HIER_DIRECT"],
        ["server", "destination.address", "www.example.com"],
        ["content_type", "http.response.mime_type", "text/plain"]
      ]
    },
    {
      name: "SQUID3",
      line: "1525344856.899  16867 2001:db8::9 NONE_NONE/000 0 - error:transaction-end - HIER_NONE/- -",
      rows: [
        ["timestamp", "timestamp", "1525344856.899"],
        ["duration", "squid.request.duration", 16867],
        ["client_address", "source.ip", "2001:db8::9"],
        ["cache_result", "event.action", "NONE_NONE"],
        ["status_code", "", "000"],
        ["bytes", "http.response.bytes", 0],
        ["url", "url.original", "error:transaction-end"],
        ["user", "", "-"],
        ["hierarchy_code", "squid.hierarchy_code", "HIER_NONE"],
        ["content_type", "", "-"]
      ]
    }
  ],
  misses: {
    SQUID3_STATUS: ["", "none"],
    SQUID3: ["1525334330.556 3 somewhere TCP_MISS/200 2014 GET http://example.com/ - HIER_DIRECT/x text/plain"]
  }
}
