import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { catalogue } from "../../src/nodes/Catalogue.ts"
import { secretsOf } from "../../src/nodes/flowline/SecretSettings.ts"
import { settingsSchema } from "../../src/nodes/settings/SettingsSchema.ts"
import { hasSecret, secretReferences, withSecrets } from "../../src/protocol/Secrets.ts"
import { definition, issues } from "../flowlines/read.ts"

const summary = (text: string) =>
  issues(text).map(({ pointer, detail, line, column }) => `${line}:${column} ${pointer} ${detail}`)

const sender = (settings: string) => `runtime: stream
dag:
  - type: generator_input
    settings: { messages: [a], count: 1 }
    publish: [ { stream: out } ]
  - type: http_output
    settings:
${settings}
    subscribe: [ { component: generator_input, stream: out } ]
`

describe("references to secrets", () => {
  it("are texts with a name, unless they are escaped", () => {
    expect(
      secretReferences(`a \${secret:A} $\${secret:B} $$\${secret:C} \${secret:D_1}\${secret:d} \${secret:`)
    ).toEqual([
      { name: "A", at: 2 },
      { name: "D_1", at: 41 },
      { name: undefined, at: 54 },
      { name: undefined, at: 66 }
    ])
    const value = { a: [`x \${secret:A}`, 1, null, { [`\${secret:A}`]: `$\${secret:A}` }] }
    expect(withSecrets(value, { A: `\${secret:B}$&`, B: "b" })).toEqual({
      a: [`x \${secret:B}$&`, 1, null, { [`\${secret:A}`]: `\${secret:A}` }]
    })
    expect(withSecrets(`\${secret:toString} \${secret:MISSING}`, {})).toBe(`\${secret:toString} \${secret:MISSING}`)
  })

  it.prop("an escaped text is the text", { text: Schema.String }, ({ text }) => {
    const escaped = text.replaceAll(`\${secret:`, `$\${secret:`)
    expect(hasSecret(escaped)).toBe(false)
    expect(withSecrets(escaped, {})).toBe(text)
  })

  it("may stand in the settings that a node declares, of which each exists", () => {
    for (const type of catalogue.values()) {
      const names = Object.keys(settingsSchema(type)["properties"] ?? {})
      expect([type.type, names]).toEqual([type.type, expect.arrayContaining([...(type.secrets ?? [])])])
    }
    const { flowline, dag } = definition(
      sender(`      url: "\${secret:HOOK}"
      headers: { Authorization: "Bearer \${secret:TOKEN}", X-Text: "$\${secret:NOT}" }`)
    )
    expect([...secretsOf(flowline)]).toEqual([
      ["HOOK", "http_output"],
      ["TOKEN", "http_output"]
    ])
    expect(dag).toContain(`Bearer \${secret:TOKEN}`)
    const { url } = settingsSchema(catalogue.get("http_output")!)["properties"] as Record<
      string,
      { allOf?: ReadonlyArray<{ pattern: string }>; pattern?: string }
    >
    const pattern = new RegExp(url?.pattern ?? url?.allOf?.[0]?.pattern ?? "missing", "u")
    expect(
      [`https://a.example/\${secret:A}`, `\${secret:A}`, "ftp://a", "secret:A"].map((text) => pattern.test(text))
    ).toEqual([true, true, false, false])
  })

  it("are refused with their place where they cannot be", () => {
    expect(
      summary(`runtime: stream
name: \${secret:FINE}
settings: { resources: ["\${secret:A}"] }
dag:
  - type: generator_input
    description: \${secret:FINE}
    settings: { messages: [a, { "\${secret:B}": "x \${secret:c}" }], count: 1 }
    publish: [ { stream: out } ]
  - type: grok
    component: "\${secret:C}"
    settings:
      patterns:
        - |
          ^a
          b \${secret:TOKEN}
    subscribe: [ { component: generator_input, stream: out } ]
    publish: [ { stream: out } ]
  - type: show
    subscribe: [ { component: "\${secret:C}", stream: out } ]
`)
    ).toEqual([
      expect.stringMatching(/^3:26 \/settings\/resources\/0 Only settings of nodes can refer to secrets$/),
      expect.stringMatching(/^7:\d+ \/dag\/0\/settings\/messages\/1\/\$\{secret:B\} A key cannot refer to a secret$/),
      expect.stringMatching(
        /^7:\d+ \/dag\/0\/settings\/messages\/1\/\$\{secret:B\} A reference to a secret is \$\{secret:NAME\}/
      ),
      expect.stringMatching(/^10:\d+ \/dag\/1\/component Only settings of nodes can refer to secrets$/),
      "15:13 /dag/1/settings/patterns/0 The setting patterns of grok cannot refer to a secret, as it is read when the flowline is saved: no setting of it can",
      expect.stringMatching(/^19:\d+ \/dag\/2\/subscribe\/0\/component Only settings of nodes can refer to secrets$/)
    ])
    expect(summary(sender(`      url: https://a.example\n      id_field: "\${secret:A}"`))).toEqual([
      expect.stringMatching(/^9:18 .* only url and headers can$/)
    ])
    expect(summary(sender('      url: "ftp://a.example/secret:A"'))[0]).toMatch(/http or https address/)
  })
})
