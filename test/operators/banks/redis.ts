import type { Samples } from "./sample.ts"

export const samples: Samples = {
  texts: {
    REDISTIMESTAMP: {
      yes: ["14 Nov 07:01:22.119", "14 Nov 2019 07:01:22.119"],
      no: ["Nov 14 07:01:22", "14 Nov 07:01"]
    }
  },
  lines: [
    {
      name: "REDISLOG",
      line: "[4018] 14 Nov 07:01:22.119 * Background saving terminated with success",
      rows: [
        ["pid", "process.pid", 4018],
        ["timestamp", "timestamp", "14 Nov 07:01:22.119"]
      ]
    },
    {
      name: "REDISLOG",
      line: "4018:M 14 Nov 2019 07:01:22.119 # Warning",
      rows: [
        ["pid", "process.pid", 4018],
        ["timestamp", "timestamp", "14 Nov 2019 07:01:22.119"]
      ]
    },
    {
      name: "REDISMONLOG",
      line: '1470637925.186681 [0 127.0.0.1:39404] "rpush" "my:special:key" "{\\"a\\":1}"',
      rows: [
        ["timestamp", "timestamp", "1470637925.186681"],
        ["database", "redis.database.id", "0"],
        ["client", "client.ip", "127.0.0.1"],
        ["port", "client.port", 39404],
        ["command", "redis.command.name", "rpush"],
        ["params", "redis.command.args", '"my:special:key" "{\\"a\\":1}"']
      ]
    },
    {
      name: "REDISMONLOG",
      line: '1470637925.186681 [15 [::1]:6379] "ping"',
      rows: [
        ["timestamp", "timestamp", "1470637925.186681"],
        ["database", "redis.database.id", "15"],
        ["client", "client.ip", "::1"],
        ["port", "client.port", 6379],
        ["command", "redis.command.name", "ping"]
      ]
    },
    {
      name: "REDISMONLOG",
      line: '1470637925.186681 [3 lua] "get" "x"',
      rows: [
        ["timestamp", "timestamp", "1470637925.186681"],
        ["database", "redis.database.id", "3"],
        ["command", "redis.command.name", "get"],
        ["params", "redis.command.args", '"x"']
      ]
    }
  ],
  misses: {
    REDISLOG: [
      "[4018] 14 Nov 07:01:22.119 Background",
      "[x] 14 Nov 07:01:22.119 * y",
      "4018:Q 14 Nov 07:01:22.119 * y"
    ],
    REDISMONLOG: ['1470637925.186681 [0 here] "ping"', "1470637925.186681 [0 127.0.0.1:39404] ping"]
  }
}
