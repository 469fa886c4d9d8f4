import { HttpApi, type HttpApiClient, OpenApi } from "effect/http-api"
import { Api } from "./Api.ts"
import { packageVersion } from "./drivers/Package.ts"
import { type Document, openApiDocument, options } from "./layers/http/endpoints/OpenApiDocument.ts"
import { archives } from "./services/archives/Description.ts"
import { artifacts } from "./services/artifacts/Description.ts"
import { audit } from "./services/audit/Description.ts"
import { channels } from "./services/channels/Description.ts"
import { conf } from "./services/conf/Description.ts"
import { documentation } from "./services/documentation/Description.ts"
import { executions } from "./services/executions/Description.ts"
import { extraction } from "./services/extraction/Description.ts"
import { files } from "./services/files/Description.ts"
import { flowlines } from "./services/flowlines/Description.ts"
import { keys } from "./services/keys/Description.ts"
import { limits } from "./services/limits/Description.ts"
import { operators } from "./services/operators/Description.ts"
import { platform } from "./services/platform/Description.ts"
import { registry } from "./services/registry/Description.ts"
import { resources } from "./services/resources/Description.ts"
import { scan } from "./services/scan/Description.ts"
import { hooks, schedules } from "./services/schedules/Description.ts"
import { search } from "./services/search/Description.ts"
import { secrets } from "./services/secrets/Description.ts"
import type { Feature } from "./services/shared/openapi/OpenApiParts.ts"
import { Authentication } from "./services/shared/security/Security.ts"

type Endpoints = HttpApiClient.ForApi<typeof Api>

/** Every endpoint of every group is described, by the client's names. */
const features: { readonly [Group in keyof Endpoints]: Feature<keyof Endpoints[Group] & string> } = {
  archives,
  audit,
  channels,
  conf,
  documentation,
  executions,
  extraction,
  files,
  flowlines,
  limits,
  keys,
  operators,
  platform,
  registry,
  resources: artifacts,
  scan,
  schedules,
  hooks,
  search,
  secrets,
  stored: resources
}

/** The operations that ask for credentials. */
const authenticated = (): ReadonlySet<string> => {
  const ids = new Set<string>()
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group }) => {
      if (endpoint.middlewares.has(Authentication)) ids.add(`${group.identifier}.${endpoint.identifier}`)
    }
  })
  return ids
}

let made: Document | undefined

/**
 * The OpenAPI document of the gateway. Made when it is first asked for, and kept apart from `Api.ts`, so that clients do
 * not carry its prose.
 */
export const description = (): Document => {
  made ??= openApiDocument(OpenApi.fromApi(Api, options), {
    version: packageVersion,
    features,
    authenticated: authenticated()
  })
  return made
}

/** The interface for pages that show it: they get the whole document. */
export const DescribedApi = Api.annotate(OpenApi.Transform, description)
