import { Layer } from "effect"
import { RequestRate } from "../../services/shared/Security.ts"

export const layer = Layer.succeed(RequestRate, (httpEffect) => httpEffect)
