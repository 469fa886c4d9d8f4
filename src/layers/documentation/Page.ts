import MarkdownIt from "markdown-it"
import sanitize from "sanitize-html"
import { locator } from "../../services/documentation/Links.ts"
import type { Source } from "../../services/documentation/Renderer.ts"

/** Maps a relative link or image address to the address to write, or to undefined when it leads nowhere. */
type Locate = (address: string) => string | undefined

const markdown = new MarkdownIt({ html: true, linkify: true, typographer: false })

/** Headings get the anchors that GitHub would give them: lower case, with hyphens for blanks. */
markdown.core.ruler.push("anchors", (state) => {
  const used = new Map<string, number>()
  for (const { token, text } of headingsOf(state.tokens)) {
    const name = text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, "")
      .replaceAll(" ", "-")
    const times = used.get(name) ?? 0
    used.set(name, times + 1)
    token.attrSet("id", times === 0 ? name : `${name}-${times}`)
  }
})

type Token = ReturnType<typeof markdown.parse>[number]

const headingsOf = (tokens: ReadonlyArray<Token>) =>
  tokens.flatMap((token, at) => {
    if (token.type !== "heading_open") return []
    return { token, text: (tokens[at + 1]?.children ?? []).map(({ content }) => content).join("") }
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

const { escapeHtml } = markdown.utils

/** A text with fewer sections gets no table of contents. */
const fewSections = 3

const contentsOf = (tokens: ReadonlyArray<Token>): string => {
  const sections = headingsOf(tokens).filter(({ token }) => token.tag === "h2" && token.attrGet("id") !== "")
  if (sections.length < fewSections) return ""
  const links = sections.map(({ token, text }) => {
    return `<li><a href="#${escapeHtml(`${token.attrGet("id")}`)}">${escapeHtml(text)}</a></li>\n`
  })
  return `<nav class="contents" aria-label="Contents of this page">\n<ul>\n${links.join("")}</ul>\n</nav>\n`
}

const style = `
body { margin: 0; font: 16px/1.6 system-ui, sans-serif; color: #222; background: #fff; }
main { max-width: 50rem; margin: 2rem auto; padding: 0 1rem; }
pre, code { font: 14px/1.5 ui-monospace, monospace; background: #f4f4f4; border-radius: 4px; }
code { padding: 0.1em 0.3em; } pre { padding: 0.8rem 1rem; overflow-x: auto; } pre code { padding: 0; }
table { border-collapse: collapse; display: block; overflow-x: auto; } th, td { border: 1px solid #ccc; padding: 0.3rem 0.6rem; }
img { max-width: 100%; } a { color: #0b57d0; }
nav { font-size: 14px; line-height: 1.4; padding: 0 1rem; } nav ul { list-style: none; padding: 0; } nav li { margin: 0.3rem 0; }
nav p { margin: 1rem 0 0.3rem; } nav a { text-decoration: none; } nav a:hover { text-decoration: underline; }
.contents { border-left: 3px solid #ccc; }
@media (min-width: 80rem) {
  body { display: grid; grid-template: "pages main contents" auto / 15rem minmax(0, 52rem) 15rem; justify-content: center; }
  main { grid-area: main; margin-top: 0; } .pages { grid-area: pages; } .contents { grid-area: contents; align-self: start; margin-top: 2rem; }
  .pages, .contents { position: sticky; top: 0; max-height: 100vh; overflow-y: auto; box-sizing: border-box; }
}
@media (prefers-color-scheme: dark) { body { background: #111; color: #ddd; } pre, code { background: #222; } a { color: #8ab4f8; } img { background: #fff; } }
`

const titleOf = (html: string): string =>
  /<h1[^>]*>(.*?)<\/h1>/s.exec(html)?.[1]?.replace(/<[^>]*>/g, "") ?? "Documentation"

/**
 * The HTML page of a Markdown text (CommonMark with tables), rendered by markdown-it and sanitised by sanitize-html. On
 * a narrow screen the contents are above the text, and the navigation is below it.
 */
export const page = (text: Source, navigation: Source): string => {
  const tokens = markdown.parse(text.markdown, {})
  const html = clean(markdown.renderer.render(tokens, markdown.options, {}), locator(text.file, text.depth))
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${titleOf(html)}</title>
<style>${style}</style>
</head>
<body>
${contentsOf(tokens)}<main>
${html}</main>
<nav class="pages" aria-label="Pages">
${clean(markdown.render(navigation.markdown), locator(navigation.file, navigation.depth))}</nav>
</body>
</html>
`
}
