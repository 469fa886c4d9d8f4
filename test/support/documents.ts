import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

export const root = fileURLToPath(new URL("../../", import.meta.url))

export const read = (path: string): string => readFileSync(join(root, path), "utf8")

const below = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((file) => join(folder, file))

/** Every Markdown file of the project, by its path from the root. */
export const documents: ReadonlyArray<string> = [...readdirSync(root), ...below("docs"), ...below("examples")].filter(
  (file) => file.endsWith(".md")
)

/** The page of each problem, by its name in `type`. */
export const problemPages: ReadonlyArray<string> = readdirSync(join(root, "docs/problems")).map((file) =>
  file.replace(/\.md$/, "")
)

export interface Fence {
  readonly language: string
  readonly text: string
}

/** The fenced blocks of a Markdown text, in order. */
export const fences = (markdown: string): ReadonlyArray<Fence> =>
  [...markdown.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, language = "", text = ""]) => ({ language, text }))

/** The text below a heading, up to the next one of the same level. */
export const section = (markdown: string, heading: string): string => {
  const rank = /^#+/.exec(heading)![0]
  const start = markdown.indexOf(`\n${heading}\n`)
  if (start === -1) throw new Error(`There is no heading "${heading}"`)
  const rest = markdown.slice(start + heading.length + 2)
  const end = new RegExp(`^${rank} `, "m").exec(rest)
  return end === null ? rest : rest.slice(0, end.index)
}
