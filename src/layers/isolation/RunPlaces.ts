import { join } from "node:path"
import { Context, Effect, Layer } from "effect"
import { explain, Failure } from "../../drivers/Failure.ts"
import { type RunIsolation, runParts } from "../../protocol/Isolation.ts"
import { observeGauge } from "../../services/shared/process/ObservableMetrics.ts"
import { dataRoot, Settings } from "../../services/shared/settings/Settings.ts"
import type { RunSite } from "../engine/RunLauncher.ts"
import { hiddenFrom, lackingOf, PythonPlaces } from "../python/PythonPlaces.ts"
import { findRunIsolation } from "./RunProbe.ts"

/** How this gateway starts the processes of runs. */
export class RunPlaces extends Context.Service<
  RunPlaces,
  {
    /** The same object for as long as nothing changes. */
    readonly isolation: () => Promise<RunIsolation>
    /** What was found; undefined before anything was. */
    readonly state: () => RunIsolation | undefined
  }
>()("flow/isolation/RunPlaces") {}

const none: RunIsolation = { parts: [], missing: [], launcher: [], hasDoor: false }

/** Finds out when first asked, and keeps the answer. A failure is kept for one request only. */
export const layer = Layer.effect(
  RunPlaces,
  Effect.gen(function* () {
    const settings = yield* Settings
    const python = yield* PythonPlaces
    const fork = Effect.runForkWith(yield* Effect.context<never>())
    const site: RunSite = {
      hidden: hiddenFrom(settings),
      tempRoot: join(settings.data, "tmp"),
      hasNetwork: settings.runNetwork,
      roots: [settings.conf, dataRoot(settings)]
    }
    let latest: RunIsolation | undefined
    let looking: Promise<RunIsolation> | undefined

    const look = async (): Promise<RunIsolation> => {
      if (settings.isolation === "off") return none
      const place = await python.place()
      if (place.interpreter === undefined) {
        if (place.refusal !== undefined) throw new Failure(place.refusal)
        // Python may be installed meanwhile: the next one who asks looks again.
        looking = undefined
        if (latest !== undefined) return latest
      }
      const found = await findRunIsolation(place, site, python.scratch)
      const lacking = lackingOf(found.missing).map(({ part, reason }) => `${part} (${reason})`)
      if (lacking.length === 0) return found
      if (settings.isolation === "required") {
        const refusal = `Nothing is run: FLOW_ISOLATION is required, and this machine lacks ${lacking.join(", ")} for runs`
        return { ...found, refusal }
      }
      const warning = Effect.logWarning("The processes of runs are not wholly isolated: see flow-gateway doctor")
      fork(Effect.annotateLogs(warning, { missing: lacking.join("; ") }))
      return found
    }
    const isolation = (): Promise<RunIsolation> => {
      looking ??= look().then(
        (found) => {
          latest = found
          return found
        },
        (error): RunIsolation => {
          // Unknown is not none: the next one who asks tries again.
          looking = undefined
          return { ...none, refusal: explain(error, [settings.data]).error }
        }
      )
      return looking
    }
    // A try that is under way has files in the data folder.
    yield* Effect.addFinalizer(() => Effect.promise(async () => looking))
    for (const part of runParts) {
      const described = {
        description: "Whether the processes of runs have this part of isolation",
        attributes: { part }
      }
      yield* observeGauge("flow_run_isolation", described, () => (latest?.parts.includes(part) === true ? 1 : 0))
    }
    return RunPlaces.of({ isolation, state: () => latest })
  })
)
