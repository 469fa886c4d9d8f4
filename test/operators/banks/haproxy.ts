import type { Row, Samples } from "./sample.ts"

const date = (text: string, day: string, month: string, year: string, time: string, ms: string): ReadonlyArray<Row> => [
  ["accept_date", "haproxy.request_date", text],
  ["haproxy_monthday", "", day],
  ["haproxy_month", "", month],
  ["haproxy_year", "", year],
  ["haproxy_time", "", time],
  ["haproxy_hour", "", time.slice(0, 2)],
  ["haproxy_minute", "", time.slice(3, 5)],
  ["haproxy_second", "", time.slice(6)],
  ["haproxy_milliseconds", "", ms]
]
const accepted = date("31/Jul/2017:22:20:22.447", "31", "Jul", "2017", "22:20:22", "447")
const client: ReadonlyArray<Row> = [
  ["client_ip", "source.address", "2001:db8::54"],
  ["client_port", "source.port", 59968],
  ...accepted,
  ["frontend_name", "haproxy.frontend_name", "https~"],
  ["backend_name", "haproxy.backend_name", "default"]
]
const served: ReadonlyArray<Row> = [
  ...client,
  ["server_name", "haproxy.server_name", "instance8"],
  ["time_request", "haproxy.http.request.time_wait_ms", 135],
  ["time_queue", "haproxy.total_waiting_time_ms", 0],
  ["time_backend_connect", "haproxy.connection_wait_time_ms", 1],
  ["time_backend_response", "haproxy.http.request.time_wait_without_data_ms", 19],
  ["time_duration", "haproxy.total_time_ms", "+156"],
  ["http_status_code", "http.response.status_code", 200],
  ["bytes_read", "source.bytes", 1015],
  ["captured_request_cookie", "haproxy.http.request.captured_cookie", "id=a"],
  ["captured_response_cookie", "", "-"]
]
const counters = (state: string): ReadonlyArray<Row> => [
  ["termination_state", "haproxy.termination_state", state],
  ["actconn", "haproxy.connections.active", 8],
  ["feconn", "haproxy.connections.frontend", 7],
  ["beconn", "haproxy.connections.backend", 6],
  ["srvconn", "haproxy.connections.server", 5],
  ["retries", "haproxy.connections.retries", 4],
  ["srv_queue", "haproxy.server_queue", 3],
  ["backend_queue", "haproxy.backend_queue", 2]
]
const servedLine =
  "2001:db8::54:59968 [31/Jul/2017:22:20:22.447] https~ default/instance8 135/0/1/19/+156 200 1015 id=a - --VN " +
  "8/7/6/5/4 3/2 "
const url: ReadonlyArray<Row> = [
  ["http_verb", "http.request.method", "GET"],
  ["http_proto", "url.scheme", "http"],
  ["http_user", "url.username", "u"],
  ["http_host", "", "h.example:81"],
  ["", "url.domain", "h.example"],
  ["port", "url.port", 81],
  ["http_request", "", "/a?b=c@d"],
  ["", "url.path", "/a"],
  ["", "url.query", "b=c@d"],
  ["", "url.original", "http://u:p@h.example:81/a?b=c@d"],
  ["http_version", "http.version", "1.1"]
]
const urlText = "http://u:p@h.example:81/a?b=c@d"
const headers: ReadonlyArray<Row> = [
  ["captured_request_headers", "haproxy.http.request.captured_headers", "docs.example|Mozilla {x}"],
  ["captured_response_headers", "haproxy.http.response.captured_headers", "nginx|"]
]
const syslog: ReadonlyArray<Row> = [
  ["syslog_timestamp", "timestamp", "Jul 31 22:20:22"],
  ["syslog_server", "host.hostname", "lb"],
  ["program", "process.name", "haproxy"],
  ["pid", "process.pid", 1190]
]
const iso: ReadonlyArray<Row> = [["timestamp8601", "timestamp", "2017-07-31T22:20:22+02:00"], ...syslog.slice(1)]
const tcp: ReadonlyArray<Row> = [
  ...client,
  ["server_name", "", "<NOSRV>"],
  ["time_queue", "", "-1"],
  ["time_backend_connect", "", "-1"],
  ["time_duration", "haproxy.total_time_ms", "0"],
  ["bytes_read", "source.bytes", 212],
  ...counters("SC")
]
const tcpLine = "2001:db8::54:59968 [31/Jul/2017:22:20:22.447] https~ default/<NOSRV> -1/-1/0 212 SC 8/7/6/5/4 3/2"

