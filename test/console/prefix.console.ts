import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { BrowserContext, Page } from "playwright-core"
import type { OidcIssuer } from "../support/oidcIssuer.ts"
import { account, dialogOf, endSession, logIn, logOut, password, Setting, setting, visit } from "./login.ts"
import { proxy } from "./proxy.ts"
import { at, fill, rate, withoutTenant } from "./support.ts"

const authorization = `Basic ${Buffer.from(`alice:${password}`).toString("base64")}`

const company = (page: Page) => dialogOf(page).getByRole("link", { name: /^Log in at Company/ })

/** The attributes of the browser's only cookie. */
const cookieOf = async (context: BrowserContext) => {
  const [cookie, ...others] = await context.cookies()
  assert.deepStrictEqual(others, [])
  return { path: cookie?.path, httpOnly: cookie?.httpOnly, sameSite: cookie?.sameSite }
}

layer(setting, { excludeTestServices: true })("a login below the prefix of a proxy", (it) => {
  const below = (
    name: string,
    run: (given: {
      readonly url: string
      readonly context: BrowserContext
      readonly issuer: OidcIssuer
    }) => Promise<void>
  ) =>
    it.effect(name, () =>
      Effect.scoped(
        Effect.gen(function* () {
          const { browser, gateway, issuer } = yield* Setting
          const { url } = yield* proxy(gateway.port)
          const context = yield* Effect.acquireRelease(
            Effect.promise(() => browser.newContext()),
            (context) => Effect.promise(() => context.close())
          )
          const beside: Array<string> = []
          context.on("request", (request) => {
            // Everything on the proxy outside of the prefix belongs to others.
            if (request.url().startsWith(new URL(url).origin) && !request.url().startsWith(`${url}/`)) {
              beside.push(request.url())
            }
          })
          yield* Effect.promise(() => run({ url, context, issuer }))
          assert.deepStrictEqual(beside, [])
        })
      )
    )

  below("by password keeps a deep link, and its cookie comes with each later request", async ({ url, context }) => {
    const body = new FormData()
    const text =
      "name: Deep\nruntime: stream\ndag:\n  - { type: generator_input, settings: { messages: [a], count: 1 } }\n"
    body.set("file", new Blob([text]), "deep.yaml")
    const headers = { authorization }
    const made = await fetch(`${url}/v1/mytenant/flowline/save`, { method: "POST", body, headers })
    const { id } = (await made.json()) as { readonly id: string }
    const complaints: Array<string> = []
    const address = `${url}/console/flowlines/${id}/versions?from=1`
    const page = await visit(context, address, complaints)
    await logIn(page)
    await page.getByRole("heading", { name: "Deep", level: 1 }).waitFor()
    assert.strictEqual(withoutTenant(page.url()), address)
    assert.deepStrictEqual(await cookieOf(context), { path: "/", httpOnly: true, sameSite: "Strict" })
    await page.reload()
    await page.getByRole("heading", { name: "Deep", level: 1 }).waitFor()
    await account(page).filter({ hasText: "alice" }).waitFor()
    assert.isFalse(await dialogOf(page).isVisible())
    // Changes need the cookie and a page of the gateway: the address that the browser sees counts as such.
    await page.getByRole("link", { name: "Text and DAG" }).click()
    await page.getByRole("button", { name: "Delete" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
    await page.waitForURL(at(`${url}/console/flowlines`))
    await logOut(page)
    assert.deepStrictEqual(await context.cookies(), [])
    assert.isTrue(page.url().startsWith(`${url}/console/`))
    assert.deepStrictEqual(complaints, [])
  })

  below("by key keeps a deep link with its query", async ({ url, context }) => {
    const made = await context.request.post(`${url}/v1/mytenant/keys`, {
      headers: { authorization },
      data: { name: "below", role: "viewer" }
    })
    const { key, id } = (await made.json()) as { readonly key: string; readonly id: string }
    const address = `${url}/console/runs?view=files&root=data`
    const page = await visit(context, address)
    await dialogOf(page).getByLabel("API key").check()
    await dialogOf(page).getByRole("textbox", { name: "API key" }).fill(key)
    await page.keyboard.press("Enter")
    await account(page).filter({ hasText: id }).waitFor()
    await page.getByRole("heading", { level: 1 }).first().waitFor()
    assert.strictEqual(withoutTenant(page.url()), address)
  })

  below(
    "shows commands with its address and the reader's login, only to those who may run them",
    async ({ url, context }) => {
      const page = await visit(context, `${url}/console/search?tenant=mytenant`)
      await logIn(page)
      await account(page).filter({ hasText: "alice" }).waitFor()
      const command = page.getByRole("main").getByRole("group").filter({ hasText: /curl / })
      for (const [path, start] of [
        ["search", `curl -u 'alice' ${url}/v1/mytenant/flowline `],
        ["runs", `curl -u 'alice' -F file=@flowline.yaml ${url}/v1/mytenant/flowline`],
        ["data/registry", "echo 'status,reason' > table.csv\ncurl -u 'alice' -F "]
      ] as const) {
        await page.goto(`${url}/console/${path}?tenant=mytenant`)
        await command.waitFor()
        assert.deepStrictEqual([path, (await command.innerText()).slice(0, start.length)], [path, start])
      }
      for (const path of ["search", "runs", "flowlines", "channels", "data/registry"]) {
        await page.goto(`${url}/console/${path}?tenant=othertenant`)
        await page.getByText("To begin here, you need the role developer.").waitFor()
        assert.strictEqual(await command.count(), 0)
      }
    }
  )

  below(
    "at an issuer comes back below it: to the deep link, after a refusal, and in a tab of its own",
    async ({ url, context, issuer }) => {
      const complaints: Array<string> = []
      const bytes = await new Response(
        new Blob([JSON.stringify({ operator: "grok", samples: "a 1", texts: { grok: "%{WORD:w} %{INT:n}" } })])
          .stream()
          .pipeThrough(new CompressionStream("deflate-raw"))
      ).arrayBuffer()
      const address = `${url}/console/#t=${Buffer.from(bytes).toString("base64url")}`
      const page = await visit(context, address, complaints)
      issuer.denial = "access_denied"
      await company(page).click()
      await dialogOf(page).getByText("The issuer has refused the login.").waitFor()
      assert.isTrue(page.url().startsWith(`${url}/console/login?problem=`))
      issuer.denial = undefined
      await company(page).click()
      await rate(page).filter({ hasText: "1 of 1 line match" }).waitFor()
      await account(page).filter({ hasText: "carol" }).waitFor()
      assert.isTrue(withoutTenant(page.url()).startsWith(`${url}/console/#t=`))
      assert.strictEqual(issuer.exchanges.at(-1)?.body.get("redirect_uri"), `${url}/console/login/oidc/callback`)
      // The cookies of the login are removed.
      assert.deepStrictEqual(await cookieOf(context), { path: "/", httpOnly: true, sameSite: "Strict" })
      await endSession(context, url)
      await fill(page, /^Grok patterns/, "%{GREEDYDATA:all}")
      const tab = context.waitForEvent("page")
      await company(page).click()
      const there = await tab
      await there.getByText("You can close this page").waitFor()
      assert.isTrue(there.url().startsWith(`${url}/console/login`))
      await dialogOf(page).waitFor({ state: "detached" })
      await page.getByRole("table").getByRole("row", { name: /^all/ }).waitFor()
      assert.deepStrictEqual(complaints, [])
    }
  )
})
