import { HttpApi, OpenApi } from "effect/http-api"
import { ArchivesApi } from "./services/archives/Api.ts"
import { ArtifactsApi } from "./services/artifacts/Api.ts"
import { AuditApi } from "./services/audit/Api.ts"
import { ChannelsApi } from "./services/channels/Api.ts"
import { ConfApi } from "./services/conf/Api.ts"
import { DocumentationApi } from "./services/documentation/Api.ts"
import { ExecutionsApi } from "./services/executions/Api.ts"
import { ExtractionApi } from "./services/extraction/Api.ts"
import { FilesApi } from "./services/files/Api.ts"
import { FlowlinesApi } from "./services/flowlines/Api.ts"
import { KeysApi } from "./services/keys/Api.ts"
import { LimitsApi } from "./services/limits/Api.ts"
import { OperatorsApi } from "./services/operators/Api.ts"
import { PlatformApi } from "./services/platform/Api.ts"
import { RegistryApi } from "./services/registry/Api.ts"
import { ResourcesApi } from "./services/resources/Api.ts"
import { ScanApi } from "./services/scan/Api.ts"
import { HooksApi, SchedulesApi } from "./services/schedules/Api.ts"
import { SearchApi } from "./services/search/Api.ts"
import { SecretsApi } from "./services/secrets/Api.ts"
import { RequestProblems, strict } from "./services/shared/requests/RequestProblems.ts"
import { Authentication, RequestRate } from "./services/shared/security/Security.ts"

/** The whole HTTP interface. The server serves it, the client derives from it, and OpenAPI describes it. */
export class Api extends HttpApi.make("flow-gateway")
  .add(PlatformApi)
  .add(OperatorsApi)
  .add(ChannelsApi)
  .add(ConfApi)
  .add(ExtractionApi)
  .add(FlowlinesApi)
  .add(ExecutionsApi)
  .add(ArchivesApi)
  .add(DocumentationApi)
  .add(ScanApi)
  .add(ArtifactsApi)
  .add(ResourcesApi)
  .add(RegistryApi)
  .add(FilesApi)
  .add(SearchApi)
  .add(AuditApi)
  .add(KeysApi)
  .add(SecretsApi)
  .add(LimitsApi)
  .add(SchedulesApi)
  .middleware(RequestProblems)
  .middleware(RequestRate)
  // The last one is the first to see a request: without credentials nothing of it is looked at.
  .middleware(Authentication)
  // Webhooks come without credentials but their own token.
  .add(HooksApi)
  // Report all faults of a request at once.
  .annotate(HttpApi.ParseOptions, { errors: "all" })
  .annotate(HttpApi.QueryParseOptions, strict)
  .annotate(HttpApi.PayloadParseOptions, strict)
  .annotateMerge(
    OpenApi.annotations({
      title: "Flow Gateway",
      description: "Per-tenant gateway in front of a data-processing platform."
    })
  ) {}