export const samples: Samples = {
  texts: {
    HAPROXYTIME: { yes: ["22:20:22", "2:20:22.5"], no: ["22:20", "24:20:22"] },
    HAPROXYDATE: {
      yes: ["31/Jul/2017:22:20:22.447", "31/Jul/2017:22:20:22 447"],
      no: ["31/Jul/2017:22:20:22", "31/07/2017:22:20:22.447"]
    },
    HAPROXYURI: { yes: ["", "/", urlText, "h:443", "/a?"], no: ["a b", "ht!tp://x"] }
  },
  lines: [
    { name: "HAPROXYTIME", line: "22:20:22", rows: accepted.slice(5, 8) },
    { name: "HAPROXYDATE", line: "31/Jul/2017:22:20:22.447", rows: accepted.slice(1) },
    { name: "HAPROXYCAPTUREDREQUESTHEADERS", line: "x", rows: [] },
    { name: "HAPROXYCAPTUREDRESPONSEHEADERS", line: "x", rows: [] },
    { name: "HAPROXYURI", line: urlText, rows: url.filter(([, ecs]) => /^url\.(?!original)/.test(ecs)) },
    { name: "HAPROXYHTTPREQUESTLINE", line: `GET ${urlText} HTTP/1.1`, rows: url },
    { name: "HAPROXYHTTPREQUESTLINE", line: "<BADREQ>", rows: [] },
    {
      name: "HAPROXYHTTPREQUESTLINE",
      line: "OPTIONS * HTTP/1.0",
      rows: [
        ["", "http.request.method", "OPTIONS"],
        ["", "http.version", "1.0"]
      ]
    },
    {
      name: "HAPROXYHTTPBASE",
      line: `${servedLine}{docs.example|Mozilla {x}} {nginx|} "GET ${urlText} HTTP/1.1"`,
      rows: [...served, ...counters("--VN"), ...headers, ...url]
    },
    {
      name: "HAPROXYHTTPBASE",
      line: `${servedLine}{a b} c} {nginx|} "<BADREQ>"`,
      rows: [
        ...served,
        ...counters("--VN"),
        ["captured_request_headers", "haproxy.http.request.captured_headers", "a b} c"],
        headers[1]!
      ]
    },
    { name: "HAPROXYHTTPBASE", line: servedLine.trimEnd(), rows: [...served, ...counters("--VN")], only: "ecs-v1" },
    {
      name: "HAPROXYHTTPBASE",
      line: `${servedLine}{docs.example|Mozilla {x}} "<BADREQ>"`,
      rows: [...served, ...counters("--VN"), headers[0]!]
    },
    {
      name: "HAPROXYHTTP",
      line: `Jul 31 22:20:22 lb haproxy[1190]: ${servedLine}"POST /cut`,
      rows: [
        ...syslog,
        ...served,
        ...counters("--VN"),
        ["http_verb", "http.request.method", "POST"],
        ["http_request", "url.path", "/cut"],
        ["", "url.original", "/cut"]
      ]
    },
    {
      name: "HAPROXYHTTP",
      line: `2017-07-31T22:20:22+02:00 lb haproxy[1190]: ${servedLine}"CONNECT h:8080 HTTP/1.1"`,
      rows: [
        ...iso,
        ...served,
        ...counters("--VN"),
        ["http_verb", "http.request.method", "CONNECT"],
        ["http_host", "url.original", "h:8080"],
        ["", "url.domain", "h"],
        ["port", "url.port", 8080],
        ["http_version", "http.version", "1.1"]
      ]
    },
    { name: "HAPROXYTCP", line: `Jul 31 22:20:22 lb haproxy[1190]: ${tcpLine}`, rows: [...syslog, ...tcp] },
    { name: "HAPROXYTCP", line: `2017-07-31T22:20:22+02:00 lb haproxy[1190]: ${tcpLine}`, rows: [...iso, ...tcp] }
  ],
  misses: {
    HAPROXYHTTPREQUESTLINE: ["", "GET"],
    HAPROXYHTTPBASE: [tcpLine, servedLine.replace("[", "(")],
    HAPROXYHTTP: [servedLine, `Jul 31 22:20:22 lb haproxy[1190]: ${tcpLine}`],
    HAPROXYTCP: [`Jul 31 22:20:22 lb haproxy[1190]: ${servedLine}"x"`, tcpLine]
  }
}
