import type { Row, Samples } from "./sample.ts"

const started: ReadonlyArray<Row> = [
  ["timestamp", "timestamp", "2014-01-01T02:03:04.567890"],
  ["pid", "process.pid", 1234]
]

export const samples: Samples = {
  texts: { RUBY_LOGLEVEL: { yes: ["DEBUG", "FATAL", "ERROR", "WARN", "INFO", "ANY"], no: ["", "debug", "WARNING"] } },
  lines: [
    {
      name: "RUBY_LOGGER",
      line: "W, [2014-01-01T02:03:04.567890 #1234]  WARN -- my app: low: disk",
      rows: [
        ...started,
        ["loglevel", "log.level", "WARN"],
        ["progname", "process.name", "my app"],
        ["message", "message", "low: disk"]
      ]
    },
    {
      name: "RUBY_LOGGER",
      line: "D, [2014-01-01T02:03:04.567890 #1234] DEBUG -- : x",
      rows: [...started, ["loglevel", "log.level", "DEBUG"], ["message", "message", "x"]]
    }
  ],
  misses: { RUBY_LOGGER: ["D, [2014-01-01 #1] DEBUG -- : x", "D, [2014-01-01T02:03:04 #1] DEBUG x"] }
}
