/** The initial files of a new channel. They run without changes. */
export const example = {
  "channel_structure.yaml": `version: "1.0"
applications:
  - name: ticks
    runtime: stream
    restart: { initial: 1s, max: 60s, perHour: 20 }
`,
  "ticks.yaml": `runtime: stream
dag:
  - type: generator_input
    settings: { messages: [tick], rate: 1 }
    publish: [ { stream: out } ]
  - type: show
    settings: { limit: 1000 }
    subscribe: [ { component: generator_input, stream: out } ]
`
}
