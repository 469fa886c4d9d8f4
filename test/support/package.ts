import { execFile, spawn, spawnSync } from "node:child_process"
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { promisify } from "node:util"
import { Effect, type Scope } from "effect"
import { bundles } from "../../src/drivers/Programs.ts"
import { root } from "./documents.ts"
import { eventually } from "./process.ts"
import { childrenOf, isAlive, signal, temporary } from "./process-gateway.ts"

const run = promisify(execFile)

const env = { ...process.env, npm_config_offline: "true", npm_config_update_notifier: "false" }

const shipped =
  /^(package\.json|tsconfig.*\.json|bin|src|packages|migrations|scripts|package-lock\.json|examples|docs|.*\.md)$/

/** The compiler runs without garbage collection, which would take a third of its processor time. */
export const compiler = { GOGC: "off" }

/** The build next to an existing bundle. With one thread the compiler takes half the processor time. */
const cheap = (build: string) => build.replace("rm -rf dist && ", "").replace("tsc ", "tsc --singleThreaded ")

const packed = async (folder: string, given: ReadonlyArray<string>, PATH: string): Promise<string> => {
  const { stdout } = await run("npm", ["pack", "--json", ...given], { cwd: folder, env: { ...env, ...compiler, PATH } })
  // Scripts print before the result.
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf("[\n")))
  return join(folder, packed.filename)
}

/** Builds and packs a copy of the project; returns the paths of the tarballs of the gateway and its client. */
const pack = async (folder: string): Promise<readonly [gateway: string, client: string]> => {
  for (const name of readdirSync(root).filter((name) => shipped.test(name))) {
    cpSync(join(root, name), join(folder, name), { recursive: true })
  }
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
  // Uses the bundle that the setup of the test run has made from the same sources.
  const bundled = readFileSync(join(root, bundles.current), "utf8").trim()
  for (const name of ["current", bundled]) {
    const from = join(root, bundles.folder, name)
    cpSync(from, join(folder, bundles.folder, name), { recursive: true, filter: (path) => !path.endsWith("compiled") })
  }
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  const PATH = `${join(root, "node_modules/.bin")}${delimiter}${process.env["PATH"]}`
  await run("sh", ["-c", cheap(scripts.build)], { cwd: folder, env: { ...env, ...compiler, PATH } })
  return [
    await packed(folder, ["--ignore-scripts"], PATH),
    await packed(folder, ["--workspace", "packages/client"], PATH)
  ]
}

/** An empty project in which both packed packages are installed, with their dependencies linked beside them. */
export const installedPackage: Effect.Effect<string, never, Scope.Scope> = Effect.gen(function* () {
  const source = yield* temporary
  const folder = yield* temporary
  const [gateway, client] = yield* Effect.promise(() => pack(source))
  const modules = join(folder, "node_modules")
  for (const [name, tarball] of [
    ["flow-gateway", gateway],
    ["@flow-gateway/client", client]
  ] as const) {
    mkdirSync(join(modules, name), { recursive: true })
    yield* Effect.promise(() => run("tar", ["-xzf", tarball, "--strip-components=1", "-C", join(modules, name)]))
  }
  const { dependencies } = JSON.parse(readFileSync(join(modules, "flow-gateway/package.json"), "utf8"))
  for (const name of [...Object.keys(dependencies), "@types/node"]) {
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(join(root, "node_modules", name), join(modules, name))
  }
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }))
  return folder
})

const isOld = (node: string): boolean => {
  const [, major, minor] =
    /^v(\d+)\.(\d+)/.exec(spawnSync(node, ["--version"], { encoding: "utf8" }).stdout ?? "") ?? []
  return Number(major) < 22 || (Number(major) === 22 && Number(minor) < 19)
}

/** The Node executables that start the package's program: the project's, and an old one of the system, if present. */
export const nodes = (): ReadonlyArray<string> => {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => !folder.includes("node_modules"))
  const old = folders.map((folder) => join(folder, "node")).find(isOld)
  return old === undefined ? [process.execPath] : [process.execPath, old]
}

/** The package's program, run by a Node until the scope closes. */
export const startProgram = (node: string, folder: string, variables: Readonly<Record<string, string>>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const program = join(folder, "node_modules/flow-gateway/bin/flow-gateway.js")
      const child = spawn(node, [program], {
        cwd: folder,
        env: { PATH: process.env["PATH"], FLOW_PORT: "0", ...variables },
        stdio: ["ignore", "pipe", "pipe"]
      })
      let printed = ""
      let complaints = ""
      child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()))
      child.stderr.on("data", (chunk: Buffer) => (complaints += chunk.toString()))
      const exit = new Promise<number | null>((done) => child.once("exit", done))
      const address = async () => {
        await eventually("the ready line", () => printed.includes("\n") || child.exitCode !== null)
        const [, url] = /^flow-gateway ready (\S+)\n$/.exec(printed) ?? []
        if (url === undefined) throw new Error(`The program is not ready: ${printed}${complaints}`)
        return url
      }
      const stop = () => {
        child.kill("SIGTERM")
        return exit
      }
      return { pid: child.pid!, address, stop }
    }),
    ({ pid, stop }) =>
      Effect.promise(async () => {
        // An old Node has handed the program over to a child.
        const left = [pid, ...childrenOf(pid), ...childrenOf(pid).flatMap(childrenOf)].filter(isAlive)
        if (left.length === 0) return
        void stop()
        await eventually("the program is gone", () => !left.some(isAlive), 15_000).catch(() => signal(left, "SIGKILL"))
      })
  )
