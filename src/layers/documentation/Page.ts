import MarkdownIt from "markdown-it"
import sanitize from "sanitize-html"
import type { Locate } from "../../services/documentation/Renderer.ts"

const markdown = new MarkdownIt({ html: true, linkify: true, typographer: false })

/** Headings get the anchors that GitHub would give them: lower case, with hyphens for blanks. */
markdown.core.ruler.push("anchors", (state) => {
  const used = new Map<string, number>()
  state.tokens.forEach((token, at) => {
    if (token.type !== "heading_open") return
    const text = (state.tokens[at + 1]?.children ?? []).map(({ content }) => content).join("")
    const name = text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, "")
      .replaceAll(" ", "-")
    const times = used.get(name) ?? 0
    used.set(name, times + 1)
    token.attrSet("id", times === 0 ? name : `${name}-${times}`)
  })
})

const isRelative = (address: string): boolean => !/^([a-z][a-z0-9+.-]*:|\/|\\|#)/i.test(address.trim())

/** The attributes with the rewritten address, or without the address when it leads nowhere. */
const located = (attribs: sanitize.Attributes, name: string, locate: Locate): sanitize.Attributes => {
  const { [name]: address, ...others } = attribs
  if (address === undefined) return others
  const target = isRelative(address) ? locate(address) : address
  return target === undefined ? others : { ...others, [name]: target }
}

const headings = ["h1", "h2", "h3", "h4", "h5", "h6"]

const clean = (html: string, locate: Locate): string =>
  sanitize(html, {
    allowedTags: [...sanitize.defaults.allowedTags, "img", "del", "ins", "details", "summary"],
    allowedAttributes: {
      a: ["href", "title"],
      img: ["src", "alt", "title", "width", "height"],
      code: ["class"],
      ol: ["start"],
      th: ["align", "colspan", "rowspan", "style"],
      td: ["align", "colspan", "rowspan", "style"],
      ...Object.fromEntries(headings.map((tag) => [tag, ["id"]]))
    },
    allowedClasses: { code: [/^language-[\w-]+$/] },
    allowedStyles: { "*": { "text-align": [/^(left|right|center)$/] } },
    allowedSchemes: ["http", "https", "mailto"],
    allowedSchemesByTag: { img: ["http", "https", "data"] },
    allowProtocolRelative: false,
    transformTags: {
      a: (tagName, attribs) => ({ tagName, attribs: located(attribs, "href", locate) }),
      img: (tagName, attribs) => ({ tagName, attribs: located(attribs, "src", locate) })
    }
  })

const style = `
body { max-width: 50rem; margin: 2rem auto; padding: 0 1rem; font: 16px/1.6 system-ui, sans-serif; color: #222; }
pre, code { font: 14px/1.5 ui-monospace, monospace; background: #f4f4f4; border-radius: 4px; }
code { padding: 0.1em 0.3em; } pre { padding: 0.8rem 1rem; overflow-x: auto; } pre code { padding: 0; }
table { border-collapse: collapse; } th, td { border: 1px solid #ccc; padding: 0.3rem 0.6rem; }
img { max-width: 100%; } a { color: #0b57d0; }
@media (prefers-color-scheme: dark) { body { background: #111; color: #ddd; } pre, code { background: #222; } a { color: #8ab4f8; } }
`

const titleOf = (html: string): string =>
  /<h1[^>]*>(.*?)<\/h1>/s.exec(html)?.[1]?.replace(/<[^>]*>/g, "") ?? "Documentation"

/**
 * The HTML page of a Markdown text (CommonMark with tables), rendered by markdown-it and sanitised by sanitize-html.
 */
export const page = (source: string, locate: Locate): string => {
  const body = clean(markdown.render(source), locate)
  return `<!doctype html>
<html>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${titleOf(body)}</title>
<style>${style}</style>
</head>
<body>
${body}</body>
</html>
`
}
