import type { Row, Samples } from "./sample.ts"

const frame = (method: string, file: string): ReadonlyArray<Row> => [
  ["class", "java.log.origin.class.name", "com.example.Foo$1"],
  ["method", "log.origin.function", method],
  ["file", "log.origin.file.name", file]
]
const seven: ReadonlyArray<Row> = [
  ["timestamp", "timestamp", "Jan 9, 2014 7:13:13 AM"],
  ["class", "java.log.origin.class.name", "org.apache.catalina.startup.HostConfig"],
  ["logmessage", "", "deployDirectory\nINFO: Deploying /x"],
  ["", "log.origin.function", "deployDirectory"],
  ["", "log.level", "INFO"],
  ["", "message", "Deploying /x"]
]
const sevenLine = "Jan 9, 2014 7:13:13 AM org.apache.catalina.startup.HostConfig deployDirectory\nINFO: Deploying /x"
const eight: ReadonlyArray<Row> = [
  ["", "timestamp", "31-Jul-2020 16:40:38.451"],
  ["", "log.level", "SEVERE"],
  ["", "java.log.origin.thread.name", "http-nio-8080 [x"],
  ["", "java.log.origin.class.name", "org.apache.catalina.core.StandardContext"],
  ["", "log.origin.function", "<init>"],
  ["", "message", "Failed\nat a.b"]
]
const eightLine =
  "31-Jul-2020 16:40:38.451 SEVERE [http-nio-8080 [x] org.apache.catalina.core.StandardContext.<init> Failed\nat a.b"
const old: ReadonlyArray<Row> = [
  ["timestamp", "timestamp", "2014-01-09 20:03:28,269 -0800"],
  ["level", "log.level", "ERROR"],
  ["class", "java.log.origin.class.name", "com.example.service.ExampleService"],
  ["logmessage", "message", "something - broke"]
]
const oldLine = "2014-01-09 20:03:28,269 -0800 | ERROR | com.example.service.ExampleService - something - broke"

export const samples: Samples = {
  texts: {
    JAVACLASS: { yes: ["Foo", "com.example.Foo$Bar_1", "$x._y"], no: ["", "1a", "a..b", "a.", ".a", "a-b"] },
    JAVAFILE: { yes: ["Foo.java", "Native Method", "a-b_c$d.kt"], no: ["", "a/b", "a:1"] },
    JAVAMETHOD: { yes: ["run", "<init>", "<clinit>", "lambda$main$0", "_x"], no: ["", "<x>", "1a", "a.b"] },
    JAVATHREAD: { yes: ["TP-Processor1", "AB-Processor42"], no: ["tp-Processor1", "TP-Processor", "ABC-Processor1"] },
    JAVALOGMESSAGE: { yes: ["", "a\nb"], no: [] },
    CATALINA_DATESTAMP: {
      yes: ["Jan 9, 2014 7:13:13 AM", "Jan 09, 2014 12:13:13 PM", "Jan 9, 2014 7:13:13\u202fAM"],
      no: ["Jan 9 2014 7:13:13 AM", "Jan 9, 2014 7:13:13"]
    },
    CATALINA7_DATESTAMP: { yes: ["Jul 31, 2020 5:34:41 PM"], no: ["31-Jul-2020 16:40:38.451"] },
    CATALINA8_DATESTAMP: { yes: ["31-Jul-2020 16:40:38.451"], no: ["Jul 31, 2020 5:34:41 PM"] },
    TOMCATLEGACY_DATESTAMP: { yes: ["2014-01-09 20:03:28,269 -0800", "2014-01-09 20:03:28"], no: ["2014-01-09"] },
    TOMCAT_DATESTAMP: { yes: ["2014-01-09 20:03:28,269 -0800"], no: ["2014-01-09", "9 Jan 2014 20:03:28 -0800"] }
  },
  lines: [
    {
      name: "JAVASTACKTRACEPART",
      line: "\tat com.example.Foo$1.run(Foo.java:42)",
      rows: [...frame("run", "Foo.java"), ["line", "log.origin.file.line", 42]]
    },
    {
      name: "JAVASTACKTRACEPART",
      line: "  at app//com.example.Foo$1.<init>(Native Method)",
      rows: frame("<init>", "Native Method")
    },
    {
      name: "JAVASTACKTRACEPART",
      line: "at java.base@17.0.1/com.example.Foo$1.lambda$x$0(Unknown Source)",
      rows: frame("lambda$x$0", "Unknown Source")
    },
    { name: "CATALINALOG", line: sevenLine, rows: seven },
    { name: "CATALINALOG", line: eightLine, rows: eight, only: "ecs-v1" },
    { name: "CATALINA7_LOG", line: sevenLine, rows: seven },
    { name: "TOMCAT7_LOG", line: sevenLine, rows: seven },
    { name: "CATALINA8_LOG", line: eightLine, rows: eight },
    { name: "TOMCAT8_LOG", line: eightLine, rows: eight },
    { name: "TOMCATLOG", line: oldLine, rows: old },
    { name: "TOMCATLEGACY_LOG", line: oldLine, rows: old },
    { name: "TOMCATLOG", line: sevenLine, rows: seven, only: "ecs-v1" },
    { name: "TOMCATLOG", line: eightLine, rows: eight, only: "ecs-v1" }
  ],
  misses: {
    JAVASTACKTRACEPART: ["at com.example.Foo.run", "at Foo(Foo.java:1)", "com.example.Foo.run(Foo.java:1)"],
    CATALINALOG: [sevenLine.replace("AM", "XM"), "31-07-2020 16:40:38 x"],
    CATALINA7_LOG: [eightLine],
    TOMCAT7_LOG: [oldLine],
    CATALINA8_LOG: [sevenLine, eightLine.replace("SEVERE", "LOUD")],
    TOMCAT8_LOG: [sevenLine],
    TOMCATLOG: [oldLine.replaceAll("|", "/"), "2014-01-09 | ERROR | a - b"],
    TOMCATLEGACY_LOG: [eightLine]
  }
}
