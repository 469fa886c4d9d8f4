import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { TestGateway } from "../support/gateway.ts"
import { accessFile, hashOf } from "./accessFiles.ts"

/** What a browser adds to a request of a page of the gateway. */
export const ownPage = { "sec-fetch-site": "same-origin" }

/** An answer as the tests look at it. */
export interface Got {
  readonly status: number
  readonly headers: Headers
  readonly cookies: ReadonlyArray<string>
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: what the gateway answers is what the tests look at
  readonly json: any
}

/**
 * A browser with its cookies, as far as the gateway can tell: it stores cookies of `Set-Cookie`, and follows no
 * redirection.
 */
export class Browser {
  readonly jar = new Map<string, string>()
  readonly #url: string

  constructor(url: string, jar: ReadonlyMap<string, string> = new Map()) {
    this.#url = url
    for (const [name, value] of jar) this.jar.set(name, value)
  }

  get cookie(): string {
    return [...this.jar].map(([name, value]) => `${name}=${value}`).join("; ")
  }

  async send(method: string, path: string, headers: Record<string, string> = ownPage, body?: string): Promise<Got> {
    const cookie: Record<string, string> = this.jar.size === 0 ? {} : { cookie: this.cookie }
    const url = new URL(path, this.#url)
    const init: RequestInit = { method, redirect: "manual", headers: { ...cookie, ...headers } }
    const response = await fetch(url, body === undefined ? init : { ...init, body })
    const cookies = response.headers.getSetCookie()
    for (const one of cookies) {
      const [pair = "", ...attributes] = one.split("; ")
      const at = pair.indexOf("=")
      const [name, value] = [pair.slice(0, at), pair.slice(at + 1)]
      if (attributes.includes("Max-Age=0")) this.jar.delete(name)
      else this.jar.set(name, value)
    }
    const text = await response.text()
    const isJson = /json/.test(response.headers.get("content-type") ?? "")
    return {
      status: response.status,
      headers: response.headers,
      cookies,
      text,
      json: isJson ? JSON.parse(text) : undefined
    }
  }

  get(path: string, headers?: Record<string, string>) {
    return Effect.promise(() => this.send("GET", path, headers))
  }

  post(path: string, body: unknown, headers: Record<string, string> = ownPage) {
    const type = { "content-type": "application/json" }
    return Effect.promise(() => this.send("POST", path, { ...type, ...headers }, JSON.stringify(body)))
  }

  delete(path: string, headers?: Record<string, string>) {
    return Effect.promise(() => this.send("DELETE", path, headers))
  }

  logIn(credential: object, headers?: Record<string, string>) {
    return this.post("/console/session", credential, headers)
  }

  /** The user according to the gateway. */
  readonly session = Effect.suspend(() => this.get("/console/session"))
}

/** A browser without cookies. */
export const freshBrowser = Effect.map(TestGateway, ({ url }) => new Browser(url))

export const password = "correct horse"
const stored = hashOf(password)

/** The access file with these users. */
export const users = (more: object = {}) =>
  accessFile(
    {
      alice: { stored, roles: { mytenant: "admin", othertenant: "viewer" } },
      root: { stored, roles: { "*": "admin" } },
      vera: { stored, roles: { mytenant: "viewer" } }
    },
    more
  )
export const file = users()
export const alice = { user: "alice", password }

export const archives = "/v1/mytenant/archives"

/** A browser with a logged-in user. */
export const loggedIn = Effect.fnUntraced(function* (credential: object = alice) {
  const browser = yield* freshBrowser
  const answer = yield* browser.logIn(credential)
  expect([answer.status, answer.text]).toEqual([200, answer.text])
  return browser
})
