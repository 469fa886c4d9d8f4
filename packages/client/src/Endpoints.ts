import type { HttpApiClient } from "effect/http-api"
import type { Api } from "../../../src/Api.ts"

/** A method for every endpoint, by group, with the problems that it can fail with. */
export type Endpoints = HttpApiClient.ForApi<typeof Api>
