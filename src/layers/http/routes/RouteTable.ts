import { Context } from "effect"
import { FindMyWay } from "effect/http"
import { HttpApi, type HttpApiGroup } from "effect/http-api"
import {
  ChangesNothing,
  ForEveryTenant,
  IsFixed,
  NeededRole,
  SpansSegments
} from "../../../services/shared/requests/EndpointAnnotations.ts"
import { everyTenant, hasRoleFor, type Principal } from "../../../services/shared/security/Principal.ts"

/** Paths are matched exactly, except for a trailing slash. */
export const routerConfig = { caseSensitive: true, ignoreDuplicateSlashes: false, maxParamLength: 16_384 }

/** The methods of endpoints; `HEAD` is answered as `GET` is. */
const routed = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const

/** A known path. `template` has OpenAPI syntax: `/v1/{tenant}/conf/{path}`. */
export interface RouteEntry {
  readonly template: string
  readonly methods: ReadonlySet<string>
  /** The endpoints of the path by method. */
  readonly endpoints: ReadonlyMap<string, RouteEndpoint>
  /** Set if the answer to `GET` never changes while the gateway runs. */
  readonly fixed?: Fixed
}

/** Who may get a fixed answer. */
export interface Fixed {
  /** Missing if no credentials are required. */
  readonly permits?: (principal: Principal) => boolean
}

/** An endpoint as the audit knows it. */
interface RouteEndpoint {
  /** Group and name, such as `flowlines.save`. */
  readonly action: string
  readonly isChange: boolean
}

/**
 * The known paths, for code that needs the route without handling it: metrics, 405 responses, and paths with plain
 * slashes.
 */
export interface RouteTable {
  readonly entries: ReadonlyArray<RouteEntry>
  readonly find: (path: string) => RouteEntry | undefined
  /** For endpoints whose last parameter may span several segments: the template's segments before that parameter. */
  readonly tails: ReadonlyArray<ReadonlyArray<string>>
  /** The paths with a fixed answer, as clients ask for them. */
  readonly fixed: ReadonlyMap<string, Fixed>
  /**
   * Methods that a path lacks while one with a parameter in place of its words has them: `DELETE` of
   * `/flowline/save`, which the router would take for a flowline with the id `save`.
   */
  readonly lacking: ReadonlyArray<{ readonly path: `/${string}`; readonly method: (typeof routed)[number] }>
}

/** Whether the router could take a path of the template `narrow` for one of `wide`, whose parameters match any word. */
const covers = (wide: string, narrow: string): boolean => {
  if (wide === narrow) return false
  const words = narrow.split("/")
  const others = wide.split("/")
  return (
    words.length === others.length &&
    words.every((word, at) => word === others[at] || others[at]!.startsWith("{") || others[at] === "*")
  )
}

const lackingOf = (entries: ReadonlyArray<RouteEntry>): RouteTable["lacking"] =>
  entries.flatMap(({ template, methods }) => {
    const others = entries.filter((other) => covers(other.template, template))
    const lacking = routed.filter((method) => !methods.has(method) && others.some((other) => other.methods.has(method)))
    return lacking.map((method) => ({ path: routerPath(template), method }))
  })

const routerPath = (template: string): `/${string}` => `/${template.slice(1).replace(/\{(\w+)\}/g, ":$1")}`

/** Who may get the fixed answer of an endpoint without a tenant, by the same rules as `Authorization`. */
const fixedOf = (annotations: Context.Context<never>): Fixed => {
  const role = Context.get(annotations, NeededRole)
  const tenant = Context.get(annotations, ForEveryTenant) ? everyTenant : undefined
  return { permits: (principal) => role !== undefined && hasRoleFor(principal, tenant, role) }
}

/** Collects the endpoints of an API, the additional GET paths in `extra`, and further routes as they are. */
export const routeTable = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  extra: ReadonlyArray<string>,
  ...more: ReadonlyArray<RouteEntry>
): RouteTable => {
  const methods = new Map<string, Set<string>>()
  const endpoints = new Map<string, Map<string, RouteEndpoint>>()
  const tails: Array<ReadonlyArray<string>> = []
  const fixed = new Map<string, Fixed>()
  const add = (template: string, method: string) => {
    const known = methods.get(template) ?? new Set<string>()
    methods.set(template, known.add(method))
    if (method === "GET") known.add("HEAD")
  }
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group, mergedAnnotations }) => {
      const template = endpoint.path.replace(/:(\w+)/g, "{$1}")
      add(template, endpoint.method)
      const known = endpoints.get(template) ?? new Map<string, RouteEndpoint>()
      const isChange = endpoint.method !== "GET" && !Context.get(mergedAnnotations, ChangesNothing)
      endpoints.set(
        template,
        known.set(endpoint.method, { action: `${group.identifier}.${endpoint.identifier}`, isChange })
      )
      if (endpoint.method === "GET" && Context.get(mergedAnnotations, IsFixed)) {
        fixed.set(template, fixedOf(mergedAnnotations))
      }
      if (Context.get(mergedAnnotations, SpansSegments)) tails.push(template.split("/").slice(1, -1))
    }
  })
  for (const template of extra) add(template, "GET")
  const router = FindMyWay.make<RouteEntry>({ ...routerConfig, maxParamLength: 65_536 })
  const entries = [
    ...[...methods].map(([template, known]) => ({
      template,
      methods: known,
      endpoints: endpoints.get(template) ?? new Map<string, RouteEndpoint>()
    })),
    ...more
  ]
  for (const entry of entries) router.on("GET", routerPath(entry.template), entry)
  for (const { template, fixed: answer } of more) if (answer !== undefined) fixed.set(template, answer)
  return { entries, find: (path) => router.find("GET", path)?.handler, tails, fixed, lacking: lackingOf(entries) }
}
