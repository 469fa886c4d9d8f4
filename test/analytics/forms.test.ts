import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { analytics, node, reading, within } from "./support.ts"

/** Files, with the output of reading them or the failure. */
const cases: ReadonlyArray<
  readonly [name: string, path: string, content: string, outcome: string | ReadonlyArray<string>]
> = [
  [
    "csv with integers beyond 38 digits",
    "a.csv",
    `a\n1\n${"9".repeat(40)}\n`,
    ['{"a":"1"}', `{"a":"${"9".repeat(40)}"}`]
  ],
  ["ndjson with integers beyond 38 digits", "a.ndjson", `{"a":${"9".repeat(40)}}\n`, [`{"a":${"9".repeat(40)}}`]],
  [
    "csv whose texts look like dates, times and booleans",
    "a.csv",
    "v,d,t,b,s,e\n22.04.03,01/02/2026,1:30,f,01-02-24 03:04:05,epoch\n10.11.12,03/04/2026,2:45,t,02-03-24 04:05:06,\n",
    [
      '{"v":"22.04.03","d":"01/02/2026","t":"1:30","b":"f","s":"01-02-24 03:04:05","e":"epoch"}',
      '{"v":"10.11.12","d":"03/04/2026","t":"2:45","b":"t","s":"02-03-24 04:05:06","e":null}'
    ]
  ],
  [
    "csv with times of nanoseconds, of which microseconds are kept",
    "a.csv",
    "t,z,u,c\n2026-01-02 03:04:05.123456789,2026-01-02T03:04:05.1234567Z,1500-01-01 00:00:00.1234567,03:04:05.1234567\n",
    [
      '{"t":"2026-01-02T03:04:05.123456Z","z":"2026-01-02T03:04:05.123456Z","u":"1500-01-01T00:00:00.123456Z","c":"03:04:05.123456"}'
    ]
  ],
  [
    "csv with times to the second, and zones",
    "a.csv",
    "t,z,d,c,b\n2026-01-02 03:04:05, 2026-07-02T03:04:05.123456+02:00 , 2026-01-02,03:04:05.123,TRUE\n2026-01-02T03:04,2026-07-02 03:04:05 Europe/Berlin,,04:05,False\n",
    [
      '{"t":"2026-01-02T03:04:05.000Z","z":"2026-07-02T01:04:05.123456Z","d":"2026-01-02","c":"03:04:05.123","b":true}',
      '{"t":"2026-01-02T03:04:00.000Z","z":"2026-07-02T01:04:05.000Z","d":null,"c":"04:05:00","b":false}'
    ]
  ],
  ["csv whose rows end in LF and in CRLF", "a.csv", "a,b\n1,x\r\n2,y\n", ['{"a":1,"b":"x"}', '{"a":2,"b":"y"}']],
  [
    "csv whose rows end in CRLF and in LF, with both in quotes",
    "a.csv",
    'a,b\r\n1,"x\r\ny\n"\n2,y\r\n',
    ['{"a":1,"b":"x\\r\\ny\\n"}', '{"a":2,"b":"y"}']
  ],
  ["csv with decimals and codes", "a.csv", "a,b\n0x1F,0x1F\n1.5,16\n", ['{"a":"0x1F","b":31}', '{"a":"1.5","b":16}']],
  ["csv that ends within a line end", "a.csv", "a,b\n1,x\r", ['{"a":1,"b":"x"}']],
  [
    "csv with LF and CRLF and a short row",
    "a.csv",
    "a,b\n1,2\r\n3\n",
    "in: a.csv, line 3: the header has 2 columns, the row 1"
  ],
  [
    "csv with a carriage return within a row",
    "a.csv",
    'a,b\n"x\ry",z\n1,x\ry\n',
    "in: a.csv, line 3: a carriage return outside of quotes does not end a line"
  ],
  [
    "csv with empty cells behind the columns",
    "a.csv",
    "a,b\n\n1,2,,\n",
    "in: a.csv, line 3: the row has 4 cells, the header has 2"
  ],
  [
    "ndjson with a member without a name",
    "a.ndjson",
    '{"":1}\n{"":"x","b":2}\n',
    ['{"C0":1,"b":null}', '{"C0":"x","b":2}']
  ],
  [
    "ndjson with a member C0",
    "a.ndjson",
    '{"C0":9007199254740993,"C1":"03:04:05"}\n',
    ['{"C0":9007199254740993,"C1":"03:04:05"}']
  ],
  [
    "ndjson with names that end in a number",
    "a.ndjson",
    '{"sha_256":"03:04:05","ip":"550E8400-E29B-41D4-A716-446655440000","ip_1":12345678901234567890123}\n',
    ['{"sha_256":"03:04:05","ip":"550E8400-E29B-41D4-A716-446655440000","ip_1":12345678901234567890123}']
  ],
  [
    "ndjson with names that differ in case, and texts, numbers, objects and lists",
    "a.ndjson",
    '{"Host":"a\\"","o":{"x":"03:04:05","l":[1,"q"],"u":null},"n":12345678901234567890123,"b":true}\n' +
      '{"host":"03:04:05","o":{"x":"y"},"n":null,"b":false}\n',
    [
      '{"Host":"a\\"","o":{"x":"03:04:05","l":[1,"q"],"u":null},"n":12345678901234567890123,"b":true,"host_1":null}',
      '{"Host":null,"o":{"x":"y","l":null,"u":null},"n":null,"b":false,"host_1":"03:04:05"}'
    ]
  ],
  [
    "ndjson with objects whose names differ in case, in several records",
    "a.ndjson",
    '{"h":{"Content-Type":"a"},"i":1,"s":"x","b":true,"d":1.5,"l":[1],"m":1,"n":null}\n' +
      '{"h":{"content-type":"b"},"i":-2,"s":"y","b":false,"d":12345678901234567890,"l":[],"m":"x","n":null}\n',
    [
      '{"h":{"Content-Type":"a"},"i":1,"s":"x","b":true,"d":1.5,"l":[1],"m":1,"n":null}',
      '{"h":{"content-type":"b"},"i":-2,"s":"y","b":false,"d":12345678901234567890,"l":[],"m":"x","n":null}'
    ]
  ],
  [
    "ndjson with objects that have a member without a name",
    "a.ndjson",
    '{"o":[{"":1}],"n":1}\n',
    ['{"o":[{"":1}],"n":1}']
  ]
]

describe("an input file", () => {
  for (const [name, path, content, outcome] of cases) {
    it.live(name, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* reading(path, content), outcome)
      })
    )
  }
})

describe("objects whose names differ in case", () => {
  it.live("leave the other columns their types", () =>
    Effect.gen(function* () {
      const types = ["h", "i", "s", "b", "d", "big"].map((name) => `typeof(${name}) AS ${name}`).join(", ")
      const flowline = analytics([
        node("in", "file_input", { path: "a.ndjson" }),
        node("types", "sql", { statement: `SELECT ${types}, h ->> 'a' AS v FROM "in"` }, ["in"]),
        node("shown", "show", { format: "json" }, ["types"])
      ])
      const record = '{"h":{"A":1,"a":"x"},"i":1,"s":"x","b":true,"d":1.5,"big":12345678901234567890}\n'
      const { error, lines, counters } = yield* within(flowline, { "a.ndjson": record })
      assert.deepStrictEqual([error, counters.get("in")?.recordsOut], [undefined, 1])
      assert.deepStrictEqual(lines, [
        '{"h":"JSON","i":"BIGINT","s":"VARCHAR","b":"BOOLEAN","d":"DOUBLE","big":"HUGEINT","v":"x"}'
      ])
    })
  )
})
