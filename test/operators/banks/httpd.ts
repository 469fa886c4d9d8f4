import type { Row, Samples } from "./sample.ts"

const common: ReadonlyArray<Row> = [
  ["clientip", "source.address", "192.0.2.7"],
  ["timestamp", "timestamp", "10/Oct/2000:13:55:36 -0700"]
]
const request: ReadonlyArray<Row> = [
  ["verb", "http.request.method", "GET"],
  ["request", "url.original", "/a.gif?x=1"],
  ["httpversion", "http.version", "1.0"],
  ["response", "http.response.status_code", 200],
  ["bytes", "http.response.body.bytes", 2326]
]
const nobody: ReadonlyArray<Row> = [
  ["ident", "", "-"],
  ["auth", "", "-"]
]
const commonLine = '192.0.2.7 - - [10/Oct/2000:13:55:36 -0700] "GET /a.gif?x=1 HTTP/1.0" 200 2326'
const failed: ReadonlyArray<Row> = [
  ["timestamp", "timestamp", "Mon Aug 31 06:29:47.406530 2015"],
  ["module", "apache.error.module", "proxy_fcgi"],
  ["loglevel", "log.level", "error"],
  ["pid", "process.pid", 28787],
  ["tid", "process.thread.id", 140169587934976],
  ["proxy_errorcode", "apache.error.proxy.error.code", "70008"],
  ["proxy_message", "apache.error.proxy.error.message", "Partial results are valid but processing is incomplete"],
  ["clientip", "source.address", "2001:db8::7"],
  ["clientport", "source.port", 59307],
  ["errorcode", "error.code", "AH01075"],
  ["message", "message", "Error dispatching request to : (reading), referer: x"]
]
const failedLine =
  "[Mon Aug 31 06:29:47.406530 2015] [proxy_fcgi:error] [pid 28787:tid 140169587934976] (70008)Partial results are " +
  "valid but processing is incomplete: [client 2001:db8::7:59307] AH01075: Error dispatching request to : (reading), " +
  "referer: x"

