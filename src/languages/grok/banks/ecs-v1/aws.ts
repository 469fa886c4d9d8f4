/**
 * Access logs of Amazon S3, the classic Elastic Load Balancer and CloudFront, fields by the Elastic Common Schema.
 *
 * A missing value (`-`) leaves its field unset. Later versions of a format only append fields, so those are nested
 * optional groups.
 */

/** Optional fields after the separator; each is only matched if all fields before it are. */
const appended = (separator: string, later: ReadonlyArray<string>): string =>
  later.reduceRight((rest, field) => `(?:${separator}${field}${rest})?`, "")

/** A tab-separated lazy cell, which ends at the next tab. `-` means no value. */
const cell = (reference: string) => String.raw`(?>-(?=\t|\z)|${reference}(?=\t|\z))`

export const patterns: Readonly<Record<string, string>> = {
  S3_REQUEST_LINE: "%{WORD:[http][request][method]} %{NOTSPACE:[url][original]}(?: HTTP/%{NUMBER:[http][version]})?",
  S3_ACCESS_LOG: [
    String.raw`%{WORD:[aws][s3access][bucket_owner]} %{NOTSPACE:[aws][s3access][bucket]} \[%{HTTPDATE:timestamp}\]`,
    "(?:-|%{IP:[client][ip]}) (?:-|%{NOTSPACE:[client][user][id]}) %{NOTSPACE:[aws][s3access][request_id]}",
    "%{NOTSPACE:[aws][s3access][operation]} (?:-|%{NOTSPACE:[aws][s3access][key]})",
    `(?:-|"(?:-|%{S3_REQUEST_LINE:[aws][s3access][request_uri]})")`,
    "(?:-|%{INT:[http][response][status_code]:int}) (?:-|%{NOTSPACE:[aws][s3access][error_code]})",
    "(?:-|%{INT:[aws][s3access][bytes_sent]:int}) (?:-|%{INT:[aws][s3access][object_size]:int})",
    "(?:-|%{INT:[aws][s3access][total_time]:int}) (?:-|%{INT:[aws][s3access][turn_around_time]:int})",
    `(?:-|"(?:-|%{DATA:[http][request][referrer]})") (?:-|"(?:-|%{DATA:[user_agent][original]})")`,
    "(?:-|%{NOTSPACE:[aws][s3access][version_id]})"
  ]
    .join(" ")
    .concat(
      appended(" ", [
        "(?:-|%{NOTSPACE:[aws][s3access][host_id]})",
        "(?:-|%{NOTSPACE:[aws][s3access][signature_version]})",
        "(?:-|%{NOTSPACE:[tls][cipher]})",
        "(?:-|%{NOTSPACE:[aws][s3access][authentication_type]})",
        "(?:-|%{NOTSPACE:[aws][s3access][host_header]})",
        "(?:-|%{NOTSPACE:[aws][s3access][tls_version]})"
      ])
    ),

  ELB_URIHOST: "%{IPORHOST:[url][domain]}(?::%{POSINT:[url][port]:int})?",
  ELB_URIPATHQUERY: String.raw`%{URIPATH:[url][path]}(?:\?%{URIQUERY:[url][query]})?`,
  /** The older name of ELB_URIPATHQUERY. */
  ELB_URIPATHPARAM: "%{ELB_URIPATHQUERY}",
  ELB_URI: [
    String.raw`%{URIPROTO:[url][scheme]}://(?:%{USER:[url][username]}(?::[^@/\s]*)?@)?`,
    "(?:%{ELB_URIHOST})?(?:%{ELB_URIPATHQUERY})?"
  ].join(""),
  ELB_REQUEST_LINE: "%{WORD:[http][request][method]} %{ELB_URI:[url][original]}(?: HTTP/%{NUMBER:[http][version]})?",
  /** A TCP listener writes `"- - - "` where an HTTP listener writes the request line. */
  ELB_V1_HTTP_LOG: [
    "%{TIMESTAMP_ISO8601:timestamp} %{NOTSPACE:[aws][elb][name]} %{IP:[source][ip]}:%{INT:[source][port]:int}",
    "(?:-|%{IP:[aws][elb][backend][ip]}:%{INT:[aws][elb][backend][port]:int})",
    ...["request", "backend", "response"].map(
      (stage) => `(?:-1|%{NUMBER:[aws][elb][${stage}_processing_time][sec]:float})`
    ),
    "(?:-|%{INT:[http][response][status_code]:int})",
    "(?:-|%{INT:[aws][elb][backend][http][response][status_code]:int})",
    "%{INT:[http][request][body][bytes]:int} %{INT:[http][response][body][bytes]:int}",
    `"(?:%{ELB_REQUEST_LINE}|[- ]*)"`
  ]
    .join(" ")
    .concat(
      `(?: "(?:-|%{DATA:[user_agent][original]})"`,
      "(?: (?:-|%{NOTSPACE:[tls][cipher]}) (?:-|%{NOTSPACE:[aws][elb][ssl_protocol]}))?)?"
    ),
  ELB_ACCESS_LOG: "%{ELB_V1_HTTP_LOG}",

  CLOUDFRONT_ACCESS_LOG: [
    String.raw`(?<timestamp>%{YEAR}-%{MONTHNUM}-%{MONTHDAY}\t%{TIME})`,
    "%{WORD:[aws][cloudfront][x_edge_location]}(?:-[A-Z0-9]+)?",
    "(?:-|%{INT:[destination][bytes]:int})",
    "%{IPORHOST:[source][ip]}",
    "%{WORD:[http][request][method]}",
    "%{HOSTNAME:[url][domain]}",
    "%{NOTSPACE:[url][path]}",
    "(?:-|000|%{INT:[http][response][status_code]:int})",
    cell("%{DATA:[http][request][referrer]}"),
    cell("%{DATA:[user_agent][original]}"),
    cell("%{DATA:[url][query]}"),
    cell("%{DATA:[aws][cloudfront][http][request][cookie]}"),
    "%{WORD:[aws][cloudfront][x_edge_result_type]}",
    "%{NOTSPACE:[aws][cloudfront][x_edge_request_id]}",
    "%{HOSTNAME:[aws][cloudfront][http][request][host]}",
    "%{URIPROTO:[network][protocol]}",
    "(?:-|%{INT:[source][bytes]:int})",
    "%{NUMBER:[aws][cloudfront][time_taken]:float}",
    "(?:-|%{IP:[network][forwarded_ip]}(?:,[^\\t]*)?)",
    cell("%{DATA:[aws][cloudfront][ssl_protocol]}"),
    "(?:-|%{NOTSPACE:[tls][cipher]})",
    "%{WORD:[aws][cloudfront][x_edge_response_result_type]}"
  ]
    .join(String.raw`\t`)
    .concat(
      appended(String.raw`\t`, [
        "(?:-|HTTP/%{NUMBER:[http][version]})",
        cell("%{DATA:[aws][cloudfront][fle_status]}"),
        cell("%{DATA:[aws][cloudfront][fle_encrypted_fields]}"),
        "(?:-|%{INT:[source][port]:int})",
        "(?:-|%{NUMBER:[aws][cloudfront][time_to_first_byte]:float})",
        cell("%{DATA:[aws][cloudfront][x_edge_detailed_result_type]}"),
        "(?:-|%{NOTSPACE:[http][request][mime_type]})",
        "(?:-|%{INT:[aws][cloudfront][http][request][size]:int})",
        "(?:-|%{INT:[aws][cloudfront][http][request][range][start]:int})",
        "(?:-|%{INT:[aws][cloudfront][http][request][range][end]:int})"
      ])
    )
}
