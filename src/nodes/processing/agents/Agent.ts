import type { Fields } from "../../../languages/FieldPath.ts"

/** Characters of a user agent that are looked at. */
const maxLength = 1024

const product = "([A-Za-z][^/:;,()]{0,63})/(?=[^\\s;,()\\d]*\\d)([^\\s;,()]{1,64})"
/** The name of a crawler: `Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)`. */
const crawler = new RegExp(`^Mozilla/.*\\bcompatible; ${product}`)
/** The product that a program names first, as in `docker/20.10.7 go/go1.13.15`; behind `Mozilla`, which says nothing. */
const programs = [
  new RegExp(`^(?!Mozilla/)${product}`),
  new RegExp(`^Mozilla/\\S+ (?:\\([^)]*\\) )?(?:Gecko/\\S+ )?${product}`),
  /^(Mozilla)\/(\S+) /
]

/** Words by which programs that read sites by themselves call themselves. `CUBOT` makes telephones. */
const robot = /(?<!cu)bots?(?![a-z])|crawl|spider|slurp|scraper|fetcher|archiver|mediapartners/i
/** Browsers do not name a page about themselves. */
const page = /^Mozilla\/.*\+https?:/
/** A word that may be a name, which is not one of an address, and its version. */
const named = /(?<=^|[\s;(])([A-Za-z][\w.!-]{0,63})(?:\/([^\s;,()]{1,64}))?(?=[\s;,()]|$)/g

/** What the parser takes for tablets, computers or nothing. */
const television =
  /\b(?:BRAVIA|Apple ?TV|Google ?TV|Android TV|CrKey|HbbTV|S(?:MART|mart)-?TV|PlayStation \d)|; AFT[A-Z]{1,6}\b/
const system = /\b(?:FreeBSD|OpenBSD|NetBSD|DragonFly|SunOS)\b/

interface Product {
  readonly name?: string | undefined
  readonly version?: string | undefined
}

const productIn = (text: string, patterns: ReadonlyArray<RegExp>): Product | undefined => {
  for (const pattern of patterns) {
    const found = pattern.exec(text)
    if (found !== null) return { name: found[1], version: found[2] }
  }
  return undefined
}

const robotIn = (text: string): Product | undefined => {
  for (const [, name = "", version] of text.matchAll(named)) if (robot.test(name)) return { name, version }
  return undefined
}

/** The parser knows browsers and some crawlers. Of other texts it takes all before a slash for a name. */
const programOf = (text: string, parsed: Product, isKnownCrawler: boolean, isRobot: boolean): Product => {
  const isGuess = !text.startsWith("Opera/") && text.startsWith(`${parsed.name ?? ""}/`)
  if (isKnownCrawler && !isGuess) return parsed
  const isKnown = (parsed.name ?? "") !== "" && !isGuess
  const own = productIn(text, [crawler]) ?? (isRobot ? robotIn(text) : undefined)
  return own ?? (isKnown ? parsed : (productIn(text, programs) ?? {}))
}

/** The members that have a text. */
const filled = (members: Readonly<Record<string, string | undefined>>): Fields =>
  Object.fromEntries(Object.entries(members).filter((member): member is [string, string] => (member[1] ?? "") !== ""))

/** Loads what reads user agents; it gives undefined for a text that tells nothing. */
export const agentReader = async (): Promise<(text: string) => Fields | undefined> => {
  const { default: bowser } = await import("bowser")

  /** `Version/4.0` is Safari's, or the one of Android's web view, where another browser is named. */
  const versionOf = (text: string, { name, version }: Product): string | undefined => {
    if (text.startsWith("Opera/") || !text.includes(" Version/")) return version
    const own: Product = bowser.parse(text.replace(/ Version\/\S+/, "")).browser
    return (own.name === name ? own.version : undefined) || version
  }

  return (text) => {
    const cut = text.slice(0, maxLength)
    if (cut.trim() === "") return undefined
    const { browser, os, platform, engine } = bowser.parse(cut)
    const isKnownCrawler = platform.type === "bot"
    const isRobot = isKnownCrawler || robot.test(cut) || page.test(cut)
    const named = { name: browser.name, version: versionOf(cut, browser) }
    const { name, version } = programOf(cut, named, isKnownCrawler, isRobot)
    const type = television.test(cut) ? "tv" : platform.type || (cut.includes("(X11;") ? "desktop" : undefined)
    const { vendor, model } = platform
    const parts = {
      ...filled({ name, version }),
      os: filled({
        name: os.name || system.exec(cut)?.[0],
        version: os.version,
        full: os.name && os.versionName && `${os.name} ${os.versionName}`
      }),
      device: isRobot ? filled({ type: "bot", vendor: isKnownCrawler ? vendor : "" }) : filled({ type, vendor, model }),
      engine: filled({ name: engine.name, version: engine.version })
    }
    const found = Object.entries(parts).filter(([, part]) => typeof part === "string" || Object.keys(part).length > 0)
    return found.length === 0 ? undefined : Object.fromEntries(found)
  }
}
