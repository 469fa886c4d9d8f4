import { refused, type Sample } from "./expected.ts"

/** Access logs of S3, ELB and CloudFront. */
export const samples: ReadonlyArray<Sample> = [
  [
    "S3_REQUEST_LINE",
    "GET /mybucket?versioning HTTP/1.1",
    "verb=GET | request=/mybucket?versioning | httpversion=1.1",
    "http.request.method=GET | http.version=1.1 | url.original=/mybucket?versioning"
  ],
  ["^%{S3_REQUEST_LINE}$", "GET /a b HTTP/1.1", "rawrequest=GET /a b HTTP/1.1", null],
  ["S3_REQUEST_LINE", "PUT /a%20b", "verb=PUT | request=/a%20b", "http.request.method=PUT | url.original=/a%20b"],
  ["^%{S3_REQUEST_LINE}!", "GET /", false, null],
  ["S3_REQUEST_LINE", "GET", null, false],
  [
    "S3_ACCESS_LOG",
    '79a59df900b949e5 mybucket [06/Feb/2014:00:00:38 +0000] 192.0.2.3 79a59df900b949e5 3E57427F3EXAMPLE REST.GET.VERSIONING - "GET /mybucket?versioning HTTP/1.1" 200 - 113 - 7 - "-" "S3Console/0.4" -',
    String.raw`
      owner=79a59df900b949e5 | bucket=mybucket | timestamp=06/Feb/2014:00:00:38 +0000 | clientip=192.0.2.3 |
      requester=79a59df900b949e5 | request_id=3E57427F3EXAMPLE | operation=REST.GET.VERSIONING | key=- | verb=GET |
      request=/mybucket?versioning | httpversion=1.1 | response#200 | bytes#113 | request_time_ms#7 |
      referrer="\"-\"" | agent="\"S3Console/0.4\""`,
    `
      aws.s3access.bucket_owner=79a59df900b949e5 | aws.s3access.bucket=mybucket |
      aws.s3access.request_id=3E57427F3EXAMPLE | aws.s3access.operation=REST.GET.VERSIONING |
      aws.s3access.request_uri=GET /mybucket?versioning HTTP/1.1 | aws.s3access.bytes_sent#113 |
      aws.s3access.total_time#7 | timestamp=06/Feb/2014:00:00:38 +0000 | client.ip=192.0.2.3 |
      client.user.id=79a59df900b949e5 | http.request.method=GET | http.version=1.1 |
      http.response.status_code#200 | url.original=/mybucket?versioning | user_agent.original=S3Console/0.4`
  ],
  [
    "S3_ACCESS_LOG",
    'DEADBEEF my.bucket [12/May/2019:07:54:01 +0000] 2001:db8::7 arn:aws:iam::1:user/jo 7ACC4BE89EXAMPLE REST.PUT.OBJECT a/b.png "PUT /a/b.png HTTP/1.1" 404 NoSuchKey 297 3462992 70 10 "https://example.com/" "aws-sdk/1.2" 3HL4kqtJvjVBH40N',
    String.raw`
      owner=DEADBEEF | bucket=my.bucket | timestamp=12/May/2019:07:54:01 +0000 | clientip=2001:db8::7 |
      requester=arn:aws:iam::1:user/jo | request_id=7ACC4BE89EXAMPLE | operation=REST.PUT.OBJECT | key=a/b.png |
      verb=PUT | request=/a/b.png | httpversion=1.1 | response#404 | error_code=NoSuchKey | bytes#297 |
      object_size#3462992 | request_time_ms#70 | turnaround_time_ms#10 | referrer="\"https://example.com/\"" |
      agent="\"aws-sdk/1.2\"" | version_id=3HL4kqtJvjVBH40N`,
    `
      aws.s3access.bucket_owner=DEADBEEF | aws.s3access.bucket=my.bucket |
      aws.s3access.request_id=7ACC4BE89EXAMPLE | aws.s3access.operation=REST.PUT.OBJECT |
      aws.s3access.key=a/b.png | aws.s3access.request_uri=PUT /a/b.png HTTP/1.1 |
      aws.s3access.error_code=NoSuchKey | aws.s3access.bytes_sent#297 | aws.s3access.object_size#3462992 |
      aws.s3access.total_time#70 | aws.s3access.turn_around_time#10 | aws.s3access.version_id=3HL4kqtJvjVBH40N |
      timestamp=12/May/2019:07:54:01 +0000 | client.ip=2001:db8::7 | client.user.id=arn:aws:iam::1:user/jo |
      http.request.method=PUT | http.request.referrer=https://example.com/ | http.version=1.1 |
      http.response.status_code#404 | url.original=/a/b.png | user_agent.original=aws-sdk/1.2`
  ],
  [
    "S3_ACCESS_LOG",
    "79a5 awsexamplebucket1 [06/Feb/2019:00:00:38 +0000] - - 3E57427F3EXAMPLE S3.EXPIRE.OBJECT logs/a - - - - 11 - - - - - Gh5TkZEXAMPLE= SigV4 ECDHE-RSA-AES128-GCM-SHA256 AuthHeader awsexamplebucket1.s3.us-west-1.amazonaws.com TLSv1.2",
    null,
    `
      aws.s3access.bucket_owner=79a5 | aws.s3access.bucket=awsexamplebucket1 |
      aws.s3access.request_id=3E57427F3EXAMPLE | aws.s3access.operation=S3.EXPIRE.OBJECT |
      aws.s3access.key=logs/a | aws.s3access.object_size#11 | aws.s3access.host_id=Gh5TkZEXAMPLE= |
      aws.s3access.signature_version=SigV4 | aws.s3access.authentication_type=AuthHeader |
      aws.s3access.host_header=awsexamplebucket1.s3.us-west-1.amazonaws.com | aws.s3access.tls_version=TLSv1.2 |
      timestamp=06/Feb/2019:00:00:38 +0000 | tls.cipher=ECDHE-RSA-AES128-GCM-SHA256`
  ],
  refused(
    "S3_ACCESS_LOG",
    '79a5 mybucket 06/Feb/2014:00:00:38 +0000 192.0.2.3 - X Y Z "GET / HTTP/1.1" 200 - 1 - 7 - "-" "a" -'
  ),
  ["ELB_URIHOST", "example.com:8080", null, "url.domain=example.com | url.port#8080"],
  ["ELB_URIHOST", "[::1]", null, "url.domain=::1"],
  refused("ELB_URIHOST", "//"),
  ["ELB_URIPATHQUERY", "/path/to/resource?query=param", null, "url.path=/path/to/resource | url.query=query=param"],
  ["ELB_URIPATHQUERY", "/path", null, "url.path=/path"],
  refused("ELB_URIPATHQUERY", "?query"),
  [
    "ELB_URIPATHPARAM",
    "/path/to/resource?query=param",
    "path=/path/to/resource | params=?query=param",
    "url.path=/path/to/resource | url.query=query=param"
  ],
  ["ELB_URIPATHPARAM", "/", "path=/", "url.path=/"],
  refused("ELB_URIPATHPARAM", "?query"),
  [
    "ELB_URI",
    "https://username:password@example.com:80/path/to/resource?query=param",
    "proto=https | urihost=example.com:80 | port=80 | path=/path/to/resource | params=?query=param",
    `
      url.scheme=https | url.username=username | url.domain=example.com | url.port#80 |
      url.path=/path/to/resource | url.query=query=param`
  ],
  [
    "ELB_URI",
    "http://www.example.com/",
    "proto=http | urihost=www.example.com | path=/",
    "url.scheme=http | url.domain=www.example.com | url.path=/"
  ],
  refused("ELB_URI", "example.com/path"),
  [
    "ELB_REQUEST_LINE",
    "GET http://www.example.com:80/ HTTP/1.1",
    `
      verb=GET | request=http://www.example.com:80/ | proto=http | urihost=www.example.com:80 | port=80 | path=/ |
      httpversion=1.1`,
    `
      http.request.method=GET | http.version=1.1 | url.original=http://www.example.com:80/ | url.scheme=http |
      url.domain=www.example.com | url.port#80 | url.path=/`
  ],
  [
    "ELB_REQUEST_LINE",
    "POST https://example.com/a?b=c",
    `
      verb=POST | request=https://example.com/a?b=c | proto=https | urihost=example.com | path=/a | params=?b=c`,
    `
      http.request.method=POST | url.original=https://example.com/a?b=c | url.scheme=https |
      url.domain=example.com | url.path=/a | url.query=b=c`
  ],
  ["^%{ELB_REQUEST_LINE}!", "GET http://a/", false, null],
  ["^%{ELB_REQUEST_LINE}$", "- - - ", 'rawrequest="- - - "', null],
  ["ELB_REQUEST_LINE", "- - - ", null, false],
  [
    "ELB_ACCESS_LOG",
    '2014-02-15T23:39:43.945958Z my-test-loadbalancer 192.168.131.39:2817 10.0.0.1:80 0.000073 0.001048 0.000057 200 201 0 29 "GET http://www.example.com:80/HTTP/1.1/a?x=1 HTTP/1.1"',
    `
      timestamp=2014-02-15T23:39:43.945958Z | elb=my-test-loadbalancer | clientip=192.168.131.39 |
      clientport#2817 | backendip=10.0.0.1 | backendport#80 | request_processing_time#0.000073 |
      backend_processing_time#0.001048 | response_processing_time#0.000057 | response#200 | backend_response#201 |
      received_bytes#0 | bytes#29 | verb=GET | request=http://www.example.com:80/HTTP/1.1/a?x=1 | proto=http |
      urihost=www.example.com:80 | port=80 | path=/HTTP/1.1/a | params=?x=1 | httpversion=1.1`,
    `
      timestamp=2014-02-15T23:39:43.945958Z | aws.elb.name=my-test-loadbalancer | aws.elb.backend.ip=10.0.0.1 |
      aws.elb.backend.port#80 | aws.elb.backend.http.response.status_code#201 |
      aws.elb.request_processing_time.sec#0.000073 | aws.elb.backend_processing_time.sec#0.001048 |
      aws.elb.response_processing_time.sec#0.000057 | source.ip=192.168.131.39 | source.port#2817 |
      http.response.status_code#200 | http.response.body.bytes#29 | http.request.body.bytes#0 |
      http.request.method=GET | http.version=1.1 | url.original=http://www.example.com:80/HTTP/1.1/a?x=1 |
      url.scheme=http | url.domain=www.example.com | url.port#80 | url.path=/HTTP/1.1/a | url.query=x=1`
  ],
  [
    "ELB_ACCESS_LOG",
    '2014-02-15T23:39:43.945958Z my-test-loadbalancer 192.168.131.39:2817 - -1 -1 -1 503 0 0 0 "GET http://www.example.com:80/ HTTP/1.1"',
    `
      timestamp=2014-02-15T23:39:43.945958Z | elb=my-test-loadbalancer | clientip=192.168.131.39 |
      clientport#2817 | request_processing_time#-1 | backend_processing_time#-1 | response_processing_time#-1 |
      response#503 | backend_response#0 | received_bytes#0 | bytes#0 | verb=GET |
      request=http://www.example.com:80/ | proto=http | urihost=www.example.com:80 | port=80 | path=/ |
      httpversion=1.1`,
    `
      timestamp=2014-02-15T23:39:43.945958Z | aws.elb.name=my-test-loadbalancer |
      aws.elb.backend.http.response.status_code#0 | source.ip=192.168.131.39 | source.port#2817 |
      http.response.status_code#503 | http.response.body.bytes#0 | http.request.body.bytes#0 |
      http.request.method=GET | http.version=1.1 | url.original=http://www.example.com:80/ | url.scheme=http |
      url.domain=www.example.com | url.port#80 | url.path=/`
  ],
  [
    "ELB_ACCESS_LOG",
    '2014-02-15T23:39:43.945958Z my-elb 192.168.131.39:2817 10.0.0.1:80 0.001069 0.000028 0.000041 - - 82 305 "- - - "',
    `
      timestamp=2014-02-15T23:39:43.945958Z | elb=my-elb | clientip=192.168.131.39 | clientport#2817 |
      backendip=10.0.0.1 | backendport#80 | request_processing_time#0.001069 | backend_processing_time#0.000028 |
      response_processing_time#0.000041 | received_bytes#82 | bytes#305 | rawrequest="- - - "`,
    `
      timestamp=2014-02-15T23:39:43.945958Z | aws.elb.name=my-elb | aws.elb.backend.ip=10.0.0.1 |
      aws.elb.backend.port#80 | aws.elb.request_processing_time.sec#0.001069 |
      aws.elb.backend_processing_time.sec#0.000028 | aws.elb.response_processing_time.sec#0.000041 |
      source.ip=192.168.131.39 | source.port#2817 | http.request.body.bytes#82 | http.response.body.bytes#305`
  ],
  refused(
    "ELB_ACCESS_LOG",
    '2014-02-15T23:39:43.945958Z my-elb 192.168.131.39 10.0.0.1:80 0.1 0.2 0.3 200 200 0 29 "GET http://a/ HTTP/1.1"'
  ),
  [
    "ELB_V1_HTTP_LOG",
    '2015-05-13T23:39:43.945958Z my-loadbalancer 192.168.131.39:2817 10.0.0.1:80 0.000086 0.001048 0.001337 200 200 0 57 "GET https://www.example.com:443/ HTTP/1.1" "curl/7.38.0" DHE-RSA-AES128-SHA TLSv1.2',
    null,
    `
      timestamp=2015-05-13T23:39:43.945958Z | aws.elb.name=my-loadbalancer | aws.elb.backend.ip=10.0.0.1 |
      aws.elb.backend.port#80 | aws.elb.backend.http.response.status_code#200 |
      aws.elb.request_processing_time.sec#0.000086 | aws.elb.backend_processing_time.sec#0.001048 |
      aws.elb.response_processing_time.sec#0.001337 | aws.elb.ssl_protocol=TLSv1.2 | source.ip=192.168.131.39 |
      source.port#2817 | http.response.status_code#200 | http.response.body.bytes#57 | http.request.body.bytes#0 |
      http.request.method=GET | http.version=1.1 | url.original=https://www.example.com:443/ | url.scheme=https |
      url.domain=www.example.com | url.port#443 | url.path=/ | user_agent.original=curl/7.38.0 |
      tls.cipher=DHE-RSA-AES128-SHA`
  ],
  [
    "ELB_V1_HTTP_LOG",
    '2015-05-13T23:39:43.945958Z my-loadbalancer 192.168.131.39:2817 10.0.0.1:80 0.001065 0.000015 0.000023 - - 57 502 "- - - " "-" - -',
    null,
    `
      timestamp=2015-05-13T23:39:43.945958Z | aws.elb.name=my-loadbalancer | aws.elb.backend.ip=10.0.0.1 |
      aws.elb.backend.port#80 | aws.elb.request_processing_time.sec#0.001065 |
      aws.elb.backend_processing_time.sec#0.000015 | aws.elb.response_processing_time.sec#0.000023 |
      source.ip=192.168.131.39 | source.port#2817 | http.request.body.bytes#57 | http.response.body.bytes#502`
  ],
  refused("ELB_V1_HTTP_LOG", "2015-05-13T23:39:43.945958Z my-loadbalancer 192.168.131.39:2817"),
  [
    "CLOUDFRONT_ACCESS_LOG",
    "2014-05-23\t01:13:11\tFRA2\t182\t192.0.2.10\tGET\td111111abcdef8.cloudfront.net\t/view/my/file.html\t200\twww.displaymyfiles.com\tMozilla/4.0%20(compatible;%20MSIE%205.0b1)\ta=b&c=d\tzip=98101\tRefreshHit\tMRVMF7KydIvxMWfJIglgwHQwZsbG2IhRJ07sn9AkKUFSHS9EXAMPLE==\td111111abcdef8.cloudfront.net\thttp\t100\t0.001\t-\t-\t-\tRefreshHit",
    String.raw`
      timestamp="2014-05-23\t01:13:11" | x_edge_location=FRA2 | sc_bytes#182 | clientip=192.0.2.10 |
      cs_method=GET | cs_host=d111111abcdef8.cloudfront.net | cs_uri_stem=/view/my/file.html | sc_status#200 |
      referrer=www.displaymyfiles.com | agent=Mozilla/4.0%20(compatible;%20MSIE%205.0b1) | cs_uri_query=a=b&c=d |
      cookies=zip=98101 | x_edge_result_type=RefreshHit |
      x_edge_request_id=MRVMF7KydIvxMWfJIglgwHQwZsbG2IhRJ07sn9AkKUFSHS9EXAMPLE== |
      x_host_header=d111111abcdef8.cloudfront.net | cs_protocol=http | cs_bytes#100 | time_taken#0.001 |
      x_forwarded_for=- | ssl_protocol=- | ssl_cipher=- | x_edge_response_result_type=RefreshHit`,
    String.raw`
      timestamp="2014-05-23\t01:13:11" | aws.cloudfront.x_edge_location=FRA2 |
      aws.cloudfront.http.request.cookie=zip=98101 |
      aws.cloudfront.http.request.host=d111111abcdef8.cloudfront.net |
      aws.cloudfront.x_edge_result_type=RefreshHit |
      aws.cloudfront.x_edge_request_id=MRVMF7KydIvxMWfJIglgwHQwZsbG2IhRJ07sn9AkKUFSHS9EXAMPLE== |
      aws.cloudfront.time_taken#0.001 | aws.cloudfront.x_edge_response_result_type=RefreshHit |
      destination.bytes#182 | source.ip=192.0.2.10 | source.bytes#100 | http.request.method=GET |
      http.request.referrer=www.displaymyfiles.com | http.response.status_code#200 |
      url.domain=d111111abcdef8.cloudfront.net | url.path=/view/my/file.html | url.query=a=b&c=d |
      user_agent.original=Mozilla/4.0%20(compatible;%20MSIE%205.0b1) | network.protocol=http`
  ],
  [
    "CLOUDFRONT_ACCESS_LOG",
    "2019-12-13\t22:36:27\tSEA19\t900\t2001:db8::1\tGET\td111111abcdef8.cloudfront.net\t/favicon.ico\t502\thttp://www.example.com/\tMozilla/5.0\t-\t-\tError\t1pkpNfBQ39sYMnjjUQjmH2w1wdJnbHYTbag21o_3OfcQgPzdL2RSSQ==\twww.example.com\thttps\t675\t0.102\t198.51.100.9\tTLSv1.2\tECDHE-RSA-AES128-GCM-SHA256\tError\tHTTP/1.1\tProcessed\t4\t25260\t0.102\tOriginDnsError\ttext/html\t507\t0\t506",
    String.raw`
      timestamp="2019-12-13\t22:36:27" | x_edge_location=SEA19 | sc_bytes#900 | clientip=2001:db8::1 |
      cs_method=GET | cs_host=d111111abcdef8.cloudfront.net | cs_uri_stem=/favicon.ico | sc_status#502 |
      referrer=http://www.example.com/ | agent=Mozilla/5.0 | cs_uri_query=- | cookies=- |
      x_edge_result_type=Error | x_edge_request_id=1pkpNfBQ39sYMnjjUQjmH2w1wdJnbHYTbag21o_3OfcQgPzdL2RSSQ== |
      x_host_header=www.example.com | cs_protocol=https | cs_bytes#675 | time_taken#0.102 |
      x_forwarded_for=198.51.100.9 | ssl_protocol=TLSv1.2 | ssl_cipher=ECDHE-RSA-AES128-GCM-SHA256 |
      x_edge_response_result_type=Error`,
    String.raw`
      timestamp="2019-12-13\t22:36:27" | aws.cloudfront.x_edge_location=SEA19 |
      aws.cloudfront.x_edge_result_type=Error |
      aws.cloudfront.x_edge_request_id=1pkpNfBQ39sYMnjjUQjmH2w1wdJnbHYTbag21o_3OfcQgPzdL2RSSQ== |
      aws.cloudfront.http.request.host=www.example.com | aws.cloudfront.http.request.size#507 |
      aws.cloudfront.http.request.range.start#0 | aws.cloudfront.http.request.range.end#506 |
      aws.cloudfront.time_taken#0.102 | aws.cloudfront.ssl_protocol=TLSv1.2 |
      aws.cloudfront.x_edge_response_result_type=Error | aws.cloudfront.fle_status=Processed |
      aws.cloudfront.fle_encrypted_fields=4 | aws.cloudfront.time_to_first_byte#0.102 |
      aws.cloudfront.x_edge_detailed_result_type=OriginDnsError | destination.bytes#900 | source.ip=2001:db8::1 |
      source.bytes#675 | source.port#25260 | http.request.method=GET |
      http.request.referrer=http://www.example.com/ | http.request.mime_type=text/html |
      http.response.status_code#502 | http.version=1.1 | url.domain=d111111abcdef8.cloudfront.net |
      url.path=/favicon.ico | user_agent.original=Mozilla/5.0 | network.protocol=https |
      network.forwarded_ip=198.51.100.9 | tls.cipher=ECDHE-RSA-AES128-GCM-SHA256`
  ],
  [
    "CLOUDFRONT_ACCESS_LOG",
    "2019-12-04\t21:02:31\tLAX50-C1\t392\t192.0.2.100\tGET\td1.cloudfront.net\t/i.html\t000\t-\tcurl\t-\t-\tHit\tSOX4==\td1.cloudfront.net\thttps\t23\t0.001\t192.0.2.1,%20192.0.2.2\tTLSv1.2\tECDHE\tHit\tHTTP/2.0",
    null,
    `
      timestamp="2019-12-04\\t21:02:31" | aws.cloudfront.x_edge_location=LAX50 | destination.bytes#392 |
      source.ip=192.0.2.100 | http.request.method=GET | url.domain=d1.cloudfront.net | url.path=/i.html |
      user_agent.original=curl | aws.cloudfront.x_edge_result_type=Hit | aws.cloudfront.x_edge_request_id=SOX4== |
      aws.cloudfront.http.request.host=d1.cloudfront.net | network.protocol=https | source.bytes#23 |
      aws.cloudfront.time_taken#0.001 | network.forwarded_ip=192.0.2.1 | aws.cloudfront.ssl_protocol=TLSv1.2 |
      tls.cipher=ECDHE | aws.cloudfront.x_edge_response_result_type=Hit | http.version=2.0`
  ],
  refused(
    "CLOUDFRONT_ACCESS_LOG",
    "2014-05-23\t01:13:11\tFRA2\t182\t192.0.2.10\tGET\td1.cloudfront.net\t/view\t200\t-\t-"
  )
]
