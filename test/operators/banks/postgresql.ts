import type { Samples } from "./sample.ts"

export const samples: Samples = {
  texts: {},
  lines: [
    {
      name: "POSTGRESQL",
      line: "03-12-2013 14:17:01.234 CET postgres 52a0c2d7.1b3f 6975",
      rows: [
        ["timestamp", "timestamp", "03-12-2013 14:17:01.234"],
        ["", "event.timezone", "CET"],
        ["user_id", "user.name", "postgres"],
        ["connection_id", "postgresql.log.connection_id", "52a0c2d7.1b3f"],
        ["pid", "process.pid", 6975]
      ]
    }
  ],
  misses: { POSTGRESQL: ["03-12-2013 14:17:01 CET postgres 6975", "03-12-2013 CET postgres 52a0c2d7.1b3f 6975"] }
}
