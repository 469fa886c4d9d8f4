import type { Samples } from "./sample.ts"

export const samples: Samples = {
  texts: {
    MAVEN_VERSION: {
      yes: [
        "1",
        "1.2",
        "1.1.0",
        "1.1.0.RELEASE",
        "1.1.0-SNAPSHOT",
        "1.1.0.SNAPSHOT",
        "1.*",
        "4.1.0.Final",
        "2.0-rc.1",
        "3.0.0-M2",
        "3.0.0-alpha-1-SNAPSHOT",
        "1.2.3.4"
      ],
      no: ["", "v1", "1.", "1..2", "1.0-SNAPSHOTS", "1.0-main", "1.2.3.4.5"]
    }
  },
  lines: [],
  misses: {}
}
