import { Layer } from "effect"
import { HttpApiBuilder, HttpApiScalar } from "effect/http-api"
import { PrometheusMetrics } from "effect/observability"
import { Api } from "./Api.ts"
import * as Health from "./layers/http/Health.ts"
import * as KnownTenantLookup from "./layers/http/KnownTenant.ts"
import { lean } from "./layers/http/Lean.ts"
import * as ProblemPages from "./layers/http/ProblemPages.ts"
import * as Problems from "./layers/http/Problems.ts"
import * as RestPaths from "./layers/http/RestPaths.ts"
import { routeTable } from "./layers/http/RouteTable.ts"
import { Archives } from "./services/archives/Archives.ts"
import { ArchivesHttp } from "./services/archives/Http.ts"
import { Conf } from "./services/conf/Conf.ts"
import { ConfHttp } from "./services/conf/Http.ts"
import { Executions } from "./services/executions/Executions.ts"
import { ExecutionsHttp } from "./services/executions/Http.ts"
import { Flowlines } from "./services/flowlines/Flowlines.ts"
import { FlowlinesHttp } from "./services/flowlines/Http.ts"
import { OperatorsHttp } from "./services/operators/Http.ts"
import { Operators } from "./services/operators/Operators.ts"
import { PlatformHttp } from "./services/platform/Http.ts"
import { Platform } from "./services/platform/Platform.ts"
import { Draining } from "./services/shared/Draining.ts"
import { IdempotencyStore } from "./services/shared/Idempotency.ts"
import * as RequestProblemIssues from "./services/shared/RequestProblems.ts"
import { RequestProblems } from "./services/shared/RequestProblems.ts"
import { Settings } from "./services/shared/Settings.ts"
import { KnownTenant } from "./services/shared/Tenant.ts"

/** Every path that the gateway knows. */
export const table = routeTable(Api, [
  "/docs",
  "/openapi.json",
  "/metrics",
  "/health/live",
  "/health/ready",
  "/problems/{problem}"
])

/** Middleware, which is looked up at request time. */
const always = [RequestProblems]
const ofTenants = [...always, KnownTenant]

const Handlers = Layer.mergeAll(
  lean(PlatformHttp, [...always, Platform]),
  lean(OperatorsHttp, [...always, Operators]),
  lean(ConfHttp, [...ofTenants, Conf]),
  lean(FlowlinesHttp, [...ofTenants, Flowlines, Executions, IdempotencyStore, Settings]),
  lean(ExecutionsHttp, [...ofTenants, Executions, Draining]),
  lean(ArchivesHttp, [...ofTenants, Archives])
)

const ApiRoutes = HttpApiBuilder.layer(Api, { openapiPath: "/openapi.json" }).pipe(
  Layer.provide(Handlers),
  Layer.provide([KnownTenantLookup.layer, RequestProblemIssues.layer])
)

/** Everything that is served: the API, its description, what operators look at, and what wraps every answer. */
export const Routes = Layer.mergeAll(
  ApiRoutes,
  HttpApiScalar.layer(Api, { path: "/docs" }),
  PrometheusMetrics.layerHttp({ path: "/metrics" }),
  Health.layer,
  ProblemPages.layer,
  RestPaths.layer(table),
  Problems.layer(table)
)
