import { renameSync, rmSync } from "node:fs"
import { readdir, readFile, writeFile } from "node:fs/promises"
import { basename, join, resolve } from "node:path"
import { parseArgs, promisify } from "node:util"
import { constants, gzip, gzipSync, zstdCompress } from "node:zlib"
import type { Plugin, Rolldown } from "vite"
import { packagePath } from "../src/drivers/Package.ts"

// Builds the console into packages/console/dist, which the gateway serves. `npm ci` runs this; without the packages for
// development there is no console. It fails when a page loads more than it may.

/** Bytes, compressed by gzip, that the front page may load before its reader does anything. */
const frontPageLimit = 220_000
/** Bytes that any other page may load beyond that. */
const pageLimit = 100_000
/** Bytes that a page with a DAG may load in all, before its reader does anything. */
export const dagLimit = 320_000
/** What those pages load by themselves. */
const dagPages: Readonly<Record<string, ReadonlyArray<string>>> = {
  "A flowline": [
    "/main.tsx",
    "/pages/flowlines/FlowlinesPage.tsx",
    "/pages/flowlines/EditView.tsx",
    "/pages/flowlines/editing.ts",
    "/@codemirror/lang-yaml/dist/index.js",
    "/parts/dag/Picture.tsx"
  ],
  "A run": ["/main.tsx", "/pages/runs/RunPage.tsx", "/parts/dag/Picture.tsx"]
}
const frontPage = /\/(?:main|pages\/tester\/TesterPage)\.tsx$/
const anyPage = /\/pages\/\w+\/(\w+)Page\.tsx$/

const english = packagePath("packages/console/src/texts/en.ts")

interface Size {
  readonly file: string
  readonly bytes: number
}

/** What a chunk loads with itself, styles included. */
const loadedBy = (output: Rolldown.RolldownOutput["output"], start: ReadonlyArray<string>): ReadonlySet<string> => {
  const found = new Set<string>()
  const visit = (name: string): void => {
    if (found.has(name)) return
    found.add(name)
    const chunk = output.find(({ fileName }) => fileName === name)
    if (chunk?.type !== "chunk") return
    for (const other of chunk.imports) visit(other)
    for (const style of chunk.viteMetadata?.importedCss ?? []) visit(style)
  }
  for (const name of start) visit(name)
  return found
}

interface PageSize {
  readonly page: string
  readonly bytes: number
}

/**
 * What is loaded before the reader does anything: by the front page, by each other page beyond that, and by pages with a
 * DAG in all.
 */
export interface Sizes {
  readonly front: ReadonlyArray<Size>
  readonly pages: ReadonlyArray<PageSize>
  readonly dags: ReadonlyArray<PageSize>
}

const sum = (sizes: ReadonlyArray<Size>): number => sizes.reduce((total, { bytes }) => total + bytes, 0)

/** The sizes in gzip of what pages load. */
export const sizesOf = (output: Rolldown.RolldownOutput["output"]): Sizes => {
  const sizes = (names: ReadonlySet<string>): ReadonlyArray<Size> =>
    output
      .filter(({ fileName }) => names.has(fileName))
      .map((one) => ({
        file: one.fileName,
        bytes: gzipSync(one.type === "chunk" ? one.code : one.source, { level: 9 }).length
      }))
  const starts = output.filter(
    (one) => one.type === "chunk" && (one.isEntry || frontPage.test(one.facadeModuleId ?? ""))
  )
  const front = loadedBy(output, ["index.html", ...starts.map(({ fileName }) => fileName)])
  const pages = output.flatMap((one) => {
    const page = one.type === "chunk" ? anyPage.exec(one.facadeModuleId ?? "")?.[1] : undefined
    return page === undefined ? [] : [{ page, bytes: sum(sizes(loadedBy(output, [one.fileName]).difference(front))) }]
  })
  const entries = output.filter((one) => one.type === "chunk" && one.isEntry).map(({ fileName }) => fileName)
  const dags = Object.entries(dagPages).map(([page, modules]) => {
    const parts = modules.map((module) => {
      const found = output.find((one) => one.type === "chunk" && one.facadeModuleId?.endsWith(module))
      if (found === undefined) throw new Error(`${module} is no file that a page loads`)
      return found.fileName
    })
    return { page, bytes: sum(sizes(loadedBy(output, ["index.html", ...entries, ...parts]))) }
  })
  return { front: sizes(front), pages: pages.filter(({ bytes }) => bytes > 0), dags }
}

/** The first picture waits for the first script, which is small and draws it. */
const blocking: Plugin = {
  name: "blocking",
  transformIndexHtml: {
    order: "post",
    handler: (html) => html.replace('<script type="module"', '<script type="module" blocking="render"')
  }
}

/**
 * Gives each page the sections of the texts that it imports: all texts are one file, which otherwise were loaded whole by
 * the front page. A section is a module of its own, the file without its other exports.
 *
 * @param texts the file with the texts: `en.ts`, or one in another language with the same exports
 */
