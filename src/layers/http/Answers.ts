import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import { Authenticator } from "../../services/access/Authenticator.ts"
import { Refusals } from "../../services/shared/Refusals.ts"
import { Settings } from "../../services/shared/Settings.ts"
import { Tenants } from "../../services/shared/Tenant.ts"
import { recognized } from "./Authentication.ts"
import { browserCheck } from "./Browsers.ts"
import { compression } from "./Compression.ts"
import { cors } from "./Cors.ts"
import { identified } from "./Identified.ts"
import { problems } from "./Problems.ts"
import { revalidation } from "./Revalidation.ts"
import type { RouteTable } from "./RouteTable.ts"

/** What wraps every answer. The order matters: what comes later sees what came before. */
export const layer = (table: RouteTable) =>
  HttpRouter.middleware(
    Effect.map(
      Effect.all([Tenants, Settings, Authenticator, Refusals]),
      ([tenants, settings, authenticator, refusals]) => {
        const check = browserCheck(settings.host, settings.hosts, settings.cors)
        const withProblems = problems({ tenants, authenticator, refusals, table, check })
        const withCors = cors(settings.cors, settings.auth, check)
        return (httpEffect) => {
          const plain = revalidation(withProblems(httpEffect))
          const answered = settings.compression ? compression(plain) : plain
          return recognized(authenticator, identified(settings.cors.length === 0 ? answered : withCors(answered)))
        }
      }
    ),
    { global: true }
  )
