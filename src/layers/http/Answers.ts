import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, type HttpServerResponse } from "effect/http"
import { Authenticator } from "../../services/access/Authenticator.ts"
import { Refusals } from "../../services/shared/security/Refusals.ts"
import { Settings } from "../../services/shared/settings/Settings.ts"
import { Tenants } from "../../services/shared/Tenant.ts"
import { withClientAddress } from "./answers/ClientAddress.ts"
import { compression } from "./answers/Compression.ts"
import { cors } from "./answers/Cors.ts"
import { FixedAnswers } from "./answers/FixedAnswers.ts"
import { problems } from "./answers/Problems.ts"
import { revalidated } from "./answers/Revalidation.ts"
import { browserCheck } from "./guards/Browsers.ts"
import { restPaths } from "./routes/RestPaths.ts"
import type { RouteTable } from "./routes/RouteTable.ts"

const withTags = <E, R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  HttpServerRequest.HttpServerRequest.use((request) => Effect.map(app, (response) => revalidated(request, response)))

/** What wraps every answer. The order matters: what comes later sees what came before. */
export const layer = (table: RouteTable) =>
  HttpRouter.middleware(
    Effect.map(
      Effect.all([Tenants, Settings, Authenticator, Refusals, FixedAnswers]),
      ([tenants, settings, authenticator, refusals, fixed]) => {
        const check = browserCheck(settings.host, settings.hosts, settings.cors)
        const withProblems = problems({ tenants, authenticator, refusals, table, check })
        const withCors = cors(settings.cors, settings.auth, check)
        const routed = restPaths(table)
        return (httpEffect) => {
          const plain = withProblems(httpEffect)
          const finished = settings.compression ? compression(plain, revalidated) : withTags(plain)
          const answered = settings.cors.length === 0 ? finished : withCors(finished)
          return HttpServerRequest.HttpServerRequest.use((given) => {
            const request = withClientAddress(routed(given))
            const learned = fixed.learning(given, answered)
            if (request === given) return learned
            return Effect.provideService(learned, HttpServerRequest.HttpServerRequest, request)
          })
        }
      }
    ),
    { global: true }
  )
