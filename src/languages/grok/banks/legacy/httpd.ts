/** Access and error logs of Apache's httpd, with the field names of Logstash before ECS. */
export const patterns: Readonly<Record<string, string>> = {
  HTTPDUSER: "(?:%{EMAILADDRESS}|%{USER})",
  HTTPDERROR_DATE: "%{DAY} %{MONTH} +%{MONTHDAY} %{TIME} %{YEAR}",

  HTTPD_COMMONLOG:
    String.raw`%{IPORHOST:clientip} %{HTTPDUSER:ident} %{HTTPDUSER:auth} \[%{HTTPDATE:timestamp}\] ` +
    '"(?:%{WORD:verb} %{NOTSPACE:request}(?: HTTP/%{NUMBER:httpversion})?|%{DATA:rawrequest})" ' +
    "(?:-|%{NUMBER:response}) (?:-|%{NUMBER:bytes})",
  HTTPD_COMBINEDLOG: "%{HTTPD_COMMONLOG} %{QS:referrer} %{QS:agent}",

  // ErrorLogFormat of 2.0 and 2.2, then of 2.4: thread, error of the operating system, client, number of the message.
  // The place in the source, which debug messages have, takes the field of that number.
  HTTPD20_ERRORLOG:
    String.raw`\[%{HTTPDERROR_DATE:timestamp}\] \[%{LOGLEVEL:loglevel}\] ` +
    String.raw`(?:\[client %{IPORHOST:clientip}\] )?%{GREEDYDATA:message}`,
  HTTPD24_ERRORLOG:
    String.raw`\[%{HTTPDERROR_DATE:timestamp}\] \[(?:%{WORD:module})?:%{LOGLEVEL:loglevel}\d?\] ` +
    String.raw`\[pid %{POSINT:pid}(?::tid %{NUMBER:tid})?\]` +
    String.raw`(?: \(%{POSINT:proxy_errorcode}\)%{DATA:proxy_message}:)?` +
    String.raw`(?: \[client %{IPORHOST:clientip}:%{POSINT:clientport}\])?` +
    String.raw`(?: (?=[^\s:]+: )%{DATA:errorcode}:)? %{GREEDYDATA:message}`,
  HTTPD_ERRORLOG: "(?:%{HTTPD20_ERRORLOG}|%{HTTPD24_ERRORLOG})",

  COMMONAPACHELOG: "%{HTTPD_COMMONLOG}",
  COMBINEDAPACHELOG: "%{HTTPD_COMBINEDLOG}"
}
