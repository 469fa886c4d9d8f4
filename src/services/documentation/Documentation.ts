import { Context, Effect, Layer, type Scope, Stream } from "effect"
import { NotFound } from "../../errors/NotFound.ts"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { ConfFile } from "../conf/Conf.ts"
import type { TenantId } from "../shared/Tenant.ts"
import { type PageFolder, Pages } from "./Pages.ts"

/** What a path resolves to: a file, or a generated list of the pages in a folder. */
export type Page =
  | { readonly _tag: "File"; readonly path: string; readonly file: ConfFile }
  | { readonly _tag: "List"; readonly path: string; readonly markdown: string }

/** The files that a path may mean, in order of preference. */
const candidates = (path: string): ReadonlyArray<string> => {
  const named = path === "" ? [] : [path, `${path}.md`, `${path}.html`]
  const inside = ["index.md", "index.html", "README.md"].map((name) => (path === "" ? name : `${path}/${name}`))
  return [...named, ...inside]
}

/** The path without an optional trailing slash or `index`. */
const folderAsked = (path: string): string => path.replace(/\/$/, "").replace(/(^|\/)index(\.md|\.html)?$/, "")

const isPage = (path: string): boolean => /\.(md|html)$/.test(path)

const escaped = (text: string): string => text.replace(/[\\[\]<>`*_&]/g, "\\$&")

/** The page of the product that lists its other pages. */
const productIndex = "README.md"

/** A list shows the first heading of at most this many pages; it shows the paths of the others. */
const maxTitles = 200
/** The navigation beside a page links to at most this many pages of the tenant, and to the list of all. */
const maxBeside = 50
/** The heading of a page is expected within its first bytes. */
const titleBytes = 2048

export class Documentation extends Context.Service<
  Documentation,
  {
    /** Opens a page until the scope closes. An empty `path` is the start page. */
    readonly open: (tenant: TenantId, path: string) => Effect.Effect<Page, NotFound | StorageUnreachable, Scope.Scope>
    /** Markdown with links to the tenant's pages and, under the headings of its index, the product's. */
    readonly navigation: (tenant: TenantId) => Effect.Effect<string, StorageUnreachable>
  }
>()("flow/documentation/Documentation") {
  static readonly layer = Layer.effect(
    Documentation,
    Effect.gen(function* () {
      const pages = yield* Pages

      const title = (shelf: PageFolder, path: string) =>
        Effect.scoped(
          Effect.gen(function* () {
            const file = yield* shelf.open(path)
            if (typeof file === "string") return path
            const span = { start: 0, end: Math.min(file.size, titleBytes) }
            const text = yield* Stream.mkString(Stream.decodeText(file.read(span)))
            return /^#\s+(.+?)\s*#*\s*$/m.exec(text)?.[1] ?? path
          })
        )

      const linesOf = Effect.fnUntraced(function* (
        shelf: PageFolder,
        folder: string,
        hidden: ReadonlySet<string>,
        most = Number.POSITIVE_INFINITY
      ) {
        const prefix = folder === "" ? "" : `${folder}/`
        const all = (yield* shelf.list).filter((path) => path.startsWith(prefix) && isPage(path) && !hidden.has(path))
        const found = all.slice(0, most)
        const titles = yield* Effect.forEach(found.slice(0, maxTitles), (path) => title(shelf, path), {
          concurrency: 8
        })
        return found.map((path, at) => {
          return `- [${escaped(titles[at] ?? path)}](${path.slice(prefix.length).split("/").map(encodeURIComponent).join("/")})`
        })
      })

      const list = Effect.fnUntraced(function* (tenant: TenantId, folder: string) {
        const shelf = pages.tenant(tenant)
        const own = yield* linesOf(shelf, folder, new Set())
        const product = yield* linesOf(pages.product, folder, new Set(yield* shelf.list))
        if (own.length + product.length === 0) return undefined
        const heading = folder === "" ? "Documentation" : escaped(folder)
        const parts = [[`# ${heading}`], own, product.length === 0 ? [] : ["## The gateway"], product]
        const markdown = parts
          .filter((lines) => lines.length > 0)
          .map((lines) => `${lines.join("\n")}\n`)
          .join("\n")
        const page: Page = { _tag: "List", path: folder === "" ? "index.md" : `${folder}/index.md`, markdown }
        return page
      })

      const find = Effect.fnUntraced(function* (shelf: PageFolder, names: ReadonlyArray<string>) {
        for (const name of names) {
          const file = yield* shelf.open(name)
          if (typeof file === "string") continue
          const page: Page = { _tag: "File", path: name, file }
          return page
        }
        return undefined
      })

      /** The headings of the product's index, and under each the links that begin its lines. */
      const productLinks = Effect.scoped(
        Effect.gen(function* () {
          const index = yield* pages.product.open(productIndex)
          if (typeof index === "string") return []
          const text = yield* Stream.mkString(Stream.decodeText(index.read()))
          return [...text.matchAll(/^(?:## .*|- \[[^\]]*\]\((?!\.\.)[^)]*\))/gm)].map(([line]) =>
            line.startsWith("##") ? `\n**${line.slice(3)}**\n` : line
          )
        })
      )

      return Documentation.of({
        navigation: Effect.fn("Documentation.navigation")(function* (tenant) {
          const own = yield* linesOf(pages.tenant(tenant), "", new Set(["index.md"]), maxBeside)
          return ["- [Start](index.md)", ...own, ...(yield* productLinks), ""].join("\n")
        }),
        open: Effect.fn("Documentation.open")(function* (tenant, asked) {
          const folder = folderAsked(asked)
          const path = asked.replace(/\/$/, "")
          const names = folder === path ? candidates(path) : [...candidates(path), ...candidates(folder)]
          // The root list includes the tenant's pages and the product's: the product's start page would hide the
          // tenant's.
          const shelves = folder === "" ? [pages.tenant(tenant)] : [pages.tenant(tenant), pages.product]
          for (const shelf of shelves) {
            const page = yield* find(shelf, names)
            if (page !== undefined) return page
          }
          const listed = yield* list(tenant, folder)
          return listed ?? (yield* new NotFound({ kind: "page", tenant, id: asked }))
        })
      })
    })
  )
}
