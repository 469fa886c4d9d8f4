/** A text on one line of YAML. */
export const quoted = (text: string): string =>
  // JSON is YAML, except for these characters, which YAML would take for a line end.
  /[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff]/.test(text)
    ? JSON.stringify(text).replace(
        /[\u007f-\u009f\u2028\u2029\ufeff]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
      )
    : `'${text.replaceAll("'", "''")}'`

/** A multi-line text, as a block if possible, without trailing line ends. */
export const block = (text: string, indent: string): string => {
  const plain = text.replace(/\n+$/, "")
  if (/[^\n\t\u0020-\u007e\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe]/.test(plain) || /^[ \t]|^\n/.test(plain)) {
    return quoted(plain)
  }
  if (!plain.includes("\n")) return quoted(plain)
  return `|-\n${plain
    .split("\n")
    .map((line) => (line === "" ? "" : indent + line))
    .join("\n")}`
}
