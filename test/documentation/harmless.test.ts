import { expect, it } from "vitest"
import { page } from "../../src/layers/documentation/Page.ts"

const attempts = [
  "[a](javascript:alert(1))",
  "[a](java\nscript:alert(1))",
  '<a href="java\tscript:alert(1)">x</a>',
  '<a href=" &#14; javascript:alert(1)">x</a>',
  '<a href="&#106;avascript:alert(1)">x</a>',
  '<a href="data:text/html,<script>alert(1)</script>">x</a>',
  "<a href=vbscript:x>x</a>",
  "<img src=x onerror=alert(1)>",
  '<img src="javascript:alert(1)">',
  "<svg onload=alert(1)><script>alert(1)</script></svg>",
  "<math><mtext><script>1</script></mtext></math>",
  '<style>@import "x"</style>',
  '<td style="text-align:left;background:url(x)">x</td>',
  '<meta http-equiv=refresh content="0;url=x"><base href="//evil">',
  "<iframe src=x></iframe><object data=x></object><embed src=x><form action=x><input></form>",
  '<a href="//evil.example/">x</a>',
  "[x](//evil.example)",
  "<!-- --!><script>alert(1)</script> -->",
  "<scr<script>ipt>alert(1)</script>",
  '```"><script>\nx\n```',
  '<h1 id="x" onclick="a">x</h1>',
  "<details ontoggle=alert(1) open>x</details>",
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  '# a" onmouseover="x',
  "# <img src=x onerror=alert(1)> </title><script>alert(1)</script>"
]

const tags = /^(main|nav|a|img|p|h1|h2|pre|code|details|td|br|table|thead|tbody|tr|th|ul|li|em|strong|blockquote)$/
const attributes = /^(href|src|alt|title|id|class|style|align|aria-label)$/

it.each(attempts)("renders %j without anything that runs or leaves the page", (attempt) => {
  const markdown = `${attempt}\n\n${`## ${attempt.replaceAll("\n", " ")}\n\n`.repeat(3)}`
  const given = { markdown, file: "index.md", depth: 1 }
  const html = page(given, given)
  expect(html).toContain('<nav class="pages"')
  const body = html.slice(html.indexOf("<body>") + 6, html.indexOf("</body>"))
  for (const [tag, name = "", rest = ""] of body.matchAll(/<\/?([a-zA-Z][^\s/>]*)((?:"[^"]*"|[^>"])*)>/g)) {
    expect([tag, tags.test(name)]).toEqual([tag, true])
    for (const [, attribute = "", value = ""] of rest.matchAll(/([^\s=/]+)="([^"]*)"/g)) {
      expect([tag, attributes.test(attribute)]).toEqual([tag, true])
      if (attribute === "href") expect([tag, /^(https?:|mailto:|(\.\/)?[^:/]*$)/.test(value)]).toEqual([tag, true])
      if (attribute === "style") expect(value).toBe("text-align:left")
    }
  }
  expect(/<title>(.*)<\/title>/.exec(html)?.[1]).not.toContain("<")
})
