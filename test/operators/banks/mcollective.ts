import type { Samples } from "./sample.ts"

export const samples: Samples = {
  texts: {},
  lines: [
    {
      name: "MCOLLECTIVE",
      line: "I, [2010-11-12T16:53:49.123456 #12345]  INFO -- : message",
      rows: [
        ["timestamp", "timestamp", "2010-11-12T16:53:49.123456"],
        ["pid", "process.pid", 12345],
        ["event_level", "log.level", "INFO"]
      ]
    },
    {
      name: "MCOLLECTIVE",
      line: "w, [2010-11-12T16:53:49.123456 #12345]  WARN -- : message",
      rows: [
        ["timestamp", "timestamp", "2010-11-12T16:53:49.123456"],
        ["pid", "process.pid", 12345],
        ["event_level", "log.level", "WARN"]
      ]
    },
    {
      name: "MCOLLECTIVEAUDIT",
      line: "2010-12-28T17:09:03.889113+0000: reqid=319719cc",
      rows: [["timestamp", "timestamp", "2010-12-28T17:09:03.889113+0000"]]
    }
  ],
  misses: {
    MCOLLECTIVE: ["[2010-11-12T16:53:49 #12345] INFO", "I, [2010-11-12T16:53:49] INFO"],
    MCOLLECTIVEAUDIT: ["2010-12-28: x", "Dec 28 17:09:03:"]
  }
}
