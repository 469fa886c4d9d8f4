import { it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { describe, expect } from "vitest"
import { guard } from "../../src/drivers/threads/TimeLimit.ts"
import { kv } from "../../src/nodes/processing/Kv.ts"
import { seed } from "../support/random.ts"
import { Memory } from "./memory.ts"
import { fields, issues, of } from "./one.ts"

const read = (text: string, settings: Record<string, unknown> = {}) => fields(kv, settings, text)

describe("the backslash in kv", () => {
  it("stays where it is, but for the one before a quote", async () => {
    expect(await read(String.raw`file="C:\Windows\cmd.exe" user='CORP\joe'`)).toEqual({
      file: String.raw`C:\Windows\cmd.exe`,
      user: String.raw`CORP\joe`
    })
    expect(await read(String.raw`a="say \"hi\"" b='it\'s' c="it\'s" d="\\srv\share" e="x\\" f=1`)).toEqual({
      a: 'say "hi"',
      b: "it's",
      c: String.raw`it\'s`,
      d: String.raw`\\srv\share`,
      e: "x\\",
      f: "1"
    })
  })

  it("ends a path before its closing quote", async () => {
    expect(await read(String.raw`dir="C:\temp\" next=1`)).toEqual({ dir: "C:\\temp\\", next: "1" })
    expect(await read(String.raw`dir="C:\temp\" next="x"`)).toEqual({ dir: "C:\\temp\\", next: "x" })
    expect(await read(String.raw`dir="C:\temp\"`)).toEqual({ dir: "C:\\temp\\" })
  })

  it("keeps a blank in a key or a value together", async () => {
    expect(await read(String.raw`a\ b=c\ d e=f`)).toEqual({ "a\\ b": "c\\ d", e: "f" })
    expect(await read(String.raw`a=1\\ b=2`)).toEqual({ a: "1\\\\", b: "2" })
    const ike = String.raw`IKE:=Quick\ Mode\ completion IKE\ IDs:=subnet:\ x.x.x.x\ (mask=\ 255.255.255.254)\ and\ host:\ y.y.y.y`
    expect(await read(ike, { value_split: ":" })).toEqual({
      IKE: String.raw`=Quick\ Mode\ completion`,
      "IKE\\ IDs": String.raw`=subnet:\ x.x.x.x\ (mask=\ 255.255.255.254)\ and\ host:\ y.y.y.y`
    })
  })
})

describe("blanks in kv", () => {
  const sloppy = `hello = world foo =bar baz= fizz none=0 double = "hello world" single= 'hello world' brackets =(hello world)`

  it("around separators do not count", async () => {
    expect(await read(sloppy)).toEqual({
      hello: "world",
      foo: "bar",
      baz: "fizz",
      none: "0",
      double: "hello world",
      single: "hello world",
      brackets: "hello world"
    })
    expect(await read("a = 1 | b c = d e ", { field_split: "|" })).toEqual({ a: "1", "b c": "d e" })
    expect(await read("url: https://x/y time: 12:30:00", { value_split: ":" })).toEqual({
      url: "https://x/y",
      time: "12:30:00"
    })
  })

  it("before the next key leave a value empty", async () => {
    const iptables = "IN=eth0 OUT= MAC=0f:5f SRC=10.0.0.1 LEN= "
    expect(await read(iptables)).toEqual({ IN: "eth0", MAC: "0f:5f", SRC: "10.0.0.1" })
    expect(await read(iptables, { whitespace: "strict", allow_empty_values: true })).toEqual({
      IN: "eth0",
      OUT: "",
      MAC: "0f:5f",
      SRC: "10.0.0.1",
      LEN: ""
    })
    expect(await read("a= b = c", { allow_empty_values: true })).toEqual({ a: "", b: "c" })
  })

  it("belong to keys and values when they are strict", async () => {
    expect(await read(sloppy, { whitespace: "strict" })).toEqual({ none: "0" })
    expect(await read("a = 1|b=2 ", { whitespace: "strict", field_split: "|" })).toEqual({ "a ": " 1", b: "2 " })
  })
})

describe("quotes and brackets in kv", () => {
  it("enclose keys", async () => {
    expect(await read(`"a b"=1 'c=d' = "e f" "g h" i=2`)).toEqual({ "a b": "1", "c=d": "e f", i: "2" })
    expect(await read(`{"a": 1, "b": "x y"}`, { value_split: ":", field_split: "{}, " })).toEqual({ a: "1", b: "x y" })
  })

  it("enclose a value only as a whole", async () => {
    const text =
      'foo=bar!!!!!baz="quoted stuff" and more!!!!!msg="a! of it"!!!!!blip="this!!!!!is it"!!!!!empty=""!!!!!x="y"'
    expect(await read(text, { field_split_pattern: "!!!!!" })).toEqual({
      foo: "bar",
      baz: '"quoted stuff" and more',
      msg: "a! of it",
      blip: "this!!!!!is it",
      x: "y"
    })
    expect(await read(`a="b c", d=<e@f>, g=[h i]; j=(k l)) m="n"o`)).toEqual({
      a: "b c",
      d: "e@f",
      g: "h i",
      j: "k l",
      m: '"n"o'
    })
    expect(await read("a=(b c) d=[e f]", { include_brackets: false })).toEqual({ a: "(b", d: "[e" })
  })
})

describe("separators in kv", () => {
  const wanted = { hello: "world", foo: "bar", double: "hello world", one: "hello world" }

  it("may have several characters", async () => {
    const settings = { field_split_pattern: "\\?\\?", value_split_pattern: "\\+\\+" }
    expect(await read(`hello++world??foo++bar??double++"hello world"??one++(hello world)`, settings)).toEqual(wanted)
  })

  it("may be patterns", async () => {
    const settings = { field_split_pattern: "_+", value_split_pattern: ":+" }
    expect(await read(`hello:world_foo::bar__double:::"hello world"___one:<hello world>`, settings)).toEqual(wanted)
    const text = `key1: val1; key2: val2; key3:  https://site/?g={......"...;  CLR  rv:11.0)"..}; key4: val4;`
    const ahead = { field_split_pattern: ";\\s*(?=key.+?:)|;$", value_split_pattern: ":\\s+" }
    expect(await read(text, ahead)).toEqual({
      key1: "val1",
      key2: "val2",
      key3: `https://site/?g={......"...;  CLR  rv:11.0)"..}`,
      key4: "val4"
    })
    const headers = "Host: foo.com\\r\\nUser-Agent: Qwerty/1.2.3 (www.qwerty.org)\\r\\nX-UUID: 0:157\\r\\n\\r\\n"
    const strict = { field_split_pattern: "\\\\r\\\\n", value_split_pattern: ": ", whitespace: "strict" }
    expect(await read(headers, { ...strict, target: "h" })).toEqual({
      h: { Host: "foo.com", "User-Agent": "Qwerty/1.2.3 (www.qwerty.org)", "X-UUID": "0:157" }
    })
  })

  it("leave a pair without a value alone", async () => {
    const text =
      "AccountStatus: 4\r\nAdditionalInformation\r\n\r\nCode: \r\nHttpStatusCode: \r\nIsSuccess: True\r\nMessage: \r\n"
    expect(await read(text, { field_split: "\r\n", value_split: " ", trim_key: ":" })).toEqual({
      AccountStatus: "4",
      IsSuccess: "True"
    })
    expect(await read("a=1|b=|c=3", { field_split_pattern: "\\|" })).toEqual({ a: "1", c: "3" })
  })

  it("are refused when they cannot work", () => {
    expect(issues(kv, { field_split: " =" })).toEqual(["value_split"])
    expect(issues(kv, { field_split_pattern: "(", value_split_pattern: ":*" })).toEqual([
      "field_split_pattern",
      "value_split_pattern"
    ])
  })

  it("fail a record that takes too long, and no other", async () => {
    const memory = new Memory()
    const context = { ...memory.nodeContext("kv"), guard }
    const settings = { value_split_pattern: "(?:=+=+)+:", timeout_millis: 50 }
    const instance = await kv.start(Schema.decodeUnknownSync(kv.settings)(settings), context)
    const out = new Map<string, ReadonlyArray<unknown>>()
    const batch = [{ message: "a==:1" }, { message: `b${"=".repeat(60)}c` }, { message: "d==:2" }]
    await instance.process?.(batch, (stream, events) => {
      out.set(stream, events)
    })
    expect(out.get("*")).toEqual([
      { message: "a==:1", a: "1" },
      { message: "d==:2", d: "2" }
    ])
    expect(out.get("errors")).toMatchObject([{ error: { reason: "the record took longer than 50 ms" } }])
  })
})

describe("keys and values of kv", () => {
  it("are trimmed, stripped and changed in case", async () => {
    const text = "to=<foo@example.com>, orig_to=<bar@example.com>, %+relay=mail.example.com[private/lmtp], delay=2.2, "
    expect(await read(text, { trim_value: "<>,", trim_key: "%+" })).toEqual({
      to: "foo@example.com",
      orig_to: "bar@example.com",
      relay: "mail.example.com[private/lmtp]",
      delay: "2.2"
    })
    const removed = { field_split: "|", remove_char_key: " ", remove_char_value: " ]" }
    expect(await read("key1= value1 with] spaces | key2 with spaces =value2", removed)).toEqual({
      key1: "value1withspaces",
      key2withspaces: "value2"
    })
    const upper = { transform_key: "uppercase", transform_value: "capitalize", include_keys: ["FOO"] }
    expect(await read("Foo='hello WORLD' bar=x", upper)).toEqual({ FOO: "Hello world" })
    expect(await read("ÄB=ÖX", { transform_key: "lowercase", transform_value: "lowercase" })).toEqual({ äb: "öx" })
  })

  it("are chosen by names that may come from the record", async () => {
    const event = { message: "foo=bar baz=fizz", key: "foo", host: "h1" }
    const settings = { include_keys: ["%{key}"], prefix: "%{host}_" }
    expect((await of(kv, settings, [event])).records).toEqual([{ ...event, h1_foo: "bar" }])
    expect((await of(kv, { exclude_keys: ["%{key}"] }, [event])).records).toEqual([{ ...event, baz: "fizz" }])
  })

  it("nest", async () => {
    const text = `IKE="Quick Mode" ids = (subnet= x.x.x.x mask= 255.0.0.0 and deep=[b=1 b=2]) d=(a=1) d=(a=1) d=x`
    expect(await read(text, { recursive: true, allow_duplicate_values: false })).toEqual({
      IKE: "Quick Mode",
      ids: { subnet: "x.x.x.x", mask: "255.0.0.0", deep: { b: ["1", "2"] } },
      d: [{ a: "1" }, "x"]
    })
    expect(await read("a=(b=(c=1) d=2) e=3", { recursive: true })).toEqual({ a: { b: { c: "1" }, d: "2" }, e: "3" })
    expect(await read(`a=${"(a=".repeat(50)}1${")".repeat(50)}`, { recursive: true })).toHaveProperty("a")
  })

  it("leave a record alone that has none", async () => {
    for (const text of ["hello:world", "", "__proto__=1", "a=", "=x"]) {
      expect(await read(text, { target: "kv" })).toEqual({})
    }
    expect(await read("", { default_keys: { a: "1" } })).toEqual({ a: "1" })
    const tagged = { message: "none", tags: [] }
    expect((await of(kv, { add_tag: "kv" }, [tagged])).records).toEqual([tagged])
  })
})

/** Writes a value in quotes: backslashes before a quote, and before the end, are doubled. */
const quoted = (text: string, quote: string): string => {
  const escaped = text.replace(new RegExp(`(\\\\*)(${quote}|$)`, "g"), (_, run: string, mark: string) =>
    mark === "" ? run + run : `${run}${run}\\${mark}`
  )
  return `${quote}${escaped}${quote}`
}

describe("kv reads what was written", () => {
  const Text = Schema.Array(
    Schema.Literals(["\\", '"', "'", " ", "=", "a", "é", ",", "(", ")", "C:\\x", "\n", "{}"])
  ).check(Schema.isMaxLength(8))
  it.effect.prop(
    "in quotes",
    {
      pairs: Schema.Array(Schema.Tuple([Schema.Literals(["a", "b c", 'd"e', "f\\"]), Text])).check(
        Schema.isMaxLength(5)
      ),
      quote: Schema.Literals(['"', "'"]),
      between: Schema.Literals([" ", ", ", "  ", " ; "])
    },
    ({ pairs, quote, between }) =>
      Effect.promise(async () => {
        const written = pairs.map(([key, parts]) => [key, parts.join("")] as const)
        const text = written.map(([key, value]) => `${quoted(key, quote)}=${quoted(value, quote)}`).join(between)
        const wanted = new Map<string, string | Array<string>>()
        for (const [key, value] of written) {
          const before = wanted.get(key)
          wanted.set(key, before === undefined ? value : [before, value].flat())
        }
        const found = await read(text, { allow_empty_values: true, field_split: " ,;" })
        expect(found).toEqual(Object.fromEntries(wanted))
      }),
    { arbitrary: { seed, runs: 300 } }
  )
})