export const samples: Samples = {
  texts: {
    HTTPDUSER: { yes: ["frank", "-", "frank@example.com"], no: ["", "a b", "@x"] },
    HTTPDERROR_DATE: {
      yes: ["Mon Aug 31 06:29:47.406530 2015", "Wed Oct 11 14:32:52 2000"],
      no: ["31/Aug/2015:06:29:47 +0000", "Mon Aug 31 06:29 2015"]
    }
  },
  lines: [
    { name: "HTTPD_COMMONLOG", line: commonLine, rows: [...common, ...nobody, ...request] },
    { name: "COMMONAPACHELOG", line: commonLine, rows: [...common, ...nobody, ...request] },
    {
      name: "COMMONAPACHELOG",
      line: '192.0.2.7 id7 frank@x.y [10/Oct/2000:13:55:36 -0700] "\\x16\\x03" - -',
      rows: [
        ...common,
        ["ident", "apache.access.user.identity", "id7"],
        ["auth", "user.name", "frank@x.y"],
        ["rawrequest", "", "\\x16\\x03"]
      ]
    },
    {
      name: "COMMONAPACHELOG",
      line: '192.0.2.7 - - [10/Oct/2000:13:55:36 -0700] "GET /" 400 0',
      rows: [
        ...common,
        ...nobody,
        ["verb", "http.request.method", "GET"],
        ["request", "url.original", "/"],
        ["response", "http.response.status_code", 400],
        ["bytes", "http.response.body.bytes", 0]
      ]
    },
    {
      name: "HTTPD_COMBINEDLOG",
      line: `${commonLine} "-" "curl"`,
      rows: [
        ...common,
        ...nobody,
        ...request,
        ["referrer", "", '"-"'],
        ["agent", "", '"curl"'],
        ["", "user_agent.original", "curl"]
      ]
    },
    {
      name: "COMBINEDAPACHELOG",
      line: `${commonLine} "http://example.com/x" "Mozilla/5.0 (\\"X11\\"; Linux)"`,
      rows: [
        ...common,
        ...nobody,
        ...request,
        ["referrer", "", '"http://example.com/x"'],
        ["", "http.request.referrer", "http://example.com/x"],
        ["agent", "", '"Mozilla/5.0 (\\"X11\\"; Linux)"'],
        ["", "user_agent.original", 'Mozilla/5.0 (\\"X11\\"; Linux)']
      ]
    },
    {
      name: "HTTPD20_ERRORLOG",
      line: "[Wed Oct 11 14:32:52 2000] [error] [client 127.0.0.1] client denied: /export/test",
      rows: [
        ["timestamp", "timestamp", "Wed Oct 11 14:32:52 2000"],
        ["loglevel", "log.level", "error"],
        ["clientip", "source.address", "127.0.0.1"],
        ["message", "message", "client denied: /export/test"]
      ]
    },
    {
      name: "HTTPD_ERRORLOG",
      line: "[Wed Oct 11 14:32:52 2000] [notice] caught SIGTERM, shutting down",
      rows: [
        ["timestamp", "timestamp", "Wed Oct 11 14:32:52 2000"],
        ["loglevel", "log.level", "notice"],
        ["message", "message", "caught SIGTERM, shutting down"]
      ]
    },
    { name: "HTTPD24_ERRORLOG", line: failedLine, rows: failed },
    { name: "HTTPD_ERRORLOG", line: failedLine, rows: failed },
    {
      name: "HTTPD24_ERRORLOG",
      line: "[Mon Aug 31 06:29:47.4 2015] [ssl:debug] [pid 17] ssl_engine_io.c(1106): (70014)End of file: AH02007: x",
      rows: [
        ["timestamp", "timestamp", "Mon Aug 31 06:29:47.4 2015"],
        ["module", "apache.error.module", "ssl"],
        ["loglevel", "log.level", "debug"],
        ["pid", "process.pid", 17],
        ["", "apache.error.proxy.error.code", "70014"],
        ["", "apache.error.proxy.error.message", "End of file"],
        ["errorcode", "", "ssl_engine_io.c(1106)"],
        ["", "error.code", "AH02007"],
        ["message", "", "(70014)End of file: AH02007: x"],
        ["", "message", "x"]
      ]
    },
    {
      name: "HTTPD_ERRORLOG",
      line: "[Fri Feb 01 22:03:08.3 2019] [authz_core:debug] [pid 9:tid 14] mod_authz_core.c(820): [client 10.0.0.7:5075] AH01626: granted",
      rows: [
        ["timestamp", "timestamp", "Fri Feb 01 22:03:08.3 2019"],
        ["module", "apache.error.module", "authz_core"],
        ["loglevel", "log.level", "debug"],
        ["pid", "process.pid", 9],
        ["tid", "process.thread.id", 14],
        ["errorcode", "", "mod_authz_core.c(820)"],
        ["message", "", "[client 10.0.0.7:5075] AH01626: granted"],
        ["", "source.address", "10.0.0.7"],
        ["", "source.port", 5075],
        ["", "error.code", "AH01626"],
        ["", "message", "granted"]
      ]
    },
    {
      name: "HTTPD24_ERRORLOG",
      line: "[Mon Aug 31 06:29:47.4 2015] [core:error] [pid 17] [client 10.0.0.7] AH1: x",
      rows: [
        ["timestamp", "timestamp", "Mon Aug 31 06:29:47.4 2015"],
        ["module", "apache.error.module", "core"],
        ["loglevel", "log.level", "error"],
        ["pid", "process.pid", 17],
        ["", "source.address", "10.0.0.7"],
        ["", "error.code", "AH1"],
        ["message", "", "[client 10.0.0.7] AH1: x"],
        ["", "message", "x"]
      ]
    },
    {
      name: "HTTPD_ERRORLOG",
      line: "[Mon Aug 31 06:29:47.4 2015] [:trace3] [pid 17] [client a.example:80] PHP Notice: undefined: x",
      rows: [
        ["timestamp", "timestamp", "Mon Aug 31 06:29:47.4 2015"],
        ["loglevel", "log.level", "trace"],
        ["pid", "process.pid", 17],
        ["clientip", "source.address", "a.example"],
        ["clientport", "source.port", 80],
        ["message", "message", "PHP Notice: undefined: x"]
      ]
    }
  ],
  misses: {
    HTTPD_COMMONLOG: ["192.0.2.7 - [10/Oct/2000:13:55:36 -0700] x", commonLine.replace("[", "")],
    COMMONAPACHELOG: [commonLine.replace("Oct", "10")],
    HTTPD_COMBINEDLOG: [commonLine, `${commonLine} "-"`],
    COMBINEDAPACHELOG: [`${commonLine} - -`],
    HTTPD20_ERRORLOG: [failedLine, "[Wed Oct 11 14:32:52 2000] [loud] x"],
    HTTPD24_ERRORLOG: ["[Wed Oct 11 14:32:52 2000] [error] x"],
    HTTPD_ERRORLOG: ["Wed Oct 11 14:32:52 2000 error x"]
  }
}
