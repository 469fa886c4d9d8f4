import { execFileSync, spawn } from "node:child_process"
import { mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { configuration } from "../support/conf.ts"
import { eventually } from "../support/process.ts"
import { openBelow, type Running, signal, site } from "../support/process-gateway.ts"
import { exchange, type RawAnswer, rawGet } from "../support/socket.ts"

class Configured extends Context.Service<
  Configured,
  { readonly gateway: Running; readonly root: string; readonly folder: string; readonly outside: string }
>()("test/conf/Configured") {
  static readonly layer = Layer.effect(
    Configured,
    Effect.gen(function* () {
      const { root, folderOf } = yield* configuration
      const folder = folderOf("mytenant")
      writeFileSync(join(folder, "here.txt"), "inside")
      mkdirSync(join(folder, "sub"))
      writeFileSync(join(folder, "sub", "below.txt"), "inside, below")
      const outside = join(dirname(folder), "outside.txt")
      writeFileSync(outside, "of nobody")
      const here = yield* site({ variables: { FLOW_CONF: root } })
      const gateway = yield* Effect.promise(() => here.start())
      return { gateway, root, folder, outside }
    })
  )
}

const foreign = /of another tenant|of nobody|root:|hidden-value|platform_id/

/** The ways to write a step up: one segment each. */
const ups = [
  "..",
  "%2e%2e",
  "%2E.",
  ".%2e",
  "%252e%252e",
  "%25252e%25252e",
  "..%00",
  "..%0a",
  "..;",
  "..;a=b",
  "..%3b",
  "%u002e%u002e",
  "%c0%ae%c0%ae",
  "%e0%80%ae%e0%80%ae",
  "%f0%80%80%ae",
  "%ef%bc%8e%ef%bc%8e",
  "%e2%80%a5",
  "%2e%2e%20",
  "...",
  "....",
  ".%00.",
  "%2e%2e%09"
]
/** The ways to write the slash between two segments. */
const slashes = [
  "/",
  "%2f",
  "%2F",
  "%252f",
  "\\",
  "%5c",
  "%255c",
  "%c0%af",
  "%e0%80%af",
  "%ef%bc%8f",
  "%e2%81%84",
  "//",
  "/./",
  ";/",
  "%00/"
]

const spellings = (): ReadonlyArray<string> => {
  const paths = new Set<string>()
  for (const up of ups) {
    for (const slash of slashes) {
      paths.add(`${up}${slash}othertenant${slash}secret.txt`)
      paths.add(`sub${slash}${up}${slash}${up}${slash}outside.txt`)
    }
    paths.add(`${up}/outside.txt`)
    paths.add(`${`${up}/`.repeat(12)}etc/passwd`)
  }
  for (const absolute of ["/etc/passwd", "%2fetc%2fpasswd", "%2F%2F%2F..%2F..%2F..%2Fetc%2Fpasswd", "//etc/passwd"]) {
    paths.add(absolute)
    paths.add(`sub/${absolute}`)
  }
  for (const odd of ["file:///etc/passwd", "file:%2f%2f%2fetc%2fpasswd", "C:%5cWindows", "%5c%5chost%5cshare", "~/x"]) {
    paths.add(odd)
  }
  for (const self of ["here.txt%00", "here.txt%00.png", "here.txt/", "here.txt/.", "./here.txt", "sub/./below.txt"]) {
    paths.add(self)
  }
  return [...paths]
}

const isProblem = (answer: RawAnswer, path: string) => {
  expect(answer.status, path).toBeGreaterThanOrEqual(400)
  expect(answer.status, path).toBeLessThan(500)
  expect(answer.headers.get("content-type"), path).toBe("application/problem+json")
}

layer(Configured.layer, { excludeTestServices: true })("a configuration folder", (it) => {
  it.effect("is not left by any spelling of a path", () =>
    Effect.gen(function* () {
      const { gateway } = yield* Configured
      const all = spellings()
      expect(all.length).toBeGreaterThan(500)
      yield* Effect.forEach(
        all,
        (path) =>
          Effect.gen(function* () {
            const answer = yield* Effect.promise(() => rawGet(gateway.port, `/v1/mytenant/conf/${path}`))
            expect(answer.body.toString("latin1"), path).not.toMatch(foreign)
            // A slash at the end names the same file.
            if (path === "here.txt/") expect([200, 400, 404]).toContain(answer.status)
            else isProblem(answer, path)
          }),
        { concurrency: 8 }
      )
      // The target of a request may be a whole address, and the tenant's segment may try the same.
      for (const start of ["/v1/..", "/v1/%2e%2e", "/v1/mytenant%2f..%2fothertenant", "http://a/v1/..", "/../v1/.."]) {
        const answer = yield* Effect.promise(() =>
          exchange(gateway.port, `GET ${start}/conf/secret.txt HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
        )
        isProblem(answer, start)
      }
      const fine = yield* Effect.promise(() => rawGet(gateway.port, "/v1/mytenant/conf/sub%2Fbelow.txt"))
      expect([fine.status, fine.body.toString()]).toEqual([200, "inside, below"])
    })
  )

  it.effect("is not left by links, and pipes and devices hold nobody up", () =>
    Effect.gen(function* () {
      const { gateway, folder, outside, root } = yield* Configured
      const links = join(folder, "links")
      mkdirSync(links)
      const outs = {
        "to-file": outside,
        "to-root": "/",
        "to-etc": "/etc",
        "to-tenant": "../../othertenant",
        "to-secret": "../../othertenant/secret.txt",
        "to-conf": root,
        "to-proc": "/proc/self/environ",
        zero: "/dev/zero",
        null: "/dev/null",
        stdin: "/dev/stdin",
        dangling: "nothing",
        loop: "loop",
        "loop-a": "loop-b",
        "loop-b": "loop-a",
        "twice-out": "to-file"
      }
      for (const [name, target] of Object.entries(outs)) symlinkSync(target, join(links, name))
      symlinkSync("../here.txt", join(links, "inside"))
      symlinkSync(join(folder, "sub"), join(links, "folder"))
      symlinkSync("..", join(links, "up"))
      symlinkSync("inside", join(links, "inside-twice"))
      execFileSync("mkfifo", [join(links, "fifo")])
      const get = (path: string) => Effect.promise(() => rawGet(gateway.port, `/v1/mytenant/conf/links/${path}`))
      const descends = ["to-root/etc/passwd", "to-etc/passwd", "to-tenant/secret.txt", "to-conf/platform.yaml"]
      for (const name of [...Object.keys(outs), ...descends, "fifo", "up/up/up/links/to-file"]) {
        const answer = yield* get(name)
        expect([name, answer.status]).toEqual([name, 404])
        expect(answer.body.toString("latin1")).not.toMatch(foreign)
      }
      for (const name of ["inside", "inside-twice", "up/here.txt", "up/links/up/here.txt"]) {
        const answer = yield* get(name)
        expect([name, answer.status, answer.body.toString()]).toEqual([name, 200, "inside"])
      }
      expect((yield* get("folder/below.txt")).body.toString()).toBe("inside, below")
      for (const name of ["folder", "up", "../links", "folder/"])
        expect([400, 404]).toContain((yield* get(name)).status)
      const listed = yield* Effect.promise(() => rawGet(gateway.port, "/v1/mytenant/conf"))
      expect(listed.status).toBe(200)
      expect(listed.body.toString()).not.toMatch(/passwd|secret\.txt/)
      const tree = JSON.parse(listed.body.toString()).links.children
      for (const name of [...Object.keys(outs), "fifo"]) {
        expect([name, tree[name].canRead, tree[name].size, tree[name].children]).toEqual([name, false, 0, {}])
      }
      expect(tree.inside).toMatchObject({ canRead: true, isFile: true, size: 6 })
      expect(tree.folder).toMatchObject({ canRead: true, isFile: false, size: 13 })
      expect(Object.keys(tree.folder.children)).toEqual(["below.txt"])
      const trailing = yield* Effect.promise(() => rawGet(gateway.port, "/v1/mytenant/conf/"))
      expect(JSON.parse(trailing.body.toString())).toEqual(JSON.parse(listed.body.toString()))
    })
  )

  it.effect("never gives foreign bytes while a file and a link take each other's place", () =>
    Effect.gen(function* () {
      const { gateway, folder, outside, root } = yield* Configured
      const place = join(realpathSync(folder), "changing")
      mkdirSync(join(place, "file"), { recursive: true })
      writeFileSync(join(place, "ours"), "inside")
      // Three ways: the file itself, a folder of its path, and a link that switches from version to version.
      const program = `
        const fs = require("node:fs"); process.chdir(process.argv[1])
        fs.mkdirSync("v1"); fs.mkdirSync("v2"); for (const v of ["v1", "v2"]) fs.writeFileSync(v + "/conf", "inside")
        fs.mkdirSync("real"); fs.writeFileSync("real/outside.txt", "inside"); fs.symlinkSync("v1", "current")
        fs.writeFileSync("swap", "inside"); fs.renameSync("real", "dir"); console.log("ready")
        for (;;) {
          fs.symlinkSync(process.argv[2], "next"); fs.renameSync("next", "swap")
          fs.writeFileSync("next", "inside"); fs.renameSync("next", "swap")
          fs.renameSync("dir", "aside"); fs.symlinkSync("../..", "dir"); fs.unlinkSync("dir"); fs.renameSync("aside", "dir")
          for (const v of ["v2", "v1"]) { fs.symlinkSync(v, "turn"); fs.renameSync("turn", "current") }
          fs.writeFileSync("kept.new", "inside"); fs.renameSync("kept.new", "kept")
        }`
      writeFileSync(join(place, "kept"), "inside")
      const swapper = yield* Effect.acquireRelease(
        Effect.sync(() =>
          spawn(process.execPath, ["-e", program, place, outside], { stdio: ["ignore", "pipe", "pipe"] })
        ),
        (child) => Effect.sync(() => signal([child.pid!], "SIGKILL"))
      )
      yield* Effect.promise(() => new Promise((done) => swapper.stdout.once("data", done)))
      const seen = new Map<string, number>()
      yield* Effect.forEach(
        Array.from({ length: 400 }, (_, index) => ["swap", "dir/outside.txt", "current/conf", "kept"][index % 4]!),
        (name) =>
          Effect.gen(function* () {
            const url = `${gateway.url}/v1/mytenant/conf/changing/${name}`
            const response = yield* Effect.promise(() => fetch(url))
            const text = yield* Effect.promise(() => response.text())
            const key = `${name} ${response.status}`
            seen.set(key, (seen.get(key) ?? 0) + 1)
            if (response.status === 200) expect(text).toBe("inside")
            else expect([key, foreign.test(text)]).toEqual([`${name} 404`, false])
          }),
        { concurrency: 6 }
      )
      expect(swapper.exitCode, readFileSync(outside, "utf8")).toBe(null)
      // What is replaced as a whole is always there.
      expect([seen.get("kept 200"), seen.get("current/conf 200")]).toEqual([100, 100])
      expect(seen.get("swap 200")).toBeGreaterThan(0)
      yield* Effect.promise(() => eventually("the files are closed", () => openBelow(gateway.pid, root).length === 0))
    })
  )
})
