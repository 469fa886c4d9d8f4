/** Elements that are not shown, nor is their text. */
export const hidden =
  "script style template noscript iframe object embed svg math form input textarea select button video audio canvas link meta title base".split(
    " "
  )

const names = new RegExp(`<(/?)(${hidden.join("|")})(?![\\w-])`, "gi")
/** Elements without an end tag: renamed, they would contain the rest of the page. */
const endless = /<(?:(?:base|input|link|meta)(?![\w-])[^>]*|(?:svg|math)(?:\s[^>]*)?\/)>/gi

/**
 * Parses a page into a document in which nothing is active: elements that browsers would run or load are renamed. The
 * shown elements are created anew anyway, but a browser would already apply the console's policy, and report
 * violations, while it only parses the page.
 */
export const inert = (html: string): Document =>
  new DOMParser().parseFromString(
    html
      .replace(endless, "")
      .replace(names, "<$1x-$2")
      .replace(/<[a-z][^>]*/gi, (tag) => tag.replace(/([\s"'/])(on[a-z]+|style)(?=[\s=/]|$)/gi, "$1data-$2")),
    "text/html"
  )
