import { readFileSync } from "node:fs"
import { Server as SecureServer } from "node:tls"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { inBackground } from "../../services/shared/process/Background.ts"
import { observeCounter, observeGauge } from "../../services/shared/process/ObservableMetrics.ts"
import { OwnPorts } from "../../services/shared/process/OwnPorts.ts"
import { Settings } from "../../services/shared/settings/Settings.ts"
import { corsHeaders } from "./answers/Cors.ts"
import { FixedAnswers, fixedAnswers } from "./answers/FixedAnswers.ts"
import { Readiness } from "./endpoints/Readiness.ts"
import { accessLine, bufferedWriter, type Exchange } from "./routes/AccessLog.ts"
import { knownPaths, pathOf } from "./routes/Paths.ts"
import { requestMetrics } from "./routes/RequestMetrics.ts"
import type { RouteTable } from "./routes/RouteTable.ts"
import { type Certificate, loadCertificate, secureOptions, watchCertificate } from "./server/Certificate.ts"
import { ConnectionLimit } from "./server/ConnectionLimit.ts"
import { trustedProxies } from "./server/Forwarded.ts"
import { nodeServer } from "./server/NodeServer.ts"
import { holdOtherLoopback } from "./server/OtherLoopback.ts"
import { serverWithFewServices } from "./server/RequestContext.ts"
import { SendRate } from "./server/SendRate.ts"

/**
 * Maximum number of open files of this process, which Node raised at its start. Undefined if the system does not tell.
 */
const openFilesLimit = (): number | undefined => {
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "latin1"))?.[1]
    return limit === undefined ? undefined : Number(limit)
  } catch {
    return undefined
  }
}

/** Files that the gateway itself has open, with its connections to the database, and those of the pipes of a run. */
const ownFiles = { gateway: 96, run: 6 }

/**
 * Maximum number of connections: half of the files that the gateway and its runs leave, because an upload or a download
 * opens a file.
 */
const allConnections = ({ role, runs, jobs }: Settings["Service"]): number => {
  const inRuns = role === "api" ? 0 : ownFiles.run * (runs.all + jobs.all)
  const left = (openFilesLimit() ?? 32_768) - ownFiles.gateway - inRuns
  return Math.min(16_384, Math.max(16, Math.floor(left / 2)))
}

const observeConnections = (limit: ConnectionLimit) =>
  Effect.all([
    observeGauge("flow_http_connections", { description: "Open connections of clients" }, () => limit.open),
    ...(["address", "all"] as const).map((reason) =>
      observeCounter(
        "flow_http_connections_refused_total",
        { description: "Connections that were refused because of a limit", attributes: { limit: reason } },
        () => limit.refused[reason]
      )
    )
  ])

const ignored = () => {}

/** The Node server with access log and metrics. The log is written to standard error, one JSON object per line. */
export const layer = (table: RouteTable) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const settings = yield* Settings
      const { host, port, logLevel, stopPatience, sendRate, uploadRate, cors, tls } = settings
      const context = yield* Effect.context<never>()
      const observe = requestMetrics(context)
      const known = knownPaths(table)
      // The reader of the log may close the pipe; the gateway keeps serving.
      if (!process.stderr.listeners("error").includes(ignored)) process.stderr.on("error", ignored)
      const log = bufferedWriter((text) => process.stderr.write(text))
      const logs = logLevel === "info" || logLevel === "debug"
      yield* Effect.addFinalizer(() => Effect.sync(log.flush))
      const finished = (exchange: Exchange) => {
        const { template, members } = known(pathOf(exchange.url))
        observe(exchange, template)
        if (logs) log.add(accessLine(exchange, members))
      }
      const proxies = trustedProxies(settings.trustedProxies)
      const own = trustedProxies(["loopback"])
      const limit = new ConnectionLimit({
        all: allConnections(settings),
        each: settings.addressConnections,
        // All users of a machine and of a proxy on it have the same address.
        isExempt: (address) => own.isTrusted(address) || proxies.isTrusted(address)
      })
      yield* observeConnections(limit)
      const certificate = tls === undefined ? undefined : yield* loadCertificate(tls)
      const fixed = yield* fixedAnswers(table)
      const server = nodeServer(finished, {
        fixed: fixed.send,
        uploadRate,
        granted: corsHeaders(cors, settings.auth),
        proxies,
        limit,
        ...(certificate && { certificate })
      })
      const ownPorts = yield* OwnPorts
      server.on("listening", () => {
        const address = server.address()
        if (typeof address === "object" && address !== null) ownPorts.add(address.port)
      })
      const readiness = yield* Readiness
      const defects = new Map(readiness.defects)
      if (tls !== undefined && certificate !== undefined && server instanceof SecureServer) {
        const use = (pair: Certificate) => server.setSecureContext(secureOptions(pair))
        const { look, faulty } = yield* watchCertificate(tls, certificate, use)
        yield* inBackground("Looking at the certificate", look, "5 seconds")
        defects.set("tlsCertificate", Effect.sync(faulty))
      }
      new SendRate(sendRate).watch(server)
      const options = { host, port, gracefulShutdownTimeout: stopPatience }
      return serverWithFewServices.pipe(
        Layer.provideMerge(Layer.effectDiscard(Effect.andThen(HttpServer.HttpServer, holdOtherLoopback(server, host)))),
        Layer.provide(NodeHttpServer.layerServer(() => server, options)),
        Layer.provideMerge(NodeHttpServer.layerHttpServices),
        Layer.merge(Layer.succeed(FixedAnswers, fixed)),
        Layer.merge(Layer.succeed(Readiness, { ...readiness, defects }))
      )
    })
  )
