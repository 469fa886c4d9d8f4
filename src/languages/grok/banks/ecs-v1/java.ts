import { patterns as legacy } from "../legacy/java.ts"

const { CATALINA_DATESTAMP, TOMCAT_DATESTAMP, CATALINALOG, TOMCATLOG, ...general } = legacy

/** Stack traces and the logs of Tomcat, with the field names of the Elastic Common Schema. */
export const patterns: Readonly<Record<string, string>> = {
  ...general,
  JAVASTACKTRACEPART:
    String.raw`(?:(?<!\s)%{SPACE}|\s{0,63})at (?:[\w.@-]*/)*%{JAVACLASS:[java][log][origin][class][name]}\.` +
    "%{JAVAMETHOD:[log][origin][function]}" +
    String.raw`\(%{JAVAFILE:[log][origin][file][name]}(?::%{INT:[log][origin][file][line]:int})?\)`,

  // Tomcat 7: two lines, the message on the second.
  CATALINA7_DATESTAMP: String.raw`%{MONTH} %{MONTHDAY}, %{YEAR} %{HOUR}:%{MINUTE}:%{SECOND}[ \u202F](?:AM|PM)`,
  CATALINA7_LOG:
    "%{CATALINA7_DATESTAMP:timestamp} %{JAVACLASS:[java][log][origin][class][name]}" +
    String.raw`(?: %{JAVAMETHOD:[log][origin][function]})?\s+(?:%{LOGLEVEL:[log][level]}: )?%{JAVALOGMESSAGE:message}`,
  // Tomcat 8 and later: one line with the thread.
  CATALINA8_DATESTAMP: "%{MONTHDAY}-%{MONTH}-%{YEAR} %{HOUR}:%{MINUTE}:%{SECOND}",
  CATALINA8_LOG:
    "%{CATALINA8_DATESTAMP:timestamp} %{LOGLEVEL:[log][level]} " +
    String.raw`\[%{DATA:[java][log][origin][thread][name]}\] %{JAVACLASS:[java][log][origin][class][name]}\.` +
    "(?:%{JAVAMETHOD:[log][origin][function]})? %{JAVALOGMESSAGE:message}",
  CATALINA_DATESTAMP: "(?:%{CATALINA8_DATESTAMP}|%{CATALINA7_DATESTAMP})",
  CATALINALOG: "(?:%{CATALINA8_LOG}|%{CATALINA7_LOG})",

  TOMCAT7_LOG: "%{CATALINA7_LOG}",
  TOMCAT8_LOG: "%{CATALINA8_LOG}",
  TOMCATLEGACY_DATESTAMP: "%{YEAR}-%{MONTHNUM}-%{MONTHDAY} %{HOUR}:%{MINUTE}:%{SECOND}(?: %{ISO8601_TIMEZONE})?",
  TOMCATLEGACY_LOG:
    String.raw`%{TOMCATLEGACY_DATESTAMP:timestamp} \| %{LOGLEVEL:[log][level]} \| ` +
    "%{JAVACLASS:[java][log][origin][class][name]} - %{JAVALOGMESSAGE:message}",
  TOMCAT_DATESTAMP: "(?:%{CATALINA8_DATESTAMP}|%{CATALINA7_DATESTAMP}|%{TOMCATLEGACY_DATESTAMP})",
  TOMCATLOG: "(?:%{TOMCAT8_LOG}|%{TOMCAT7_LOG}|%{TOMCATLEGACY_LOG})"
}
