/** Versions of Maven's artifacts. */
export const patterns: Readonly<Record<string, string>> = {
  MAVEN_VERSION:
    String.raw`(?:\d+\.){0,3}(?:\*|\d+)` +
    String.raw`(?:[.-](?i:release|snapshot|final|ga|sp\d*|(?:alpha|beta|milestone|m|rc|cr)[.-]?\d*)(?![A-Za-z])){0,2}`
}
