import { dates } from "./grok-patterns-dates.ts"
import type { Samples } from "./sample.ts"

const label63 = "a".repeat(63)
const local64 = "l".repeat(64)

export const samples: Samples = {
  texts: {
    ...dates,
    USERNAME: { yes: ["root", "a.b_c-9"], no: ["", "a b", "a@b", "é"] },
    USER: { yes: ["www-data"], no: ["DOMAIN\\x"] },
    EMAILLOCALPART: {
      yes: ["a", "first.last", "a+tag", "!#$%&'*+/=?^_`{|}~-", local64],
      no: ["", ".a", "a.", "a..b", "a b", `${local64}l`]
    },
    EMAILADDRESS: {
      yes: ["a@example.com", "hello.world@123.net", `${local64}@b.cz`, "root@localhost"],
      no: ["a@", "@a.b", "a b@c.d", "a@-b.c", ".a@b.c", `${local64}l@b.cz`, "a@b@c"]
    },
    INT: { yes: ["0", "-12", "+7", "007"], no: ["", "-", "1.5", "--1", "1a"] },
    BASE10NUM: {
      yes: ["1", "-1", "+1.5", ".5", "-.25", "1234567890.0987"],
      no: ["", "1.", ".", "1.2.3", "--1", "1e5"]
    },
    NUMBER: { yes: ["0", "403", "12.9"], no: ["0x1f", "1,5", "+-1"] },
    BASE16NUM: { yes: ["ff", "0xDEADbeef", "-0x1", "+a"], no: ["", "0x", "g", "1.5"] },
    BASE16FLOAT: { yes: ["1f.8", "0xA.b", "12"], no: ["", ".", "x.1", "-"] },
    POSINT: { yes: ["1", "10", "65535"], no: ["0", "01", "-1", "1a", ""] },
    NONNEGINT: { yes: ["0", "007", "42"], no: ["-1", "1_", ""] },
    WORD: { yes: ["a", "foo_1", "42"], no: ["", "foo-bar", "foo bar", "Čierny"] },
    NOTSPACE: { yes: ["a,b;c", "é"], no: ["", "a b", "a\tb"] },
    SPACE: { yes: ["", "  ", " \t\n"], no: ["a", " a"] },
    DATA: { yes: ["", "anything at all", "two\nlines"], no: [] },
    GREEDYDATA: { yes: ["", "anything at all", "two\nlines"], no: [] },
    QUOTEDSTRING: {
      yes: ['""', "''", "``", '"a"', '"a \\" b"', "'it\\'s'", "`x`", '"a\'b"', '"\\\\"'],
      no: ["", '"', '"a', "a", '"a\\"', "\"a'", '"a"b"', '\\"a"']
    },
    QS: { yes: ['"-"', "'x y'"], no: ['"x'] },
    UUID: {
      yes: ["123e4567-e89b-12d3-a456-426614174000", "03A8413C-F604-4D21-8F4D-24B19D98B5A7"],
      no: [
        "123e4567e89b12d3a456426614174000",
        "123e4567-e89b-12d3-a456-42661417400",
        "g23e4567-e89b-12d3-a456-426614174000"
      ]
    },
    URN: {
      yes: ["urn:isbn:0451450523", "urn:example:a%20b", "urn:example:a/b?c#d", `urn:${"n".repeat(32)}:x`],
      no: [
        "URN:example:a",
        "urn:example",
        "urn:example:",
        "urn::x",
        "urn:-x:y",
        "urn:ex%41:y",
        `urn:${"n".repeat(33)}:x`,
        "urn:a:b c",
        "urn:a:%2"
      ]
    },
    MAC: { yes: ["00:1b:44:11:3a:b7", "00-1B-44-11-3A-B7", "001b.4411.3ab7"], no: ["00:1b:44:11:3a", "001b44113ab7"] },
    CISCOMAC: { yes: ["0a1b.2C3d.4e5f"], no: ["0a1b.2c3d", "0a1b.2c3d.4e5g"] },
    WINDOWSMAC: { yes: ["AA-bb-CC-00-11-22"], no: ["AA:bb:CC:00:11:22"] },
    COMMONMAC: { yes: ["aa:bb:cc:dd:ee:ff"], no: ["aa:bb:cc:dd:ee", "aa-bb-cc-dd-ee-ff", "aa:bb:cc:dd:ee:fg"] },
    IPV6: {
      yes: [
        "::",
        "::1",
        "1::",
        "2001:db8::ff00:42:8329",
        "2001:0DB8:0000:0000:0000:ff00:0042:8329",
        "1:2:3:4:5:6:7:8",
        "1:2:3:4:5:6:7::",
        "::2:3:4:5:6:7:8",
        "1::3:4:5:6:7:8",
        "1:2:3:4:5:6::8",
        "fe80::1%eth0",
        "fe80::1ff:fe23:4567:890a%2",
        "::ffff:192.0.2.128",
        "::192.0.2.1",
        "64:ff9b::192.0.2.33",
        "1:2:3:4:5:6:192.0.2.1",
        "1:2:3:4:5::192.0.2.1",
        "1::5:192.0.2.1"
      ],
      no: [
        "",
        ":",
        ":::",
        "1",
        "1:2",
        "1:2:3:4:5:6:7",
        "1:2:3:4:5:6:7:8:9",
        "1::2::3",
        ":1:2:3:4:5:6:7",
        "1:2:3:4:5:6:7:",
        "12345::",
        "::12345",
        "g::",
        "1::2:3:4:5:6:7:8",
        "::ffff:256.0.0.1",
        "1:2:3:4:5:6:7:192.0.2.1",
        "::1.2.3",
        "1.2.3.4"
      ]
    },
    IPV4: {
      yes: ["0.0.0.0", "127.0.0.1", "255.255.255.255", "192.168.001.010"],
      no: ["256.1.1.1", "1.2.3", "1.2.3.4.5", "1.2.3.400", "1.2.3.", "01234.1.1.1", "1,2,3,4"]
    },
    IP: { yes: ["10.0.0.1", "::1"], no: ["host", "300.1.1.1"] },
    HOSTNAME: {
      yes: [
        "localhost",
        "a",
        "example.com.",
        "a-b.c-d",
        "9.example",
        label63,
        `${label63}.${label63}`,
        "xn--bcher-kva.ch"
      ],
      no: ["", "-a", ".a", "a..b", "a_b", `${label63}a`, `a.${label63}b`, "a b"]
    },
    IPORHOST: { yes: ["example.com", "10.0.0.1", "fe80::1"], no: ["", "-x", "a_b"] },
    HOSTPORT: {
      yes: ["localhost:80", "10.0.0.1:443", "::1:8080"],
      no: ["localhost", "localhost:", "localhost:0", "h:1a"]
    },
    PATH: { yes: ["/usr/bin", "C:\\Windows", "\\\\host\\share"], no: ["usr", "C:", "./a"] },
    UNIXPATH: {
      yes: ["/", "/.", "//", "/usr/local/bin/", "/a-b_c.d,e:f+g~h", "/tmp/%41$x@y!", "/domácí/文"],
      no: ["", ".", "...", ".../-", "./,", "~/x", "a/b", "/a b", "/a*"]
    },
    TTY: {
      yes: ["/dev/pts/0", "/dev/tty1", "/dev/ttyp0", "/dev/ttyq12", "/dev/ttyS0", "/dev/ttyUSB10"],
      no: ["/dev/tty", "/dev/pts/", "/dev/null", "dev/tty1", "/dev/tty1x"]
    },
    WINPATH: {
      yes: [
        "C:\\",
        "C:\\Windows\\System32\\x.dll",
        "\\\\server\\share\\a b.txt",
        "HKLM:\\Software",
        "C:\\Čierný Peter\\.中.exe"
      ],
      no: ["", ".", ".\\", "C\\A\\B", "C:", "C:/Windows", "C:\\a?b", "C:\\*", "\\a"]
    },
    URIPROTO: { yes: ["http", "svn+ssh", "ms-x.y", "h2"], no: ["", "a", "1http", "a b", "http:"] },
    URIHOST: {
      yes: ["example.com", "example.com:8080", "[::1]", "[2001:db8::1]:443", "10.0.0.1:1"],
      no: ["", "h:", "h:0", "[::1"]
    },
    URIPATH: { yes: ["/", "/foo/", "/a%20b;c=d,e", "/~u/{x}/(y)/@z:1"], no: ["", "foo", "/a b", "/a?b", "/é"] },
    URIPATHPARAM: { yes: ["/", "/a?b=c&d[]=e|f", "/a?"], no: ["?a", "/a?b c", ""] },
    URIQUERY: { yes: ["", "a=b&c", "x[]='1'|<2>"], no: ["a b", '"a"'] },
    URIPARAM: { yes: ["?a=b", "?a[0]=<b>"], no: ["", "a=b", "?a b"] },
    URI: {
      yes: [
        "http://example.com",
        "https://user:secret@example.com:8443/a/b?c=d#e",
        "file:///etc/passwd",
        "ftp://anonymous@10.0.0.1/",
        "http://[2001:db8::7]:80/c",
        "http://h:81/?mail=a@b.c",
        "ldap://h"
      ],
      no: ["", "example.com", "http:/x", "://x", "http://a b", "1a://x"]
    },
    PROG: { yes: ["sshd", "postfix/smtpd", "ansible-<stdin>", "a\\b", "dhclient:"], no: ["", "a b", "a[1", "a]", "é"] },
    SYSLOGHOST: { yes: ["web-1.example.com", "::1"], no: ["", "a b"] },
    LOGLEVEL: {
      yes: (
        "alert Alert ALERT trace Trace TRACE debug Debug DEBUG notice Notice NOTICE info Info INFO inf warn Warn " +
        "WARN warning Warning WARNING err Err ERR error Error ERROR crit Crit CRIT critical Critical CRITICAL fatal Fatal " +
        "FATAL severe Severe SEVERE emerg Emerg EMERG emergency Emergency EMERGENCY information INFORMATION informational " +
        "er Er ER war War WAR cri Cri CRI Inf INF"
      ).split(" "),
      no: ["", "verbose", "warnings", "in", "inform", "eRROR", "InFo"]
    }
  },
  lines: [
    { name: "URIHOST", line: "example.com:8080", rows: [["port", "", 8080]] },
    { name: "URI", line: "see https://u:p@example.com:8443/x?y=1 there", rows: [["port", "", 8443]] },
    {
      name: "SYSLOGPROG",
      line: "sshd[4711]",
      rows: [
        ["program", "process.name", "sshd"],
        ["pid", "process.pid", 4711]
      ]
    },
    { name: "SYSLOGPROG", line: "kernel", rows: [["program", "process.name", "kernel"]] },
    {
      name: "SYSLOGFACILITY",
      line: "<13.6>",
      rows: [
        ["facility", "log.syslog.facility.code", 13],
        ["priority", "log.syslog.priority", 6]
      ]
    },
    {
      name: "SYSLOGBASE",
      line: "Feb  4 05:06:07 <4.6> web-1.example.com sudo[99]: pam",
      rows: [
        ["timestamp", "timestamp", "Feb  4 05:06:07"],
        ["facility", "log.syslog.facility.code", 4],
        ["priority", "log.syslog.priority", 6],
        ["logsource", "host.hostname", "web-1.example.com"],
        ["program", "process.name", "sudo"],
        ["pid", "process.pid", 99]
      ]
    }
  ],
  misses: {
    BASE10NUM: ["a", "--", "."],
    IPV4: ["1234.1.1.1", "1.1.1.1234", "256.256.256.256"],
    IPV6: ["10:20:30", "std::swap", "f00::12345"],
    EMAILADDRESS: ["nobody", "a @b"],
    SYSLOGPROG: ["", "[]"],
    SYSLOGFACILITY: ["<13>", "<a.b>"],
    SYSLOGBASE: ["2020-02-04 05:06:07 host prog: x", "Feb 4 05:06:07 host no colon"]
  }
}
