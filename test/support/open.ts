import { Layer } from "effect"
import * as Anonymous from "../../src/layers/access/Anonymous.ts"
import * as Authentication from "../../src/layers/http/Authentication.ts"
import * as Authorization from "../../src/layers/http/Authorization.ts"
import * as RequestRate from "../../src/layers/http/RequestRate.ts"

/** What every group of endpoints needs around its handlers: anybody may do everything, at any rate. */
export const open = Layer.mergeAll(Authentication.layer, Authorization.layer, RequestRate.layer).pipe(
  Layer.provide(Anonymous.layer)
)
