import { expect, it, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as Result from "effect/Result"
import { describe, it as test } from "vitest"
import { compile as compileDissect } from "../../src/languages/dissect/Dissector.ts"
import { compile as compileGrok } from "../../src/languages/grok/GrokMatcher.ts"
import { propose } from "../../src/languages/propose/Propose.ts"
import { memoryGateway, raw, TestGateway } from "../support/gateway.ts"

/** Lines as these systems write them. */
const systems: Readonly<Record<string, ReadonlyArray<string>>> = {
  Android: [
    "03-17 16:13:38.811  1702  2395 D WindowManager: printFreezingDisplayLogsopening app wtoken = AppWindowToken{9f4ef63 token=Token{a64f992}}, allDrawn= false",
    '03-17 16:13:38.819  1702  8671 D PowerManagerService: acquire lock=233570404, flags=0x1, tag="View Lock"',
    "03-17 16:13:38.839  1702  2113 V WindowManager: Skipping AppWindowToken{df0798e}",
    "03-17 16:13:39.099  2227  2227 I TextViewManager: visible is system.time.showampm",
    "03-17 16:13:46.786 28601 28601 E chromium: [ERROR:x] err"
  ],
  Apache: [
    "[Sun Dec 04 04:47:44 2005] [notice] workerEnv.init() ok /etc/httpd/conf/workers2.properties",
    "[Sun Dec 04 04:47:44 2005] [error] mod_jk child workerEnv in error state 6",
    "[Sun Dec 04 04:51:08 2005] [notice] jk2_init() Found child 6725 in scoreboard slot 10",
    "[Sun Dec 04 05:15:09 2005] [error] [client 222.166.160.184] Directory index forbidden by rule: /var/www/html/"
  ],
  BGL: [
    "- 1117838570 2005.06.03 R02-M1-N0-C:J12-U11 2005-06-03-15.42.50.363779 R02-M1-N0-C:J12-U11 RAS KERNEL INFO instruction cache parity error corrected",
    "APPREAD 1117869872 2005.06.04 R04-M1-N4-I:J18-U11 2005-06-04-00.24.32.432192 R04-M1-N4-I:J18-U11 RAS APP FATAL ciod: failed to read message prefix on control stream (CioStream socket to 172.16.96.116:33569",
    "- 1117955341 2005.06.05 R21-M1-N6-C:J08-U11 2005-06-05-00.09.01.903373 R21-M1-N6-C:J08-U11 RAS KERNEL INFO generating core.4860",
    "- 1118770000 2005.06.14 NULL 2005-06-14-10.00.00.000000 NULL RAS MMCS ERROR idoproxydb hit ASSERT condition: x",
    "- 1131566461 2005.11.09 UNKNOWN_LOCATION 2005-11-09-12.01.01.000000 UNKNOWN_LOCATION RAS DISCOVERY SEVERE x"
  ],
  Hadoop: [
    "2015-10-18 18:01:47,978 INFO [main] org.apache.hadoop.mapreduce.v2.app.MRAppMaster: Created MRAppMaster for application appattempt_1445144423722_0020_000001",
    "2015-10-18 18:01:50,353 WARN [IPC Server handler 7 on 62270] org.apache.hadoop.ipc.Client: Address change detected. Old: msra-sa-41/10.190.173.170:9000 New: msra-sa-41:9000",
    "2015-10-18 18:02:03,760 INFO [AsyncDispatcher event handler] org.apache.hadoop.conf.Configuration: mapred: x",
    "2015-10-18 18:02:03,760 ERROR [RMCommunicator Allocator] org.apache.hadoop.mapreduce.v2.app.rm.RMContainerAllocator: ERROR IN CONTACTING RM. "
  ],
  HDFS: [
    "081109 203615 148 INFO dfs.DataNode$PacketResponder: PacketResponder 1 for block blk_38865049064139660 terminating",
    "081109 203807 222 INFO dfs.DataNode$PacketResponder: PacketResponder 0 for block blk_-6952295868487656571 terminating",
    "081109 204005 35 INFO dfs.FSNamesystem: BLOCK* NameSystem.addStoredBlock: blockMap updated: 10.251.73.220:50010 is added to blk_7128370237687728475 size 67108864",
    "081109 204132 26 WARN dfs.DataNode$DataXceiver: 10.251.43.115:50010:Got exception while serving blk_x"
  ],
  HealthApp: [
    "20171223-22:15:29:606|Step_LSC|30002312|onStandStepChanged 3579",
    "20171223-22:15:29:615|Step_LSC|30002312|onExtend:1514038530000 14 0 4",
    "20171223-22:15:29:633|Step_StandReportReceiver|30002312|onReceive action: android.intent.action.SCREEN_ON",
    "20171223-22:15:30:1|Step_SPUtils|30002312|getTodayTotalDetailSteps = 1514038440000##6993##548365##8661##12266##27164404"
  ],
  HPC: [
    "134681 node-246 unix.hw state_change.unavailable 1077804742 1 Component State Change: Component \\042alt0\\042 is in the unavailable state (HWID=3180)",
    "350766 node-109 unix.hw state_change.unavailable 1084680778 1 Component State Change: x",
    "344518 node-80 unix.hw net.niff.up 1084270955 1 NIFF: node node-80 has detected an available network connection on network 5.5.224.0 via interface alt0",
    "461572 gige7 gige temperature 1099999999 1 warning"
  ],
  Linux: [
    "Jun 14 15:16:01 combo sshd(pam_unix)[19939]: authentication failure; logname= uid=0 euid=0 tty=NODEVssh ruser= rhost=218.188.2.4 ",
    "Jun 15 04:06:18 combo su(pam_unix)[21416]: session opened for user cyrus by (uid=0)",
    "Jun 15 04:06:20 combo logrotate: ALERT exited abnormally with [1]",
    "Jul  7 23:09:44 combo kernel: usbcore: registered new driver",
    "Jul 27 14:41:57 combo syslogd 1.4.1: restart."
  ],
  Mac: [
    "Jul  1 09:00:55 calvisitor-10-105-160-95 kernel[0]: IOThunderboltSwitch<0>(0x0)::listenerCallback - Thunderbolt HPD packet for route = 0x0 port = 11 unplug = 0",
    "Jul  1 09:01:05 calvisitor-10-105-160-95 com.apple.CDScheduler[43]: Thermal pressure state: 1 Memory pressure state: 0",
    "Jul  1 09:02:48 authorMacBook-Pro com.apple.xpc.launchd[1] (com.apple.x): Service exited"
  ],
  OpenSSH: [
    "Dec 10 06:55:46 LabSZ sshd[24200]: reverse mapping checking getaddrinfo for ns.marryaldkfaczcz.com [173.234.31.186] failed - POSSIBLE BREAK-IN ATTEMPT!",
    "Dec 10 06:55:46 LabSZ sshd[24200]: Invalid user webmaster from 173.234.31.186",
    "Dec 10 06:55:48 LabSZ sshd[24200]: Failed password for invalid user webmaster from 173.234.31.186 port 38926 ssh2"
  ],
  OpenStack: [
    'nova-api.log.1.2017-05-16_13:53:08 2017-05-16 00:00:00.008 25746 INFO nova.osapi_compute.wsgi.server [req-38101a0b-2096-447d-96ea-a692162415ae 113d3a99c3da401fbd62cc2caa5b96d2 54fadb412c4e40cdbaed9335e4c35a9e - - -] 10.11.10.1 "GET /v2/54fadb412c4e40cdbaed9335e4c35a9e/servers/detail HTTP/1.1" status: 200 len: 1893 time: 0.2477829',
    "nova-compute.log.1.2017-05-16_13:55:31 2017-05-16 00:00:04.500 2931 INFO nova.compute.manager [req-3ea4052c-895d-4b64-9e2d-04d64c4d94ab - - - - -] [instance: b9000564-fe1a-409b-b8cc-1e88b294cd1d] VM Started (Lifecycle Event)",
    "nova-compute.log.1.2017-05-16_13:55:31 2017-05-16 00:00:05.185 2931 WARNING nova.virt.libvirt.imagecache [req-addc1839-2ed5-4778-b57e-5854eb7b8b09 - - - - -] Unknown base file: /var/lib/nova"
  ],
  Proxifier: [
    "[10.30 16:49:06] chrome.exe - proxy.cse.cuhk.edu.hk:5070 open through proxy proxy.cse.cuhk.edu.hk:5070 HTTPS",
    "[10.30 16:49:07] chrome.exe *64 - proxy.cse.cuhk.edu.hk:5070 close, 403 bytes sent, 426 bytes received, lifetime <1 sec"
  ],
  Spark: [
    "17/06/09 20:10:40 INFO executor.CoarseGrainedExecutorBackend: Registered signal handlers for [TERM, HUP, INT]",
    "17/06/09 20:10:40 INFO spark.SecurityManager: Changing view acls to: yarn,curi",
    "17/06/09 20:10:42 WARN storage.BlockManager: x"
  ],
  Thunderbird: [
    "- 1131566461 2005.11.09 dn228 Nov 9 12:01:01 dn228/dn228 crond(pam_unix)[2915]: session closed for user root",
    "- 1131566461 2005.11.09 tbird-admin1 Nov 9 12:01:01 local@tbird-admin1 postfix/postdrop[9896]: warning: unable to look up public/pickup: No such file or directory",
    "- 1131566479 2005.11.09 tbird-sm1 Nov 9 12:01:19 src@tbird-sm1 ib_sm.x[24904]: [ib_sm_sweep.c:1455]: No topology change",
    "VAPI 1131566479 2005.11.09 bn431 Nov 9 12:01:19 bn431/bn431 kernel: [KERNEL_IB]"
  ],
  Windows: [
    "2016-09-28 04:30:30, Info                  CBS    Loaded Servicing Stack v6.1.7601.23505 with Core: C:\\Windows\\winsxs",
    "2016-09-28 04:30:31, Info                  CSI    00000001@2016/9/27:20:30:31.455 WcpInitialize (wcp.dll version 0.0.0.6) called",
    "2016-09-29 02:04:20, Info                  CBS    SQM: Initializing online with Windows opt-in: False"
  ],
  Zookeeper: [
    "2015-07-29 17:41:44,747 - INFO  [QuorumPeer[myid=1]/0:0:0:0:0:0:0:0:2181:FastLeaderElection@774] - Notification time out: 3200",
    "2015-07-29 19:04:12,394 - WARN  [SendWorker:188978561024:QuorumCnxManager$SendWorker@679] - Interrupted while waiting for message on queue",
    "2015-07-30 17:00:00,000 - ERROR [LearnerHandler-/10.10.34.12:35276:LearnerHandler@562] - Unexpected exception causing shutdown while sock still open"
  ]
}

/** The fields that the header of each system has, whatever follows it. */
const headers: Readonly<Record<string, ReadonlyArray<string>>> = {
  Android: ["timestamp", "component"],
  Apache: ["timestamp", "level"],
  BGL: ["epoch", "date", "timestamp", "level"],
  Hadoop: ["timestamp", "level", "logger"],
  HDFS: ["timestamp", "level", "logger"],
  HealthApp: ["timestamp", "number"],
  HPC: ["number", "epoch"],
  Linux: ["timestamp", "host", "program", "pid"],
  Mac: ["timestamp", "host", "program", "pid"],
  OpenSSH: ["timestamp", "host", "program", "pid"],
  OpenStack: ["timestamp", "level", "logger"],
  Proxifier: ["timestamp"],
  Spark: ["timestamp", "level", "logger"],
  Thunderbird: ["epoch", "date", "timestamp", "host", "program", "pid"],
  Windows: ["timestamp", "level"],
  Zookeeper: ["timestamp", "level"]
}

const form = (input: string | Uint8Array<ArrayBuffer>): FormData => {
  const body = new FormData()
  body.append("input", new Blob([input]), "sample.log")
  return body
}

/** The number of lines that the pattern matches, according to the tester. */
const tested = (operator: string, pattern: string, input: string) =>
  Effect.gen(function* () {
    const { client } = yield* TestGateway
    const payload = form(input)
    payload.append("pattern", pattern)
    return (yield* client.operators.test({ params: { operator }, query: {}, payload })).matched
  })

describe("proposals", () => {
  for (const [system, lines] of Object.entries(systems)) {
    test(`match every line of ${system}, and name its header`, () => {
      const [best] = propose(lines)
      expect(best?.matched).toBe(lines.length)
      expect(best?.operator).toBe("grok")
      expect(best?.fields.map(({ name }) => name)).toEqual(expect.arrayContaining([...headers[system]!, "message"]))
    })
  }
})

describe("proposals for real lines", () => {
  test("read the kernel of macOS, whose process id is 0, as a program", () => {
    for (const lines of [systems["Mac"]!, systems["Mac"]!.slice(0, 2)]) {
      const compiled = compileGrok([propose(lines)[0]!.pattern], { bank: "legacy", definitions: {} })
      const found = Result.getOrThrow(compiled).match(lines[0]!)?.fields
      expect(found).toMatchObject({ program: "kernel", pid: 0, message: expect.stringMatching(/^IOThunderboltSwitch/) })
    }
  })
})

describe("proposals for any text", () => {
  const words = Schema.Literals([
    "INFO",
    "a",
    "[b]",
    "7",
    "10.0.0.1",
    "k=v",
    '"q"',
    "{",
    "::",
    "\u00e9",
    " ",
    "\t",
    "(",
    "\\",
    "%{x}"
  ])
  it.effect.prop(
    "match as many lines as they say, and at least those of one form",
    { lines: Schema.Array(Schema.Array(words).check(Schema.isMaxLength(8))).check(Schema.isMaxLength(12)) },
    ({ lines }) =>
      Effect.sync(() => {
        const texts = lines.map((parts) => parts.join(" "))
        const filled = texts.filter((text) => text.trim() !== "")
        const found = propose(texts)
        expect(found.length === 0).toBe(filled.length === 0)
        for (const { operator, pattern, matched } of found) {
          const compiled =
            operator === "grok" ? compileGrok([pattern], { bank: "legacy", definitions: {} }) : compileDissect(pattern)
          if (Result.isFailure(compiled)) throw compiled.failure
          const { match } = compiled.success
          expect([pattern, filled.filter((text) => match(text) !== undefined).length]).toEqual([pattern, matched])
        }
      }),
    { arbitrary: { runs: 300 } }
  )

  test("find each of several forms", () => {
    const one = systems["Apache"]!
    const other = systems["HealthApp"]!
    const found = propose([...one, ...other]).map(({ pattern }) => pattern)
    expect(found).toEqual(expect.arrayContaining([propose(one)[0]!.pattern, propose(other)[0]!.pattern]))
  })

  test("name values by the keys before them, and keep what lines of one template share", () => {
    const [best] = propose([1, 22, 333].map((n) => `took ${n} ms for user=u${n} at 10.0.0.${n % 200}`))
    expect(best).toMatchObject({ operator: "grok", matched: 3 })
    expect(best?.fields.map(({ name, type }) => `${name}:${type}`)).toEqual(["took:int", "user:text", "ip:text"])
    expect(best?.fields[0]?.examples).toEqual(["1", "22", "333"])
  })
})

layer(memoryGateway(), { excludeTestServices: true })("the endpoint of proposals", (it) => {
  it.effect("proposes what the tester then confirms", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const input = systems["Hadoop"]!.join("\n")
      const { total, proposals } = yield* client.operators.propose({ query: {}, payload: form(input) })
      expect([total, proposals.length > 1]).toEqual([4, true])
      for (const { operator, pattern, matched } of proposals) {
        expect([pattern, yield* tested(operator, pattern, input)]).toEqual([pattern, matched])
      }
    })
  )

  it.effect("answers for nothing, for much, for long lines and for bytes that are no text", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const ask = (input: string | Uint8Array<ArrayBuffer>) =>
        client.operators.propose({ query: {}, payload: form(input) })
      expect(yield* ask("\n\n")).toMatchObject({ total: 0, proposals: [] })
      const many = yield* ask("2026-01-01T00:00:00Z INFO x\n".repeat(6000))
      expect(many).toMatchObject({ total: 5000, hints: ["the first 5000 of 6000 samples were looked at"] })
      expect(many.proposals[0]?.matched).toBe(5000)
      expect((yield* ask(`INFO ${"a".repeat(100_000)}\nWARN b`)).hints).toEqual([
        "samples were cut after 8192 characters"
      ])
      expect((yield* ask(new Uint8Array([255, 254, 10, 65]))).hints?.[0]).toMatch(/^the input is not UTF-8/)
      const hostile = yield* ask(["[".repeat(4000), "((((".repeat(1000), '"'.repeat(3000)].join("\n"))
      expect(hostile.total).toBe(3)
    })
  )

  it.effect("refuses a form without input, one that is too large, and an unknown tenant", () =>
    Effect.gen(function* () {
      const send = (body: FormData, query = "") => raw(`/v1/flower/propose${query}`, { method: "POST", body })
      const statuses = [
        (yield* send(new FormData())).status,
        (yield* send(form("a".repeat(4 * 1024 * 1024 + 1)))).status,
        (yield* send(form("a"), "?tenant=nosuch")).status,
        (yield* raw("/v1/flower/propose")).status
      ]
      expect(statuses).toEqual([400, 413, 404, 405])
    })
  )
})
