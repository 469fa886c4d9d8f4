import { refused, type Sample } from "./expected.ts"

/** Query logs of BIND 9. */
export const samples: ReadonlyArray<Sample> = [
  ["BIND9_TIMESTAMP", "17-Feb-2018 23:06:56.326", "", ""],
  refused("BIND9_TIMESTAMP", "17-02-2018 23:06:56"),
  ["BIND9_DNSTYPE", "AAAA", null, ""],
  ["BIND9_DNSTYPE", "TYPE65", null, ""],
  ["BIND9_DNSTYPE", "NSEC3PARAM", null, ""],
  refused("BIND9_DNSTYPE", "IN"),
  ["BIND9_CATEGORY", "queries", null, ""],
  refused("BIND9_CATEGORY", "security"),
  [
    "BIND9_QUERYLOGBASE",
    "client 172.26.0.1#12345 (test.example.com): query: test.example.com IN A +E(0)K (172.26.0.3)",
    null,
    `
      client.ip=172.26.0.1 | client.port#12345 | bind.log.question.name=test.example.com |
      bind.log.question.flags=+E(0)K | dns.question.name=test.example.com | dns.question.class=IN |
      dns.question.type=A | server.ip=172.26.0.3`
  ],
  [
    "BIND9_QUERYLOGBASE",
    "client @0x7f64500020ef 2001:db8::5#60061 (x.org): view internal: query: x.org CH TXT - (::1)",
    null,
    `
      client.ip=2001:db8::5 | client.port#60061 | bind.log.question.name=x.org | bind.log.question.flags=- |
      dns.question.name=x.org | dns.question.class=CH | dns.question.type=TXT | server.ip=::1`
  ],
  [
    "BIND9_QUERYLOGBASE",
    "client 10.0.0.1#53: query: old.example IN MX +",
    null,
    `
      client.ip=10.0.0.1 | client.port#53 | dns.question.name=old.example | dns.question.class=IN |
      dns.question.type=MX | bind.log.question.flags=+`
  ],
  refused("BIND9_QUERYLOGBASE", "client 10.0.0.1: query: x.org IN A + (::1)"),
  [
    "BIND9_QUERYLOG",
    "17-Feb-2018 23:06:56.326 queries: info: client 172.26.0.1#12345 (test.example.com): query: test.example.com IN A +E(0)K (172.26.0.3)",
    null,
    `
      timestamp=17-Feb-2018 23:06:56.326 | bing.log.category=queries | log.level=info | client.ip=172.26.0.1 |
      client.port#12345 | bind.log.question.name=test.example.com | bind.log.question.flags=+E(0)K |
      dns.question.name=test.example.com | dns.question.class=IN | dns.question.type=A | server.ip=172.26.0.3`
  ],
  refused(
    "BIND9_QUERYLOG",
    "17-Feb-2018 23:06:56.326 general: info: client 172.26.0.1#12345 (a): query: a IN A + (172.26.0.3)"
  ),
  [
    "BIND9",
    "30-Jun-2018 15:50:00.999 queries: info: client @0x7f64500020ef 192.168.10.48#60061 (91.2.10.170.in-addr.internal): query: 91.2.10.170.in-addr.internal IN PTR + (192.168.2.2)",
    `
      timestamp=30-Jun-2018 15:50:00.999 | loglevel=info | clientip=192.168.10.48 | clientport=60061 |
      query=91.2.10.170.in-addr.internal | query=91.2.10.170.in-addr.internal | querytype=PTR + | dns=192.168.2.2`,
    `
      timestamp=30-Jun-2018 15:50:00.999 | bing.log.category=queries | log.level=info | client.ip=192.168.10.48 |
      client.port#60061 | bind.log.question.name=91.2.10.170.in-addr.internal | bind.log.question.flags=+ |
      dns.question.name=91.2.10.170.in-addr.internal | dns.question.class=IN | dns.question.type=PTR |
      server.ip=192.168.2.2`
  ],
  [
    "BIND9",
    "17-Feb-2018 23:06:56.326 queries: info: client 172.26.0.1#12345 (test.example.com): query: test.example.com IN A +E(0)K (172.26.0.3)",
    `
      timestamp=17-Feb-2018 23:06:56.326 | loglevel=info | clientip=172.26.0.1 | clientport=12345 |
      query=test.example.com | query=test.example.com | querytype=A +E(0)K | dns=172.26.0.3`,
    `
      timestamp=17-Feb-2018 23:06:56.326 | bing.log.category=queries | log.level=info | client.ip=172.26.0.1 |
      client.port#12345 | bind.log.question.name=test.example.com | bind.log.question.flags=+E(0)K |
      dns.question.name=test.example.com | dns.question.class=IN | dns.question.type=A | server.ip=172.26.0.3`
  ],
  [
    "BIND9",
    "17-Feb-2018 23:06:56.326 queries: info: client 172.26.0.1#12345: query: test.example.com IN AAAA -",
    `
      timestamp=17-Feb-2018 23:06:56.326 | loglevel=info | clientip=172.26.0.1 | clientport=12345 |
      query=test.example.com | querytype=AAAA -`,
    `
      timestamp=17-Feb-2018 23:06:56.326 | bing.log.category=queries | log.level=info | client.ip=172.26.0.1 |
      client.port#12345 | dns.question.name=test.example.com | dns.question.class=IN | dns.question.type=AAAA |
      bind.log.question.flags=-`
  ],
  refused(
    "BIND9",
    "17-Feb-2018 23:06:56.326 queries: info: client 172.26.0.1 (test.example.com): query: test.example.com IN A + (172.26.0.3)"
  )
]
