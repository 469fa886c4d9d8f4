import type { ChildProcess } from "node:child_process"
import { mkdirSync } from "node:fs"
import { connect, createServer } from "node:net"
import { join, resolve } from "node:path"
import { Effect, Schema } from "effect"
import { parse } from "yaml"
import { bridged, type Container, containers, type Mount, startContainer } from "./Container.ts"
import { postgresCommand } from "./Database.ts"

const Strings = Schema.Array(Schema.String)

const Service = Schema.Struct({
  image: Schema.Literals(["node:26", "nginx:1", "postgres:18"]),
  init: Schema.optionalKey(Schema.Boolean),
  working_dir: Schema.optionalKey(Schema.String),
  command: Schema.optionalKey(Schema.String),
  restart: Schema.optionalKey(Schema.Literal("always")),
  stop_grace_period: Schema.optionalKey(Schema.String),
  ports: Schema.optionalKey(Strings),
  networks: Schema.optionalKey(Schema.Struct({ default: Schema.Struct({ aliases: Strings }) })),
  network_mode: Schema.optionalKey(Schema.String),
  depends_on: Schema.optionalKey(Strings),
  environment: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  volumes: Schema.optionalKey(Strings)
})

/** The supported content of a compose file. Anything else is refused, so that no part of the file is ignored. */
const File = Schema.Struct({
  services: Schema.Record(Schema.String, Service),
  volumes: Schema.Record(Schema.String, Schema.Struct({}))
})

type Service = typeof Service.Type

/** What Docker knows of an image: how it starts, and by which signal it stops. */
interface Image {
  readonly start: (command: ReadonlyArray<string>) => ReadonlyArray<string>
  readonly stop: NodeJS.Signals
}

const images: Readonly<Record<Service["image"], Image>> = {
  "node:26": { start: (command) => command, stop: "SIGTERM" },
  "nginx:1": { start: () => ["nginx", "-g", "daemon off;"], stop: "SIGQUIT" },
  "postgres:18": { start: (command) => postgresCommand(command), stop: "SIGINT" }
}

const millisOf = (duration = "10s") => Number(/^(\d+)s$/.exec(duration)![1]) * 1000

/** The services of a compose file, as Docker Compose runs them. */
export interface Project {
  /** The running container of a service. */
  readonly container: (service: string) => Container
  /** How often a service was started. */
  readonly starts: (service: string) => number
  /** Stops a service as `docker compose stop` does, and returns its exit code and whether it had to be killed. */
  readonly stop: (service: string) => Promise<{ readonly code: number | null; readonly killed: boolean }>
}

/** A port of the machine that forwards to one of a container, as Docker publishes it. */
const published = (port: number, address: string, target: number) =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<ReturnType<typeof createServer>>((done, fail) => {
          const server = createServer({ allowHalfOpen: true }, (from) => {
            const to = connect({ host: address, port: target, allowHalfOpen: true })
            for (const socket of [from, to]) {
              socket.on("error", () => {
                from.destroy()
                to.destroy()
              })
            }
            from.pipe(to)
            to.pipe(from)
          })
          server.once("error", fail)
          server.listen(port, () => done(server))
        })
    ),
    (server) => Effect.sync(() => server.close())
  )

/** Starts all services of a compose file in the order of `depends_on`, in a folder with the files that it names. */
export const composeUp = Effect.fnUntraced(function* (text: string, folder: string) {
  const { "x-gateway": _gateway, "x-settings": _settings, ...file } = parse(text, { merge: true })
  const { services, volumes } = Schema.decodeUnknownSync(File, { onExcessProperty: "error" })(file)
  const names = Object.keys(services)
  const home = join(folder, ".containers")
  const owners = names.filter((name) => services[name]!.network_mode === undefined)
  const addresses = new Map(owners.map((name, index) => [name, `10.0.0.${index + 2}`]))
  const hosts = ["127.0.0.1 localhost"]
  for (const [name, address] of addresses) {
    hosts.push([address, name, ...(services[name]!.networks?.default.aliases ?? [])].join(" "))
  }

  const mountOf = (volume: string): Mount => {
    const [from = "", target = "", mode = "rw"] = volume.split(":")
    const isFolder = from.startsWith(".")
    if (!isFolder && !(from in volumes)) throw new Error(`The volume ${from} is not declared`)
    const source = isFolder ? resolve(folder, from) : join(home, "volumes", from)
    if (!isFolder) mkdirSync(source, { recursive: true })
    return { source, target, mode: mode === "ro" ? "ro" : "rw" }
  }

  yield* bridged
  const started: Set<ChildProcess> = yield* containers
  const running = new Map<string, Container>()
  const counts = new Map<string, number>()
  const stopping = new Set<string>()
  yield* Effect.addFinalizer(() => Effect.sync(() => names.forEach((name) => void stopping.add(name))))

  const start = async (name: string): Promise<void> => {
    const service = services[name]!
    const command = images[service.image].start(service.command?.split(" ") ?? [])
    const shared = /^service:(.+)$/.exec(service.network_mode ?? "")?.[1]
    const container = await startContainer(
      {
        name,
        folder: join(home, name),
        host: shared ?? name,
        network: shared === undefined ? { address: addresses.get(name)! } : { shared: running.get(shared)!.pid },
        hosts: `${hosts.join("\n")}\n`,
        mounts: (service.volumes ?? []).map(mountOf),
        environment: service.environment ?? {},
        directory: service.working_dir ?? "/",
        command: service.init === true ? ["tini", "--", ...command] : command
      },
      started
    )
    running.set(name, container)
    counts.set(name, (counts.get(name) ?? 0) + 1)
    void container.exit.then(() => {
      if (service.restart === "always" && !stopping.has(name)) return start(name)
    })
  }

  const done = new Set<string>()
  const up = async (name: string): Promise<void> => {
    if (done.has(name)) return
    done.add(name)
    for (const other of services[name]!.depends_on ?? []) await up(other)
    await start(name)
  }
  yield* Effect.promise(async () => {
    for (const name of names) await up(name)
  })
  for (const [name, { ports = [] }] of Object.entries(services)) {
    for (const port of ports) {
      const [outside, inside] = port.split(":").map(Number)
      yield* published(outside!, addresses.get(name)!, inside!)
    }
  }

  const stop = async (name: string) => {
    const { pid, exit } = running.get(name)!
    const { image, stop_grace_period } = services[name]!
    stopping.add(name)
    let killed = false
    process.kill(pid, images[image].stop)
    const timer = setTimeout(() => {
      killed = true
      process.kill(pid, "SIGKILL")
    }, millisOf(stop_grace_period))
    const { code } = await exit
    clearTimeout(timer)
    return { code, killed }
  }
  const project: Project = {
    container: (name) => running.get(name)!,
    starts: (name) => counts.get(name) ?? 0,
    stop
  }
  return project
})
