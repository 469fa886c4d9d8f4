import { GatewayError } from "@flow-gateway/client/light"
import { answering, gateway } from "../../app/gateway.ts"
import { nameOf, targetOf } from "./addresses.ts"
import { hidden, inert } from "./inert.ts"
import { type Page, readPage, rootOf } from "./pageOf.ts"
import type { PageText } from "./search.ts"

/** The pages that have been loaded so far. */
export interface Corpus {
  readonly pages: ReadonlyArray<PageText>
  /** Known pages, including those that are not loaded yet. */
  readonly known: number
  /** Pages that could not be loaded. */
  readonly failed: number
  readonly isDone: boolean
}

/** Maximum number of pages and characters to load. */
const mostPages = 800
const mostText = 16 * 1024 * 1024
/** Number of concurrent requests. */
const atOnce = 6
const tries = 6

/** The text of a page without Markdown syntax, which nobody searches for. */
const plainText = (markdown: string): string =>
  markdown
    .replace(/<!--[\s\S]*?-->/g, "")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/^#+\s+/gm, "")
    .replace(/[`*]/g, "")
    .replace(/\s+/g, " ")
    .trim()

/** The title, headings and text of a source, and the pages that it links to. */
export const readSource = (
  path: string,
  source: string
): { readonly page: PageText; readonly links: ReadonlyArray<string> } => {
  const isHtml = path.endsWith(".html")
  const document = isHtml ? inert(source) : undefined
  for (const one of document?.querySelectorAll(hidden.map((name) => `x-${name}`).join()) ?? []) one.remove()
  const headings = document
    ? [...document.querySelectorAll("h1, h2, h3")].map(({ textContent }) => textContent)
    : [...source.matchAll(/^#{1,3}\s+(.+?)\s*#*$/gm)].map(([, heading = ""]) => plainText(heading))
  const text = document ? document.body.textContent.replace(/\s+/g, " ").trim() : plainText(source)
  const links = document
    ? [...document.querySelectorAll("a[href]")].map((link) => link.getAttribute("href") ?? "")
    : [...source.matchAll(/\]\(([^)\s]+)/g)].map(([, link = ""]) => link)
  const title = headings[0] ?? (nameOf(path) || path)
  return {
    page: { path, title, headings: headings.join(" ").toLowerCase(), text, lower: text.toLowerCase() },
    links
  }
}

interface ConfNode {
  readonly path: string
  readonly isFile: boolean
  readonly children: Readonly<Record<string, ConfNode>>
}

const filesOf = (node: ConfNode | undefined): ReadonlyArray<string> =>
  node === undefined ? [] : node.isFile ? [node.path] : Object.values(node.children).flatMap(filesOf)

const isPage = (path: string): boolean => /\.(?:md|html)$/.test(path)

const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((done, failed) => {
    const timer = setTimeout(done, ms)
    signal.addEventListener("abort", () => {
      clearTimeout(timer)
      failed(signal.reason)
    })
  })

/** A source; undefined if the page does not exist. Requests to a busy gateway are repeated. */
const sourceOf = async (tenant: string, path: string, signal: AbortSignal): Promise<string | undefined> => {
  for (let round = 1; ; round++) {
    try {
      return await answering(() => readPage(tenant, path, { accept: "text/markdown" }, signal))
    } catch (error) {
      signal.throwIfAborted()
      const { status } = error as GatewayError
      if (status === 404 || status === 400) return undefined
      if (round === tries || (status !== 429 && status !== 503)) throw error
      await pause(500 * 2 ** round, signal)
    }
  }
}

/**
 * Loads all pages of a tenant's documentation and of the product's: those that the navigation links to, the tenant's
 * files, and all pages that these link to.
 *
 * @param told receives the pages that have been loaded so far
 */
export const readCorpus = async (
  tenant: string,
  navigation: Page,
  signal: AbortSignal,
  told: (corpus: Corpus) => void
): Promise<void> => {
  const root = rootOf(tenant)
  const known = new Set<string>()
  const waiting: Array<string> = []
  const pages: Array<PageText> = []
  let failed = 0
  let size = 0
  const add = (path: string) => {
    if (!isPage(path) || known.has(path) || known.size >= mostPages) return
    known.add(path)
    waiting.push(path)
  }
  const links = (addresses: Iterable<string>, base: string) => {
    for (const address of addresses) {
      const target = targetOf(address, base, root)
      if (target?.kind === "page") add(target.path)
    }
  }
  const tree = await answering(() => gateway.conf.tree({ params: { tenant } }, { signal })).catch(() => ({}))
  signal.throwIfAborted()
  const own = (tree as Readonly<Record<string, ConfNode>>)["documentation"]
  for (const path of filesOf(own)) add(path.replace(/^documentation\//, ""))
  const shown = navigation.navigation?.querySelectorAll("a[href]") ?? []
  links(
    [...shown].map((link) => link.getAttribute("href") ?? ""),
    navigation.place.base
  )
  add("README.md")
  const state = (isDone: boolean): Corpus => ({ pages: [...pages], known: known.size, failed, isDone })
  const worker = async () => {
    for (let path = waiting.shift(); path !== undefined && size < mostText; path = waiting.shift()) {
      try {
        const source = await sourceOf(tenant, path, signal)
        if (source === undefined) {
          known.delete(path)
          continue
        }
        size += source.length
        const found = readSource(path, source)
        pages.push(found.page)
        links(found.links, root + path)
      } catch (error) {
        signal.throwIfAborted()
        if (!(error instanceof GatewayError)) throw error
        failed += 1
      }
      told(state(false))
    }
  }
  // A page may link to further pages, until all other workers are done.
  while (waiting.length > 0 && size < mostText) await Promise.all(Array.from({ length: atOnce }, worker))
  told(state(true))
}
