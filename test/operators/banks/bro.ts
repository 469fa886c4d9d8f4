import { refused, type Sample } from "./expected.ts"

/** Tab-separated logs of Bro 2, with newer lines in the legacy set. */
export const samples: ReadonlyArray<Sample> = [
  ["BRO_BOOL", "F", null, ""],
  refused("BRO_BOOL", "false"),
  ["BRO_DATA", "a b", null, ""],
  refused("BRO_DATA", "\t\t"),
  [
    "BRO_HTTP",
    "1432555199.633017\tCOpk6E3vkURP8QQNKl\t192.168.9.35\t55281\t178.236.7.146\t80\t4\tPOST\twww.amazon.it\t/xa/v2/GetDeals?nocache=1\thttp://www.amazon.it/\tMozilla/5.0 (Windows NT 6.1)\t223\t1859\t200\tOK\t101\tSwitching\ta.txt\tX\tkares\tpw\tp\tFrLEcY3AUPKdcYGf29\ttext/plain\tFOJpbGzIMh9syPxH8\ttext/plain",
    `
      ts=1432555199.633017 | uid=COpk6E3vkURP8QQNKl | orig_h=192.168.9.35 | orig_p=55281 | resp_h=178.236.7.146 |
      resp_p=80 | trans_depth=4 | method=POST | domain=www.amazon.it | uri=/xa/v2/GetDeals?nocache=1 |
      referrer=http://www.amazon.it/ | user_agent=Mozilla/5.0 (Windows NT 6.1) | request_body_len=223 |
      response_body_len=1859 | status_code=200 | status_msg=OK | info_code=101 | info_msg=Switching |
      filename=a.txt | bro_tags=X | username=kares | password=pw | proxied=p | orig_fuids=FrLEcY3AUPKdcYGf29 |
      orig_mime_types=text/plain | resp_fuids=FOJpbGzIMh9syPxH8 | resp_mime_types=text/plain`,
    `
      timestamp=1432555199.633017 | zeek.session_id=COpk6E3vkURP8QQNKl | zeek.http.trans_depth#4 |
      zeek.http.status_msg=OK | zeek.http.info_code#101 | zeek.http.info_msg=Switching | zeek.http.filename=a.txt |
      zeek.http.tags=X | zeek.http.proxied=p | zeek.http.orig_fuids=FrLEcY3AUPKdcYGf29 |
      zeek.http.resp_fuids=FOJpbGzIMh9syPxH8 | source.ip=192.168.9.35 | source.port#55281 |
      destination.ip=178.236.7.146 | destination.port#80 | http.request.method=POST |
      http.request.referrer=http://www.amazon.it/ | http.request.body.bytes#223 |
      http.request.mime_type=text/plain | http.response.body.bytes#1859 | http.response.status_code#200 |
      http.response.mime_type=text/plain | url.domain=www.amazon.it | url.original=/xa/v2/GetDeals?nocache=1 |
      url.username=kares | url.password=pw | user_agent.original=Mozilla/5.0 (Windows NT 6.1)`
  ],
  [
    "BRO_HTTP",
    "1602164975.587600\tCt73QY3M7T5dikxggf\t192.168.122.59\t55240\t93.184.220.29\t80\t1\t-\t-\t-\t-\t1.1\t-\t-\t0\t471\t200\tOK\t-\t-\t(empty)\t-\t-\t-\t-\t-\t-\tFPGXN33wAFL8MPKJXl\t-\tapplication/ocsp-response",
    String.raw`
      ts=1602164975.587600 | uid=Ct73QY3M7T5dikxggf | orig_h=192.168.122.59 | orig_p=55240 | resp_h=93.184.220.29 |
      resp_p=80 | trans_depth=1 | method="-\t-\t-\t-" | domain=1.1 | uri=- | referrer=- | user_agent=0 |
      request_body_len=471 | response_body_len=200 | status_code=OK | status_msg=- | info_code=- |
      info_msg=(empty) | filename=- | bro_tags=- | username=- | password=- | proxied=- | orig_fuids=- |
      orig_mime_types=FPGXN33wAFL8MPKJXl | resp_fuids=- | resp_mime_types=application/ocsp-response`,
    null
  ],
  refused(
    "BRO_HTTP",
    "1432555199.633017\tCOpk\t192.168.9.35\t55281\t178.236.7.146\t80\t4\tPOST\twww.amazon.it\t/\t-\tMozilla\t-\t-\t200\tOK"
  ),
  [
    "BRO_DNS",
    "1359565680.761790\tUWkUyAuUGXf\t192.168.6.10\t53209\t192.168.129.36\t53\tudp\t41477\tpaypal.com\t1\tC_INTERNET\t48\tDNSKEY\t0\tNOERROR\tF\tF\tT\tF\t1\tDNSKEY 5,DNSKEY 5\t455.000000,455.000000\tF",
    `
      ts=1359565680.761790 | uid=UWkUyAuUGXf | orig_h=192.168.6.10 | orig_p=53209 | resp_h=192.168.129.36 |
      resp_p=53 | proto=udp | trans_id=41477 | query=paypal.com | qclass=1 | qclass_name=C_INTERNET | qtype=48 |
      qtype_name=DNSKEY | rcode=0 | rcode_name=NOERROR | AA=F | TC=F | RD=T | RA=F | Z=1 |
      answers=DNSKEY 5,DNSKEY 5 | TTLs=455.000000,455.000000 | rejected=F`,
    `
      timestamp=1359565680.761790 | zeek.session_id=UWkUyAuUGXf | zeek.dns.qclass#1 |
      zeek.dns.qclass_name=C_INTERNET | zeek.dns.qtype#48 | zeek.dns.rcode#0 | zeek.dns.AA=F | zeek.dns.TC=F |
      zeek.dns.RD=T | zeek.dns.RA=F | zeek.dns.Z#1 | zeek.dns.answers=DNSKEY 5,DNSKEY 5 |
      zeek.dns.TTLs=455.000000,455.000000 | zeek.dns.rejected=F | source.ip=192.168.6.10 | source.port#53209 |
      destination.ip=192.168.129.36 | destination.port#53 | network.transport=udp | dns.id#41477 |
      dns.question.name=paypal.com | dns.question.type=DNSKEY | dns.response_code=NOERROR`
  ],
  [
    "BRO_DNS",
    "1359565680.761790\tUWkUyAuUGXf\t192.168.6.10\t53209\t192.168.129.36\t53\tudp\t-\t-\t-\t-\t-\t-\t-\t-\tF\tF\tF\tF\t0\t-\t-\t-",
    null,
    `
      timestamp=1359565680.761790 | zeek.session_id=UWkUyAuUGXf | zeek.dns.AA=F | zeek.dns.TC=F | zeek.dns.RD=F |
      zeek.dns.RA=F | zeek.dns.Z#0 | source.ip=192.168.6.10 | source.port#53209 | destination.ip=192.168.129.36 |
      destination.port#53 | network.transport=udp`
  ],
  [
    "BRO_DNS",
    "1602164976.098540\tCS6V\t192.168.122.59\t39281\t192.168.122.1\t53\tudp\t51877\t0.032160\tslashdot.org\t1\tC_INTERNET\t1\tA\t0\tNOERROR\tF\tF\tT\tT\t0\t216.105.38.15\t2400.000000\tF",
    String.raw`
      ts=1602164976.098540 | uid=CS6V | orig_h=192.168.122.59 | orig_p=39281 | resp_h=192.168.122.1 | resp_p=53 |
      proto=udp | trans_id=51877 | query="0.032160\tslashdot.org" | qclass=1 | qclass_name=C_INTERNET | qtype=1 |
      qtype_name=A | rcode=0 | rcode_name=NOERROR | AA=F | TC=F | RD=T | RA=T | Z=0 | answers=216.105.38.15 |
      TTLs=2400.000000 | rejected=F`,
    null
  ],
  refused("BRO_DNS", "1359565680.761790\tUWkUyAuUGXf\t192.168.6.10\t53209\t192.168.129.36\t53\tudp\t41477\tpaypal.com"),
  [
    "BRO_CONN",
    "1541350796.901974\tC54zqz17PXuBv3HkLg\t192.168.0.26\t54855\t54.85.115.89\t443\ttcp\tssl\t0.153642\t1147\t589\tSF\tT\t0\tShADadfF\t7\t1439\t8\t921\t(empty)",
    `
      ts=1541350796.901974 | uid=C54zqz17PXuBv3HkLg | orig_h=192.168.0.26 | orig_p=54855 | resp_h=54.85.115.89 |
      resp_p=443 | proto=tcp | service=ssl | duration=0.153642 | orig_bytes=1147 | resp_bytes=589 | conn_state=SF |
      local_orig=T | missed_bytes=0 | history=ShADadfF | orig_pkts=7 | orig_ip_bytes=1439 | resp_pkts=8 |
      resp_ip_bytes=921 | tunnel_parents=(empty)`,
    `
      timestamp=1541350796.901974 | zeek.session_id=C54zqz17PXuBv3HkLg | zeek.connection.duration#0.153642 |
      zeek.connection.orig_bytes#1147 | zeek.connection.resp_bytes#589 | zeek.connection.state=SF |
      zeek.connection.local_orig=T | zeek.connection.missed_bytes#0 | zeek.connection.history=ShADadfF |
      source.ip=192.168.0.26 | source.port#54855 | source.packets#7 | source.bytes#1439 |
      destination.ip=54.85.115.89 | destination.port#443 | destination.packets#8 | destination.bytes#921 |
      network.transport=tcp | network.protocol=ssl`
  ],
  [
    "BRO_CONN",
    "1541350796.901974\tC54z\t192.168.0.26\t54855\t54.85.115.89\t443\ttcp\tssl\t0.153642\t1147\t589\tSF\tT\tF\t0\tShADadfF\t7\t1439\t8\t921\t(empty)",
    String.raw`
      ts=1541350796.901974 | uid=C54z | orig_h=192.168.0.26 | orig_p=54855 | resp_h=54.85.115.89 | resp_p=443 |
      proto=tcp | service=ssl | duration=0.153642 | orig_bytes=1147 | resp_bytes=589 | conn_state="SF\tT" |
      local_orig=F | missed_bytes=0 | history=ShADadfF | orig_pkts=7 | orig_ip_bytes=1439 | resp_pkts=8 |
      resp_ip_bytes=921 | tunnel_parents=(empty)`,
    `
      timestamp=1541350796.901974 | zeek.session_id=C54z | zeek.connection.duration#0.153642 |
      zeek.connection.orig_bytes#1147 | zeek.connection.resp_bytes#589 | zeek.connection.state=SF |
      zeek.connection.local_orig=T | zeek.connection.local_resp=F | zeek.connection.missed_bytes#0 |
      zeek.connection.history=ShADadfF | source.ip=192.168.0.26 | source.port#54855 | source.packets#7 |
      source.bytes#1439 | destination.ip=54.85.115.89 | destination.port#443 | destination.packets#8 |
      destination.bytes#921 | network.transport=tcp | network.protocol=ssl`
  ],
  [
    "BRO_CONN",
    "1541350796.901974\tC54z\t2001:db8::1\t5\t2001:db8::2\t6\tudp\t-\t-\t-\t-\tS0\t-\t0\tD\t1\t40\t0\t0\tCp",
    `
      ts=1541350796.901974 | uid=C54z | orig_h=2001:db8::1 | orig_p=5 | resp_h=2001:db8::2 | resp_p=6 | proto=udp |
      service=- | conn_state=S0 | local_orig=- | missed_bytes=0 | history=D | orig_pkts=1 | orig_ip_bytes=40 |
      resp_pkts=0 | resp_ip_bytes=0 | tunnel_parents=Cp`,
    `
      timestamp=1541350796.901974 | zeek.session_id=C54z | zeek.connection.state=S0 |
      zeek.connection.missed_bytes#0 | zeek.connection.history=D | zeek.connection.tunnel_parents=Cp |
      source.ip=2001:db8::1 | source.port#5 | source.packets#1 | source.bytes#40 | destination.ip=2001:db8::2 |
      destination.port#6 | destination.packets#0 | destination.bytes#0 | network.transport=udp`
  ],
  refused(
    "BRO_CONN",
    "1541350796.901974\tC54z\t192.168.0.26\t54855\t54.85.115.89\t443\ttcp\tssl\tlong\t1147\t589\tSF\tT\t0\tS\t7\t1\t8\t9\t(empty)"
  ),
  [
    "BRO_FILES",
    "1362692527.009721\tFakNcS1Jfe01uljb3\t192.150.187.43\t141.142.228.5\tCXWv6p3arKYeMETxOg\tHTTP\t0\tMD5\ttext/plain\ta.txt\t0.000054\t-\tF\t4705\t4705\t0\t0\tF\tFpar\t397168fd09991a0e712254df7bc639ac\t-\tb0c4\tx.dat",
    `
      ts=1362692527.009721 | fuid=FakNcS1Jfe01uljb3 | tx_hosts=192.150.187.43 | rx_hosts=141.142.228.5 |
      conn_uids=CXWv6p3arKYeMETxOg | source=HTTP | depth=0 | analyzers=MD5 | mime_type=text/plain |
      filename=a.txt | duration=0.000054 | local_orig=- | is_orig=F | seen_bytes=4705 | total_bytes=4705 |
      missing_bytes=0 | overflow_bytes=0 | timedout=F | parent_fuid=Fpar | md5=397168fd09991a0e712254df7bc639ac |
      sha1=- | sha256=b0c4 | extracted=x.dat`,
    `
      timestamp=1362692527.009721 | zeek.files.fuid=FakNcS1Jfe01uljb3 | zeek.files.session_ids=CXWv6p3arKYeMETxOg |
      zeek.files.source=HTTP | zeek.files.depth#0 | zeek.files.analyzers=MD5 | zeek.files.duration#0.000054 |
      zeek.files.is_orig=F | zeek.files.seen_bytes#4705 | zeek.files.missing_bytes#0 |
      zeek.files.overflow_bytes#0 | zeek.files.timedout=F | zeek.files.parent_fuid=Fpar |
      zeek.files.extracted=x.dat | server.ip=192.150.187.43 | client.ip=141.142.228.5 | file.mime_type=text/plain |
      file.name=a.txt | file.size#4705 | file.hash.md5=397168fd09991a0e712254df7bc639ac | file.hash.sha256=b0c4`
  ],
  [
    "BRO_FILES",
    "1602576142.884704\tFrp9wcpqbDl991Zh7\t151.101.112.204\t192.168.122.59\tC3v3\tHTTP\t0\tSHA1,MD5\ttext/plain\t-\t0.000000\tF\tF\t3707\t51901\t0\t0\tF\t-\t9958\t00c4\t-\t-\t-\t-",
    String.raw`
      ts=1602576142.884704 | fuid=Frp9wcpqbDl991Zh7 | tx_hosts=151.101.112.204 | rx_hosts=192.168.122.59 |
      conn_uids=C3v3 | source="HTTP\t0\tSHA1,MD5" | depth=text/plain | analyzers=- | mime_type=0.000000 |
      filename=F | duration=F | local_orig=3707 | is_orig=51901 | seen_bytes=0 | total_bytes=0 | missing_bytes=F |
      overflow_bytes=- | timedout=9958 | parent_fuid=00c4 | md5=- | sha1=- | sha256=- | extracted=-`,
    `
      timestamp=1602576142.884704 | zeek.files.fuid=Frp9wcpqbDl991Zh7 | zeek.files.session_ids=C3v3 |
      zeek.files.source=HTTP | zeek.files.depth#0 | zeek.files.analyzers=SHA1,MD5 | zeek.files.duration#0 |
      zeek.files.local_orig=F | zeek.files.is_orig=F | zeek.files.seen_bytes#3707 | zeek.files.missing_bytes#0 |
      zeek.files.overflow_bytes#0 | zeek.files.timedout=F | server.ip=151.101.112.204 | client.ip=192.168.122.59 |
      file.mime_type=text/plain | file.size#51901 | file.hash.md5=9958 | file.hash.sha1=00c4`
  ],
  refused("BRO_FILES", "1362692527.009721\tFakNcS1Jfe01uljb3\t192.150.187.43\t141.142.228.5\tCXW\tHTTP\t0")
]
