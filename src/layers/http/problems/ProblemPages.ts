import { readFile } from "node:fs/promises"
import { Effect } from "effect"
import { HttpRouter, HttpServerRespondable, HttpServerResponse } from "effect/http"
import { packagePath } from "../../../drivers/Package.ts"
import { NotFound } from "../../../errors/NotFound.ts"

const folder = packagePath("docs/problems")

/** A browser that renders Markdown shows the text and nothing else. */
const headers = { "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox" }

/** `/problems/<name>`: the page that the `type` of a problem refers to. */
export const layer = HttpRouter.add(
  "GET",
  "/problems/:problem",
  Effect.gen(function* () {
    const { problem = "" } = yield* HttpRouter.params
    const missing = new NotFound({ kind: "page", id: problem })
    if (!/^[a-z-]{1,64}$/.test(problem)) return yield* HttpServerRespondable.toResponse(missing)
    return yield* Effect.tryPromise(() => readFile(`${folder}/${problem}.md`, "utf8")).pipe(
      Effect.map((page) => HttpServerResponse.text(page, { contentType: "text/markdown; charset=utf-8", headers })),
      Effect.catch(() => HttpServerRespondable.toResponse(missing))
    )
  })
)
