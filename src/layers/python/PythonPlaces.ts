import { join } from "node:path"
import { Context, Effect, Layer } from "effect"
import { explain } from "../../drivers/Failure.ts"
import { findIsolation } from "../../drivers/isolation/Probe.ts"
import { findPython } from "../../drivers/python/Interpreter.ts"
import { type Isolation, isolationParts, type PythonPlace } from "../../protocol/Isolation.ts"
import { AccessRules } from "../../services/access/AccessRules.ts"
import { observeGauge } from "../../services/shared/process/ObservableMetrics.ts"
import { dataRoot, ownPlaces, Settings } from "../../services/shared/settings/Settings.ts"
import { scratchFolder } from "../engine/RunFolders.ts"

/** Milliseconds for which what was found is believed: Python may be installed or replaced meanwhile. */
const lookEvery = 60_000

/** Where and how this gateway runs Python programs. */
export class PythonPlaces extends Context.Service<
  PythonPlaces,
  {
    /** For the nodes of a tenant; without one for the gateway's own programs, which read what tenants wrote. */
    readonly place: (tenant?: string) => Promise<PythonPlace>
    /** What was found last; undefined before anything was. */
    readonly state: () => PythonPlace | undefined
    /** A folder for temporary files, which may not exist yet. */
    readonly scratch: string
  }
>()("flow/python/PythonPlaces") {}

/** Files and folders of the gateway that no program may see. */
export const hiddenFrom = (settings: Settings["Service"]): ReadonlyArray<string> => [
  ...new Set([dataRoot(settings), ...ownPlaces(settings).map(({ path }) => path)])
]

const isRoot = process.geteuid?.() === 0

/**
 * The parts that are missing of the whole isolation. `user` counts only for root: a gateway of an ordinary user cannot
 * give programs another user, and the other parts do not need one.
 */
export const lackingOf = <A extends { readonly part: string }>(missing: ReadonlyArray<A>): ReadonlyArray<A> =>
  missing.filter(({ part }) => part !== "user" || isRoot)

const refused = (isolation: Isolation): string | undefined => {
  const reasons = lackingOf(isolation.missing).map(({ part, reason }) => `${part} (${reason})`)
  if (reasons.length === 0) return undefined
  return `Python programs are not run: FLOW_ISOLATION is required, and this machine lacks ${reasons.join(", ")}`
}

/** Finds out when first asked, and again when the answer is older than {@link lookEvery}. */
export const layer = Layer.effect(
  PythonPlaces,
  Effect.gen(function* () {
    const settings = yield* Settings
    const { current } = yield* AccessRules
    const { data } = settings
    const hidden = hiddenFrom(settings)
    const scratch = scratchFolder(join(data, "tmp"))
    const fork = Effect.runForkWith(yield* Effect.context<never>())
    let latest: PythonPlace | undefined
    let looking: { readonly found: Promise<PythonPlace>; readonly at: number } | undefined

    const look = async (): Promise<PythonPlace> => {
      const interpreter = await findPython()
      if (interpreter === undefined || settings.isolation === "off") return { interpreter }
      const known = latest?.interpreter
      const isSame = known?.command === interpreter.command && known.version === interpreter.version
      const isolation =
        isSame && latest?.isolation !== undefined
          ? latest.isolation
          : await findIsolation(interpreter, { root: scratch, hidden })
      return {
        interpreter,
        isolation,
        refusal: settings.isolation === "required" ? refused(isolation) : undefined
      }
    }
    const keep = (place: PythonPlace): PythonPlace => {
      if (place.isolation !== undefined && place.isolation !== latest?.isolation) {
        const missing = lackingOf(place.isolation.missing).map(({ part, reason }) => `${part}: ${reason}`)
        if (missing.length > 0) {
          const warning = Effect.logWarning("Python programs are not wholly isolated: see flow-gateway doctor")
          fork(Effect.annotateLogs(warning, { missing: missing.join("; ") }))
        }
      }
      latest = place
      return place
    }
    const found = (): Promise<PythonPlace> => {
      const now = performance.now()
      if (looking === undefined || now - looking.at > lookEvery) {
        const next = look().then(keep, (error): PythonPlace => {
          // Unknown is not none: the next one who asks tries again.
          looking = undefined
          return { refusal: explain(error, [data]).error }
        })
        looking = { found: next, at: now }
      }
      return looking.found
    }
    // A try that is under way has files in the data folder.
    yield* Effect.addFinalizer(() => Effect.promise(async () => looking?.found))
    for (const part of isolationParts) {
      const described = { description: "Whether Python programs have this part of isolation", attributes: { part } }
      yield* observeGauge("flow_python_isolation", described, () =>
        latest?.isolation?.parts.includes(part) === true ? 1 : 0
      )
    }

    const withNetwork = ({ parts, ...isolation }: Isolation): Isolation => ({
      ...isolation,
      parts: parts.filter((part) => part !== "network")
    })
    return PythonPlaces.of({
      scratch,
      state: () => latest,
      place: async (tenant) => {
        const place = await found()
        const mayConnect = tenant !== undefined && current()?.tenants?.[tenant]?.network === true
        if (!mayConnect || place.isolation === undefined) return place
        return { ...place, isolation: withNetwork(place.isolation) }
      }
    })
  })
)