const sections = (texts: string): Plugin => ({
  name: "sections",
  enforce: "pre",
  transform: (code) =>
    code.replaceAll(/import \{([^}]*)\} from "[^"]*\/texts\/en\.ts"/g, (_, names: string) =>
      names
        .split(",")
        .map((name) => name.trim())
        .filter((name) => name !== "")
        .map((name) => `import { ${name} } from ${JSON.stringify(`${texts}?section=${name.split(" ")[0]}`)}`)
        .join("; ")
    ),
  transformIndexHtml: (html) => html.replace('lang="en"', `lang="${basename(texts, ".ts")}"`)
})

/** Leaves out what React Aria says in languages that the texts are not in, which is a fifth of it. */
const otherLanguages = (texts: string): Plugin => ({
  name: "other-languages",
  enforce: "pre",
  load: (id) => {
    const language = /\/react-aria[\w-]*\/.*\/([a-z]{2})-[A-Z]{2}\.mjs$/.exec(id)?.[1]
    // English is what it says in a language that it has not.
    return language === undefined || ["en", basename(texts, ".ts")].includes(language) ? null : "export default {}"
  }
})

const zip = promisify(gzip)
const zstd = promisify(zstdCompress)

/** Puts every asset beside itself in the codings that the gateway has. */
const compress = async (folder: string): Promise<void> => {
  for (const name of await readdir(folder)) {
    const file = join(folder, name)
    const bytes = await readFile(file)
    await writeFile(`${file}.gz`, await zip(bytes, { level: 9 }))
    await writeFile(`${file}.zst`, await zstd(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 19 } }))
  }
}

/**
 * Builds the console into the folder. Fails when a page loads more than it may.
 *
 * @param texts the file with the texts, which is named by its language
 */
export const bundleConsole = async (folder: string, texts = english): Promise<Sizes> => {
  // Whatever the environment says: React's checks for development are half as much again.
  process.env["NODE_ENV"] = "production"
  const { build } = await import("vite")
  const root = packagePath("packages/console")
  const made = await build({
    configFile: false,
    root,
    // Relative, for any prefix that a proxy puts before the paths.
    base: "./",
    logLevel: "error",
    plugins: [sections(texts), otherLanguages(texts), blocking],
    // The shim gives React 17 what React has by now.
    resolve: { alias: [{ find: /^use-sync-external-store\/shim(?:\/index\.js)?$/, replacement: "react" }] },
    oxc: { jsx: { runtime: "automatic", development: false } },
    css: { modules: { generateScopedName: "[local]-[hash:base64:5]" } },
    build: {
      outDir: folder,
      emptyOutDir: true,
      target: "es2023",
      // Nothing inline: the policy of the page does not allow it.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false
    }
  })
  if (!("output" in made)) throw new Error("Vite has built something else than one page")
  const sizes = sizesOf(made.output)
  const total = sum(sizes.front)
  if (total > frontPageLimit) {
    const each = sizes.front.map(({ file, bytes }) => `  ${file}: ${bytes}`).join("\n")
    throw new Error(`The front page loads ${total} bytes in gzip, and may load ${frontPageLimit}:\n${each}`)
  }
  for (const { page, bytes } of sizes.pages) {
    if (bytes <= pageLimit) continue
    throw new Error(`${page} loads ${bytes} bytes in gzip beyond the front page, and may load ${pageLimit}`)
  }
  for (const { page, bytes } of sizes.dags) {
    if (bytes > dagLimit) throw new Error(`${page} loads ${bytes} bytes in gzip, and may load ${dagLimit}`)
  }
  await compress(join(folder, "assets"))
  return sizes
}

const noConsole = (reason: string): string => `There is no console here, as ${reason}`

if (import.meta.main) {
  const folder = packagePath("packages/console/dist")
  if (/[#?]/.test(folder)) {
    console.error(noConsole("Vite cannot build it in a folder whose path contains # or ?"))
    process.exit()
  }
  const making = `${folder}-${process.pid}`
  const { values } = parseArgs({ options: { sizes: { type: "boolean" }, texts: { type: "string" } } })
  try {
    const sizes = await bundleConsole(making, values.texts === undefined ? english : resolve(values.texts))
    rmSync(folder, { recursive: true, force: true })
    renameSync(making, folder)
    const kilobytes = (bytes: number) => (bytes / 1000).toFixed(1)
    console.log(`console: the front page loads ${kilobytes(sum(sizes.front))} of ${frontPageLimit / 1000} KB in gzip`)
    if (values.sizes === true) {
      for (const { file, bytes } of sizes.front) console.log(`  ${String(bytes).padStart(7)} ${file}`)
      console.log(`Other pages, beyond that, of ${pageLimit / 1000} KB:`)
      for (const { page, bytes } of sizes.pages) console.log(`  ${String(bytes).padStart(7)} ${page}`)
      console.log(`Pages with a DAG, of ${dagLimit / 1000} KB:`)
      for (const { page, bytes } of sizes.dags) console.log(`  ${String(bytes).padStart(7)} ${page}`)
    }
  } catch (cause) {
    rmSync(making, { recursive: true, force: true })
    // A gateway needs no console.
    if ((cause as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw cause
    console.error(noConsole("the packages for development are not installed: npm ci --include=dev installs them"))
  }
}
