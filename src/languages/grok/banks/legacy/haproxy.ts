/** The captured headers of the request and the response. A header may contain a brace. */
export const capturedHeaders =
  String.raw`(?:\{%{HAPROXYCAPTUREDREQUESTHEADERS}\}(?= ?["{]| ?$) ?)?` +
  String.raw`(?:\{%{HAPROXYCAPTUREDRESPONSEHEADERS}\}(?= ?"| ?$) ?)?`

/** HAProxy's HTTP and TCP logs, with the field names of Logstash before ECS. */
export const patterns: Readonly<Record<string, string>> = {
  HAPROXYTIME: String.raw`%{HOUR:haproxy_hour}:%{MINUTE:haproxy_minute}:%{SECOND:haproxy_second}(?!\d)`,
  HAPROXYDATE:
    "%{MONTHDAY:haproxy_monthday}/%{MONTH:haproxy_month}/%{YEAR:haproxy_year}:" +
    "%{HAPROXYTIME:haproxy_time}.%{INT:haproxy_milliseconds}",

  HAPROXYCAPTUREDREQUESTHEADERS: "%{DATA:captured_request_headers}",
  HAPROXYCAPTUREDRESPONSEHEADERS: "%{DATA:captured_response_headers}",

  // A line longer than the syslog limit is cut off within the request: its end is optional. The backend extends to the
  // last slash, and the first cookie to the first blank: whatever follows, another place would not match it either.
  HAPROXYHTTPBASE:
    String.raw`%{IP:client_ip}:%{INT:client_port} \[%{HAPROXYDATE:accept_date}\] %{NOTSPACE:frontend_name} ` +
    "(?>%{NOTSPACE:backend_name}/(?=\\S))%{NOTSPACE:server_name} " +
    "%{INT:time_request}/%{INT:time_queue}/%{INT:time_backend_connect}/%{INT:time_backend_response}/" +
    "%{NOTSPACE:time_duration} %{INT:http_status_code} %{NOTSPACE:bytes_read} " +
    "(?>%{DATA:captured_request_cookie} )%{DATA:captured_response_cookie} %{NOTSPACE:termination_state} " +
    "%{INT:actconn}/%{INT:feconn}/%{INT:beconn}/%{INT:srvconn}/%{NOTSPACE:retries} " +
    "%{INT:srv_queue}/%{INT:backend_queue} " +
    capturedHeaders +
    String.raw`(?:"(?:<BADREQ>|%{WORD:http_verb} (?:\*|(?:%{URIPROTO:http_proto}://)?` +
    String.raw`(?:%{USER:http_user}(?::[^\s/@]*)?@)?(?:%{URIHOST:http_host})?(?:%{URIPATHPARAM:http_request})?)` +
    '(?: HTTP/%{NUMBER:http_version})?)?"?)?',
  HAPROXYHTTP:
    "(?:%{SYSLOGTIMESTAMP:syslog_timestamp}|%{TIMESTAMP_ISO8601:timestamp8601}) %{IPORHOST:syslog_server} " +
    "%{SYSLOGPROG}: %{HAPROXYHTTPBASE}",
  HAPROXYTCP:
    "(?:%{SYSLOGTIMESTAMP:syslog_timestamp}|%{TIMESTAMP_ISO8601:timestamp8601}) %{IPORHOST:syslog_server} " +
    String.raw`%{SYSLOGPROG}: %{IP:client_ip}:%{INT:client_port} \[%{HAPROXYDATE:accept_date}\] ` +
    "%{NOTSPACE:frontend_name} (?>%{NOTSPACE:backend_name}/(?=\\S))%{NOTSPACE:server_name} " +
    "%{INT:time_queue}/%{INT:time_backend_connect}/%{NOTSPACE:time_duration} %{NOTSPACE:bytes_read} " +
    "%{NOTSPACE:termination_state} %{INT:actconn}/%{INT:feconn}/%{INT:beconn}/%{INT:srvconn}/%{NOTSPACE:retries} " +
    "%{INT:srv_queue}/%{INT:backend_queue}"
}
