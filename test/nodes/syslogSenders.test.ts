import { describe, expect, it } from "vitest"
import { parseMessage } from "../../src/nodes/inputs/syslog/SyslogMessage.ts"

const parse = (text: string) => parseMessage(text, new Date("2026-11-22T12:00:00Z"))

describe("a message", () => {
  it("has the parts that senders write a little differently", () => {
    const [date, clock] = ["Oct 11 22:14:15", "2026-10-11T22:14:15"]
    const asa = { hostname: "fw1", appname: "%ASA-6-302013", message: "Built: x" }
    expect(parse("<166>Oct 11 2026 22:14:15 fw1 : %ASA-6-302013: Built: x")).toMatchObject(asa)
    expect(parse(`<166>${date} fw1 : no program`)).toMatchObject({ hostname: "fw1", message: ": no program" })
    const blank = { timestamp: `${clock}Z`, hostname: "sw1", appname: "ports", message: "up" }
    expect(parse(`<14> ${date} sw1 ports: up`)).toMatchObject({
      ...blank,
      timestamp: parse(`<14>${date}`)?.["timestamp"]
    })
    expect(parse(`<14> ${clock}Z sw1 ports: up`)).toMatchObject(blank)
    expect(parse("<14> [ERROR] a.c 3: x")).toMatchObject({ message: " [ERROR] a.c 3: x" })

    const nanos = `${clock}.123456789+02:00`
    expect(parse(`<14>1 ${nanos} h a 7 - - x`)).toMatchObject({ timestamp: nanos, procid: "7", message: "x" })
    expect(parse(`<14>1 ${clock}.1234567890Z h a 7 - - x`)).toBeUndefined()
    const router = parse(`<40>1 ${clock}+00:00 host app web.3 - State changed from "[a" to up`)
    expect(router).toMatchObject({ procid: "web.3", message: 'State changed from "[a" to up' })
    expect(router).not.toHaveProperty("structured_data")
    expect(parse(`<40>1 ${clock}Z h a p -  [x a="b"] y`)).toBeUndefined()
    expect(parse(`<40>1 ${clock}Z h a p - -y`)).toBeUndefined()
  })
})
