/** Elements of which nothing is shown, not even their text. */
export const hidden =
  "script style template noscript iframe object embed svg math form input textarea select button video audio canvas link meta title base".split(
    " "
  )

const names = new RegExp(`<(/?)(${hidden.join("|")})(?![\\w-])`, "gi")
/** Those that have no end: with another name they would hold what follows. */
const endless = /<(?:(?:base|input|link|meta)(?![\w-])[^>]*|(?:svg|math)(?:\s[^>]*)?\/)>/gi

/**
 * A page as a document in which nothing has a meaning: what browsers would run or load has other names. What is shown of
 * it is made anew anyway; but the policy of the console is asked, and reports, while a page is only read.
 */
export const inert = (html: string): Document =>
  new DOMParser().parseFromString(
    html
      .replace(endless, "")
      .replace(names, "<$1x-$2")
      .replace(/<[a-z][^>]*/gi, (tag) => tag.replace(/([\s"'/])(on[a-z]+|style)(?=[\s=/]|$)/gi, "$1data-$2")),
    "text/html"
  )
