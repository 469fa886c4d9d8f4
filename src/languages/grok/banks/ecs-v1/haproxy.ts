import { capturedHeaders } from "../legacy/haproxy.ts"

const head =
  "(?:%{SYSLOGTIMESTAMP:timestamp}|%{TIMESTAMP_ISO8601:timestamp}) %{IPORHOST:[host][hostname]} %{SYSLOGPROG}: "
const accepted =
  String.raw`%{IP:[source][address]}:%{INT:[source][port]:int} \[%{HAPROXYDATE:[haproxy][request_date]}\] ` +
  "%{NOTSPACE:[haproxy][frontend_name]} (?>%{NOTSPACE:[haproxy][backend_name]}/(?=\\S))" +
  "(?:<NOSRV>|%{NOTSPACE:[haproxy][server_name]}) "
const counters =
  "%{NOTSPACE:[haproxy][termination_state]} %{INT:[haproxy][connections][active]:int}/" +
  "%{INT:[haproxy][connections][frontend]:int}/%{INT:[haproxy][connections][backend]:int}/" +
  "%{INT:[haproxy][connections][server]:int}/%{INT:[haproxy][connections][retries]:int} " +
  "%{INT:[haproxy][server_queue]:int}/%{INT:[haproxy][backend_queue]:int}"

/** HAProxy's HTTP and TCP logs, with the field names of the Elastic Common Schema; -1 sets nothing. */
export const patterns: Readonly<Record<string, string>> = {
  HAPROXYTIME: String.raw`%{HOUR}:%{MINUTE}:%{SECOND}(?!\d)`,
  HAPROXYDATE: "%{MONTHDAY}/%{MONTH}/%{YEAR}:%{HAPROXYTIME}.%{INT}",

  HAPROXYCAPTUREDREQUESTHEADERS: "%{DATA:[haproxy][http][request][captured_headers]}",
  HAPROXYCAPTUREDRESPONSEHEADERS: "%{DATA:[haproxy][http][response][captured_headers]}",

  HAPROXYURI:
    String.raw`(?:%{URIPROTO:[url][scheme]}://)?(?:%{USER:[url][username]}(?::[^\s/@]*)?@)?` +
    "(?:%{IPORHOST:[url][domain]}(?::%{POSINT:[url][port]:int})?)?" +
    String.raw`(?:%{URIPATH:[url][path]}(?:\?(?:%{URIQUERY:[url][query]})?)?)?`,
  HAPROXYHTTPREQUESTLINE:
    String.raw`(?:<BADREQ>|%{WORD:[http][request][method]} (?:\*|%{HAPROXYURI:[url][original]})` +
    "(?: HTTP/%{NUMBER:[http][version]})?)",
  // A line longer than the syslog limit is cut off within the request: its end is optional.
  HAPROXYHTTPBASE:
    `${accepted}(?:-1|%{INT:[haproxy][http][request][time_wait_ms]:int})/` +
    "(?:-1|%{INT:[haproxy][total_waiting_time_ms]:int})/(?:-1|%{INT:[haproxy][connection_wait_time_ms]:int})/" +
    "(?:-1|%{INT:[haproxy][http][request][time_wait_without_data_ms]:int})/%{NOTSPACE:[haproxy][total_time_ms]} " +
    "(?:-1|%{INT:[http][response][status_code]:int}) %{INT:[source][bytes]:int} " +
    "(?>(?:-|%{DATA:[haproxy][http][request][captured_cookie]}) )" +
    `(?:-|%{DATA:[haproxy][http][response][captured_cookie]}) ${counters}` +
    `(?: ${capturedHeaders}(?:"%{HAPROXYHTTPREQUESTLINE}?"?)?)?`,
  HAPROXYHTTP: `${head}%{HAPROXYHTTPBASE}`,
  HAPROXYTCP:
    `${head}${accepted}(?:-1|%{INT:[haproxy][total_waiting_time_ms]:int})/` +
    "(?:-1|%{INT:[haproxy][connection_wait_time_ms]:int})/%{NOTSPACE:[haproxy][total_time_ms]} " +
    `%{INT:[source][bytes]:int} ${counters}`
}
