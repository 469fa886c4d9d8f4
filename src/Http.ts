import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { HttpApi, HttpApiBuilder } from "effect/http-api"
import { Api } from "./Api.ts"
import { DescribedApi, description } from "./Description.ts"
import * as Answers from "./layers/http/Answers.ts"
import * as Console from "./layers/http/console/Console.ts"
import * as ConsoleLogin from "./layers/http/console/ConsoleLogin.ts"
import * as ConsoleSession from "./layers/http/console/ConsoleSession.ts"
import * as Docs from "./layers/http/endpoints/Docs.ts"
import * as Health from "./layers/http/endpoints/Health.ts"
import * as Metrics from "./layers/http/endpoints/Metrics.ts"
import * as Authentication from "./layers/http/guards/Authentication.ts"
import * as Authorization from "./layers/http/guards/Authorization.ts"
import * as KnownTenant from "./layers/http/guards/KnownTenant.ts"
import * as LastingRights from "./layers/http/guards/LastingRights.ts"
import * as RequestDecoding from "./layers/http/guards/RequestDecoding.ts"
import * as RequestRate from "./layers/http/guards/RequestRate.ts"
import * as ProblemPages from "./layers/http/problems/ProblemPages.ts"
import { routeTable } from "./layers/http/routes/RouteTable.ts"
import * as WrongMethods from "./layers/http/routes/WrongMethods.ts"
import { withFewServices } from "./layers/http/server/RequestContext.ts"
import { ArchivesHttp } from "./services/archives/Http.ts"
import { ArtifactsHttp } from "./services/artifacts/Http.ts"
import { AuditHttp } from "./services/audit/Http.ts"
import { ChannelsHttp } from "./services/channels/Http.ts"
import { ConfHttp } from "./services/conf/Http.ts"
import { DocumentationHttp } from "./services/documentation/Http.ts"
import { ExecutionsHttp } from "./services/executions/Http.ts"
import { ExtractionHttp } from "./services/extraction/Http.ts"
import { FilesHttp } from "./services/files/Http.ts"
import { FlowlinesHttp } from "./services/flowlines/Http.ts"
import { KeysHttp } from "./services/keys/Http.ts"
import { LimitsHttp } from "./services/limits/Http.ts"
import { OperatorsHttp } from "./services/operators/Http.ts"
import { PlatformHttp } from "./services/platform/Http.ts"
import { RegistryHttp } from "./services/registry/Http.ts"
import { ResourcesHttp } from "./services/resources/Http.ts"
import { ScanHttp } from "./services/scan/Http.ts"
import { HooksHttp, SchedulesHttp } from "./services/schedules/Http.ts"
import { SearchHttp } from "./services/search/Http.ts"
import { SecretsHttp } from "./services/secrets/Http.ts"

/** Paths for operators, served in every role of the gateway. */
const operatorPaths = ["/metrics", "/health/ready", "/problems/{problem}"]

const consolePaths = ["/console", "/console/*", ...ConsoleLogin.paths]

/** All paths of the gateway. */
export const table = routeTable(
  Api,
  [...consolePaths, "/docs", "/openapi.json", ...operatorPaths],
  ConsoleSession.route,
  Health.live
)

/** All paths of a gateway that only runs executions and jobs. */
const runnerTable = routeTable(HttpApi.make("runner"), operatorPaths, Health.live)

const Handlers = Layer.mergeAll(
  withFewServices(PlatformHttp, ["platform"]),
  withFewServices(OperatorsHttp, ["operators"]),
  withFewServices(ChannelsHttp, ["channels"]),
  withFewServices(ConfHttp, ["conf"]),
  withFewServices(DocumentationHttp, ["documentation"]),
  withFewServices(ScanHttp, ["scan"]),
  withFewServices(ArtifactsHttp, ["artifacts"]),
  withFewServices(ResourcesHttp, ["resources"]),
  withFewServices(RegistryHttp, ["registry"]),
  withFewServices(FilesHttp, ["files"]),
  withFewServices(SearchHttp, ["search"]),
  withFewServices(SecretsHttp, ["secrets"]),
  withFewServices(KeysHttp, ["keys"]),
  withFewServices(ExtractionHttp, ["extraction"]),
  withFewServices(FlowlinesHttp, ["flowlines"]),
  withFewServices(ExecutionsHttp, ["executions"]),
  withFewServices(ArchivesHttp, ["archives"]),
  withFewServices(AuditHttp, ["audit"]),
  withFewServices(LimitsHttp, ["limits"]),
  withFewServices(SchedulesHttp, ["schedules"]),
  withFewServices(HooksHttp, ["schedules"])
).pipe(Layer.provide(LastingRights.layer))

const ApiRoutes = HttpApiBuilder.layer(Api).pipe(
  Layer.provide(Handlers),
  Layer.provide([
    Authentication.layer,
    Authorization.layer,
    KnownTenant.layer,
    RequestDecoding.layer,
    RequestRate.layer
  ])
)

/** Written as text once, when it is first asked for. */
let document: string | undefined
const DescriptionRoute = HttpRouter.add(
  "GET",
  "/openapi.json",
  Effect.sync(() => {
    document ??= JSON.stringify(description())
    return HttpServerResponse.text(document, { contentType: "application/json" })
  })
)

/** The routes of a gateway that only runs executions and jobs: metrics, health and problem pages. */
export const RunnerRoutes = Layer.mergeAll(Metrics.layer, Health.layer, ProblemPages.layer, Answers.layer(runnerTable))

/**
 * All routes: the API, its documentation, the paths for operators, and the handling of problems around every answer.
 */
export const Routes = Layer.mergeAll(
  ApiRoutes,
  DescriptionRoute,
  Docs.layer(DescribedApi),
  Console.layer,
  ConsoleSession.layer,
  ConsoleLogin.layer,
  Metrics.layer,
  Health.layer,
  ProblemPages.layer,
  WrongMethods.layer(table),
  Answers.layer(table)
)
