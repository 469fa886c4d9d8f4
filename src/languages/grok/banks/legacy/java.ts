/** Stack traces and the logs of Tomcat, with the field names of Logstash before ECS. */
export const patterns: Readonly<Record<string, string>> = {
  JAVACLASS: String.raw`[A-Za-z$_][\w$]*(?:\.[A-Za-z$_][\w$]*)*`,
  // With blanks: `Native Method` and `Unknown Source` can replace the file.
  JAVAFILE: String.raw`[\w$. -]+`,
  JAVAMETHOD: String.raw`(?:<(?:cl)?init>|[A-Za-z$_][\w$]*)`,
  // Since Java 9 the class may follow its loader and module: `app//com.example/` or `java.base@17/`. A search begins at
  // the first of a run of blanks: it would try each of them as the start otherwise.
  JAVASTACKTRACEPART:
    String.raw`(?:(?<!\s)%{SPACE}|\s{0,63})at (?:[\w.@-]*/)*%{JAVACLASS:class}\.%{JAVAMETHOD:method}` +
    String.raw`\(%{JAVAFILE:file}(?::%{NUMBER:line})?\)`,
  JAVATHREAD: String.raw`[A-Z]{2}-Processor\d+`,
  JAVALOGMESSAGE: ".*",

  // Since Java 20 there is a narrow no-break space before AM and PM.
  CATALINA_DATESTAMP: String.raw`%{MONTH} %{MONTHDAY}, %{YEAR} %{HOUR}:%{MINUTE}:%{SECOND}[ \u202F](?:AM|PM)`,
  TOMCAT_DATESTAMP: "%{YEAR}-%{MONTHNUM}-%{MONTHDAY} %{HOUR}:%{MINUTE}:%{SECOND} %{ISO8601_TIMEZONE}",
  CATALINALOG: "%{CATALINA_DATESTAMP:timestamp} %{JAVACLASS:class} %{JAVALOGMESSAGE:logmessage}",
  TOMCATLOG:
    String.raw`%{TOMCAT_DATESTAMP:timestamp} \| %{LOGLEVEL:level} \| ` +
    "%{JAVACLASS:class} - %{JAVALOGMESSAGE:logmessage}"
}
