import type { Samples } from "./sample.ts"

const slow = (query: string) =>
  `[conn11485496] query sample.my-users query: ${query} ntoreturn:0 ntoskip:5 nscanned:287011 ` +
  "keyUpdates:0 numYields: 2 locks(micros) r:4187700 nreturned:18 reslen:14019 2340ms"

export const samples: Samples = {
  texts: {
    MONGO_WORDDASH: { yes: ["users", "my-users_1"], no: ["", "a.b", "-a", "a-"] },
    MONGO3_SEVERITY: { yes: ["I", "D2"], no: ["", "info", "--"] },
    MONGO3_COMPONENT: { yes: ["NETWORK"], no: ["", "--", "A B"] }
  },
  lines: [
    { name: "MONGO_QUERY", line: "q: { a: { b: 1 } } ntoreturn:0", rows: [] },
    {
      name: "MONGO_LOG",
      line: "Fri Nov  1 11:00:00.123 [conn123] end connection 127.0.0.1:1",
      rows: [
        ["timestamp", "timestamp", "Nov  1 11:00:00.123"],
        ["component", "mongodb.component", "conn123"],
        ["message", "message", "end connection 127.0.0.1:1"]
      ]
    },
    {
      name: "MONGO_SLOWQUERY",
      line: slow("{ $query: { id: 12345 }, x: { $gt: 1 } }"),
      rows: [
        ["", "mongodb.profile.op", "query"],
        ["database", "mongodb.database", "sample"],
        ["collection", "mongodb.collection", "my-users"],
        ["query", "mongodb.query.original", "{ $query: { id: 12345 }, x: { $gt: 1 } }"],
        ["ntoreturn", "mongodb.profile.ntoreturn", 0],
        ["ntoskip", "mongodb.profile.ntoskip", 5],
        ["nscanned", "mongodb.profile.nscanned", 287011],
        ["nreturned", "mongodb.profile.nreturned", 18],
        ["duration", "mongodb.profile.duration", 2340]
      ]
    },
    {
      name: "MONGO3_LOG",
      line: "2014-11-03T18:28:32.450-0500 I NETWORK  [journal writer] [a] waiting",
      rows: [
        ["timestamp", "timestamp", "2014-11-03T18:28:32.450-0500"],
        ["severity", "log.level", "I"],
        ["component", "mongodb.component", "NETWORK"],
        ["context", "mongodb.context", "journal writer"],
        ["message", "message", "[a] waiting"]
      ]
    },
    {
      name: "MONGO3_LOG",
      line: "2019-11-03T18:28:32.450Z D2 - shutting down",
      rows: [
        ["timestamp", "timestamp", "2019-11-03T18:28:32.450Z"],
        ["severity", "log.level", "D2"],
        ["component", "", "-"],
        ["message", "message", "shutting down"]
      ]
    }
  ],
  misses: {
    MONGO_LOG: ["Nov  1 11:00:00 conn123 end", "2014-11-03T18:28:32.450-0500 [conn1] x"],
    MONGO_QUERY: ["{ a: 1 }", "{a: 1} ntoreturn:0"],
    MONGO_SLOWQUERY: [slow("{ a: 1 }").replace("2340ms", "fast"), slow("12345")],
    MONGO3_LOG: ["2014-11-03 I NETWORK [a] b", "2014-11-03T18:28:32.450-0500 info NETWORK [a] b"]
  }
}
