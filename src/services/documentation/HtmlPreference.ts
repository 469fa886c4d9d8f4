/**
 * Whether an Accept header prefers HTML to the Markdown source: it names text/html or application/xhtml+xml with a
 * weight that is not lower than that of Markdown. A wildcard alone selects the source.
 */
export const wantsHtml = (accept = ""): boolean => {
  let [html, source] = [0, 0]
  for (const entry of accept.toLowerCase().split(",")) {
    const [type = "", ...parameters] = entry.split(";").map((part) => part.trim())
    const weight = Number(parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? 1)
    if (Number.isNaN(weight)) continue
    if (type === "text/html" || type === "application/xhtml+xml") html = Math.max(html, weight)
    if (type === "text/markdown" || type === "text/x-markdown") source = Math.max(source, weight)
  }
  return html > 0 && html >= source
}
