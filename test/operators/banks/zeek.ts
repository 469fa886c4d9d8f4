import { refused, type Sample } from "./expected.ts"

/** Zeek's tab-separated logs. */
export const samples: ReadonlyArray<Sample> = [
  ["ZEEK_BOOL", "T", null, ""],
  refused("ZEEK_BOOL", "true"),
  ["ZEEK_DATA", "(empty)", null, ""],
  refused("ZEEK_DATA", "\t"),
  [
    "ZEEK_HTTP",
    "1602164975.587600\tCt73QY3M7T5dikxggf\t192.168.122.59\t55240\t93.184.220.29\t80\t1\t-\t-\t-\t-\t1.1\t-\t-\t0\t471\t200\tOK\t-\t-\t(empty)\t-\t-\t-\t-\t-\t-\tFPGXN33wAFL8MPKJXl\t-\tapplication/ocsp-response",
    null,
    `
      timestamp=1602164975.587600 | zeek.session_id=Ct73QY3M7T5dikxggf | zeek.http.trans_depth#1 |
      zeek.http.status_msg=OK | zeek.http.resp_fuids=FPGXN33wAFL8MPKJXl | source.ip=192.168.122.59 |
      source.port#55240 | destination.ip=93.184.220.29 | destination.port#80 | http.version=1.1 |
      http.request.body.bytes#0 | http.response.body.bytes#471 | http.response.status_code#200 |
      http.response.mime_type=application/ocsp-response`
  ],
  [
    "ZEEK_HTTP",
    "1602164976.1\tCx\t2001:db8::1\t5\t2001:db8::2\t80\t2\tPOST\texample.com\t/a?b=c\thttp://r/\t1.1\tcurl/7 (x)\thttp://o\t10\t20\t404\tNot Found\t101\tSwitching\tURI_SQLI,X\tjo\tpw\tVIA -> p\tFa\tf.txt\ttext/plain\tFb,Fc\tg.txt\ttext/html",
    null,
    `
      timestamp=1602164976.1 | zeek.session_id=Cx | zeek.http.trans_depth#2 | zeek.http.origin=http://o |
      zeek.http.status_msg=Not Found | zeek.http.info_code#101 | zeek.http.info_msg=Switching |
      zeek.http.tags=URI_SQLI,X | zeek.http.proxied=VIA -> p | zeek.http.orig_fuids=Fa |
      zeek.http.orig_filenames=f.txt | zeek.http.resp_fuids=Fb,Fc | zeek.http.resp_filenames=g.txt |
      source.ip=2001:db8::1 | source.port#5 | destination.ip=2001:db8::2 | destination.port#80 |
      http.request.method=POST | http.request.referrer=http://r/ | http.request.body.bytes#10 |
      http.request.mime_type=text/plain | http.version=1.1 | http.response.body.bytes#20 |
      http.response.status_code#404 | http.response.mime_type=text/html | url.domain=example.com |
      url.original=/a?b=c | url.username=jo | url.password=pw | user_agent.original=curl/7 (x)`
  ],
  refused(
    "ZEEK_HTTP",
    "1432555199.633017\tCOpk6E3vkURP8QQNKl\t192.168.9.35\t55281\t178.236.7.146\t80\t4\tPOST\twww.amazon.it\t/xa/v2/GetDeals?nocache=1\thttp://www.amazon.it/\tMozilla/5.0 (Windows NT 6.1)\t223\t1859\t200\tOK\t101\tSwitching\ta.txt\tX\tkares\tpw\tp\tFrLEcY3AUPKdcYGf29\ttext/plain\tFOJpbGzIMh9syPxH8\ttext/plain"
  ),
  [
    "ZEEK_DNS",
    "1602164976.098540\tCS6VPv1eBzfxOyEKPb\t192.168.122.59\t39281\t192.168.122.1\t53\tudp\t51877\t0.032160\tslashdot.org\t1\tC_INTERNET\t1\tA\t0\tNOERROR\tF\tF\tT\tT\t0\t216.105.38.15\t2400.000000\tF",
    null,
    `
      timestamp=1602164976.098540 | zeek.session_id=CS6VPv1eBzfxOyEKPb | zeek.dns.rtt#0.03216 | zeek.dns.qclass#1 |
      zeek.dns.qclass_name=C_INTERNET | zeek.dns.qtype#1 | zeek.dns.rcode#0 | zeek.dns.AA=F | zeek.dns.TC=F |
      zeek.dns.RD=T | zeek.dns.RA=T | zeek.dns.Z#0 | zeek.dns.answers=216.105.38.15 | zeek.dns.TTLs=2400.000000 |
      zeek.dns.rejected=F | source.ip=192.168.122.59 | source.port#39281 | destination.ip=192.168.122.1 |
      destination.port#53 | network.transport=udp | dns.id#51877 | dns.question.name=slashdot.org |
      dns.question.type=A | dns.response_code=NOERROR`
  ],
  [
    "ZEEK_DNS",
    "1602164976.098540\tCS6V\t192.168.122.59\t39281\t192.168.122.1\t53\tudp\t-\t-\t-\t-\t-\t-\t-\t-\t-\tF\tF\tF\tF\t1\t-\t-\t-",
    null,
    `
      timestamp=1602164976.098540 | zeek.session_id=CS6V | zeek.dns.AA=F | zeek.dns.TC=F | zeek.dns.RD=F |
      zeek.dns.RA=F | zeek.dns.Z#1 | source.ip=192.168.122.59 | source.port#39281 | destination.ip=192.168.122.1 |
      destination.port#53 | network.transport=udp`
  ],
  refused(
    "ZEEK_DNS",
    "1359565680.761790\tUWkUyAuUGXf\t192.168.6.10\t53209\t192.168.129.36\t53\tudp\t41477\tpaypal.com\t1\tC_INTERNET\t1\tA\t0\tNOERROR\tF\tF\tT\tT\t0\t1.2.3.4\t1.0\tF"
  ),
  [
    "ZEEK_CONN",
    "1541350796.901974\tC54zqz17PXuBv3HkLg\t192.168.0.26\t54855\t54.85.115.89\t443\ttcp\tssl\t0.153642\t1147\t589\tSF\tT\tF\t0\tShADadfF\t7\t1439\t8\t921\t-",
    null,
    `
      timestamp=1541350796.901974 | zeek.session_id=C54zqz17PXuBv3HkLg | zeek.connection.duration#0.153642 |
      zeek.connection.orig_bytes#1147 | zeek.connection.resp_bytes#589 | zeek.connection.state=SF |
      zeek.connection.local_orig=T | zeek.connection.local_resp=F | zeek.connection.missed_bytes#0 |
      zeek.connection.history=ShADadfF | source.ip=192.168.0.26 | source.port#54855 | source.packets#7 |
      source.bytes#1439 | destination.ip=54.85.115.89 | destination.port#443 | destination.packets#8 |
      destination.bytes#921 | network.transport=tcp | network.protocol=ssl`
  ],
  [
    "ZEEK_CONN",
    "1541350796.901974\tC54z\tfe80::1\t5353\tff02::fb\t5353\tudp\t-\t-\t-\t-\tS0\t-\t-\t0\tD\t1\t40\t0\t0\tCparent\t52:54:00:12:34:56\t52:54:00:12:34:57",
    null,
    `
      timestamp=1541350796.901974 | zeek.session_id=C54z | zeek.connection.state=S0 |
      zeek.connection.missed_bytes#0 | zeek.connection.history=D | zeek.connection.tunnel_parents=Cparent |
      source.ip=fe80::1 | source.port#5353 | source.packets#1 | source.bytes#40 | source.mac=52:54:00:12:34:56 |
      destination.ip=ff02::fb | destination.port#5353 | destination.packets#0 | destination.bytes#0 |
      destination.mac=52:54:00:12:34:57 | network.transport=udp`
  ],
  refused(
    "ZEEK_CONN",
    "1541350796.901974\tC54z\t192.168.0.26\t54855\t54.85.115.89\t443\ttcp\tssl\t0.1\t1\t5\tSF\tT\t0\tShA\t7\t1439\t8\t921\t(empty)"
  ),
  ["ZEEK_FILES_TX_HOSTS", "151.101.112.204", null, "server.ip=151.101.112.204"],
  ["ZEEK_FILES_TX_HOSTS", "10.0.0.1,10.0.0.2", null, "zeek.files.tx_hosts=10.0.0.1,10.0.0.2 | server.ip=10.0.0.1"],
  ["ZEEK_FILES_TX_HOSTS", "-", null, ""],
  refused("ZEEK_FILES_TX_HOSTS", "host"),
  ["ZEEK_FILES_RX_HOSTS", "2001:db8::1", null, "client.ip=2001:db8::1"],
  ["ZEEK_FILES_RX_HOSTS", "10.0.0.1,10.0.0.2", null, "zeek.files.rx_hosts=10.0.0.1,10.0.0.2 | client.ip=10.0.0.1"],
  ["ZEEK_FILES_RX_HOSTS", "-", null, ""],
  refused("ZEEK_FILES_RX_HOSTS", "host"),
  [
    "ZEEK_FILES",
    "1602576142.884704\tFrp9wcpqbDl991Zh7\t151.101.112.204,10.0.0.9\t192.168.122.59\tC3v3ce39xvI63Tn2E5\tHTTP\t0\tSHA1,MD5\ttext/plain\ta.txt\t0.000000\tF\tF\t3707\t51901\t0\t0\tF\tFpar\t995875a72487a52a657b94e3857ac4fe\t00c45f6771d0006029a8ced68bf2a41ca3060e69\tb0c4\tx\tF\t7",
    null,
    `
      timestamp=1602576142.884704 | zeek.files.fuid=Frp9wcpqbDl991Zh7 |
      zeek.files.tx_hosts=151.101.112.204,10.0.0.9 | zeek.files.session_ids=C3v3ce39xvI63Tn2E5 |
      zeek.files.source=HTTP | zeek.files.depth#0 | zeek.files.analyzers=SHA1,MD5 | zeek.files.duration#0 |
      zeek.files.local_orig=F | zeek.files.is_orig=F | zeek.files.seen_bytes#3707 | zeek.files.missing_bytes#0 |
      zeek.files.overflow_bytes#0 | zeek.files.timedout=F | zeek.files.parent_fuid=Fpar | zeek.files.extracted=x |
      zeek.files.extracted_cutoff=F | zeek.files.extracted_size#7 | server.ip=151.101.112.204 |
      client.ip=192.168.122.59 | file.mime_type=text/plain | file.name=a.txt | file.size#51901 |
      file.hash.md5=995875a72487a52a657b94e3857ac4fe | file.hash.sha1=00c45f6771d0006029a8ced68bf2a41ca3060e69 |
      file.hash.sha256=b0c4`
  ],
  [
    "ZEEK_FILES",
    "1602576142.884704\tFrp9\t-\t-\t-\tSSL\t0\t(empty)\t-\t-\t-\t-\tT\t3707\t-\t0\t0\tF\t-\t-\t-\t-\t-\t-\t-",
    null,
    `
      timestamp=1602576142.884704 | zeek.files.fuid=Frp9 | zeek.files.source=SSL | zeek.files.depth#0 |
      zeek.files.is_orig=T | zeek.files.seen_bytes#3707 | zeek.files.missing_bytes#0 |
      zeek.files.overflow_bytes#0 | zeek.files.timedout=F`
  ],
  refused(
    "ZEEK_FILES",
    "1602576142.884704\tFrp9\t10.0.0.1\t10.0.0.2\tC\tSSL\t0\tMD5\t-\t-\t0.1\tT\tT\t3707\t1\t0\t0\tF\t-\t-\t-\t-"
  )
]
