/**
 * Access logs of Amazon S3, the classic Elastic Load Balancer and CloudFront, fields as in Logstash before ECS.
 *
 * A CloudFront line is tab-separated. Its free-text fields are greedy references, so each is fixed by the number of
 * tabs before it. Otherwise a line that nearly matches would cost a power of the number of tabs.
 */

/** Ends the cell that has exactly `tabs` tabs before it in the text. */
const afterTabs = (tabs: number) => String.raw`(?=\t|\z)(?<=\A[^\t]*(?:\t[^\t]*){${tabs}})`

export const patterns: Readonly<Record<string, string>> = {
  S3_REQUEST_LINE: "(?:%{WORD:verb} %{NOTSPACE:request}(?: HTTP/%{NUMBER:httpversion})?|%{DATA:rawrequest})",
  S3_ACCESS_LOG: [
    String.raw`%{WORD:owner} %{NOTSPACE:bucket} \[%{HTTPDATE:timestamp}\] (?:-|%{IP:clientip}) %{NOTSPACE:requester}`,
    `%{NOTSPACE:request_id} %{NOTSPACE:operation} %{NOTSPACE:key} (?:-|"%{S3_REQUEST_LINE}")`,
    "(?:-|%{INT:response:int}) (?:-|%{NOTSPACE:error_code}) (?:-|%{INT:bytes:int})",
    "(?:-|%{INT:object_size:int}) (?:-|%{INT:request_time_ms:int}) (?:-|%{INT:turnaround_time_ms:int})",
    "(?:-|%{QS:referrer})",
    `(?:-|"?%{QS:agent}"?) (?:-|%{NOTSPACE:version_id})`
  ].join(" "),

  ELB_URIPATHPARAM: "%{URIPATH:path}(?:%{URIPARAM:params})?",
  ELB_URI: String.raw`%{URIPROTO:proto}://(?:%{USER}(?::[^@/\s]*)?@)?(?:%{URIHOST:urihost})?(?:%{ELB_URIPATHPARAM})?`,
  ELB_REQUEST_LINE: "(?:%{WORD:verb} %{ELB_URI:request}(?: HTTP/%{NUMBER:httpversion})?|%{DATA:rawrequest})",
  ELB_ACCESS_LOG: [
    "%{TIMESTAMP_ISO8601:timestamp} %{NOTSPACE:elb} %{IP:clientip}:%{INT:clientport:int}",
    "(?:-|%{IP:backendip}:{1,2}%{INT:backendport:int}) %{NUMBER:request_processing_time:float}",
    "%{NUMBER:backend_processing_time:float} %{NUMBER:response_processing_time:float}",
    "(?:-|%{INT:response:int}) (?:-|%{INT:backend_response:int}) %{INT:received_bytes:int}",
    `%{INT:bytes:int} "%{ELB_REQUEST_LINE}"`
  ].join(" "),

  CLOUDFRONT_ACCESS_LOG: [
    String.raw`(?<timestamp>%{YEAR}-%{MONTHNUM}-%{MONTHDAY}\t%{TIME})\t%{WORD:x_edge_location}(?:-[A-Z0-9]+)?`,
    String.raw`(?:-|%{NUMBER:sc_bytes:int})\t%{IPORHOST:clientip}\t%{WORD:cs_method}\t%{HOSTNAME:cs_host}`,
    String.raw`%{NOTSPACE:cs_uri_stem}\t%{NUMBER:sc_status:int}\t%{GREEDYDATA:referrer}${afterTabs(9)}`,
    String.raw`%{GREEDYDATA:agent}${afterTabs(10)}\t%{GREEDYDATA:cs_uri_query}${afterTabs(11)}`,
    String.raw`%{GREEDYDATA:cookies}${afterTabs(12)}\t%{WORD:x_edge_result_type}\t%{NOTSPACE:x_edge_request_id}`,
    String.raw`%{HOSTNAME:x_host_header}\t%{URIPROTO:cs_protocol}\t(?:-|%{INT:cs_bytes:int})`,
    String.raw`%{GREEDYDATA:time_taken:float}${afterTabs(18)}\t%{GREEDYDATA:x_forwarded_for}${afterTabs(19)}`,
    String.raw`%{GREEDYDATA:ssl_protocol}${afterTabs(20)}\t%{GREEDYDATA:ssl_cipher}${afterTabs(21)}`,
    `%{GREEDYDATA:x_edge_response_result_type}${afterTabs(22)}`
  ].join(String.raw`\t`)
}
