import { getPriority, setPriority } from "node:os"
import { parentPort, workerData } from "node:worker_threads"
import * as Result from "effect/Result"
import { processorMillis } from "../../languages/Guard.ts"
import type { TestProgram } from "../../services/operators/OperatorPool.ts"
import { lineTester } from "./LineTests.ts"
import { proposalMaker } from "./Proposing.ts"
import type { FromWorker, Order, ProgramFault, SampleTester, ToWorker, Turn, WorkerReply } from "./WorkerMessages.ts"

// Entry point of a worker thread: compiles programs and runs turns of their tests, one order after the other.

// Tests have a low priority. On Linux this sets the priority of the thread, elsewhere it would be that of the process.
if (process.platform === "linux") setPriority(Math.min(19, getPriority() + 5))

const told = new Int32Array(workerData as SharedArrayBuffer)
const reached = (index: number): void => {
  told[0] = index
}

const say = (message: FromWorker): void => {
  const json = "turn" in message ? message.turn.json.buffer : undefined
  parentPort?.postMessage(message, json instanceof ArrayBuffer && json.byteLength > 0 ? [json] : [])
}

const testers = new Map<number, SampleTester>()
const nothing: Turn = { json: new Uint8Array(), samples: 0, next: 0, matched: 0, timeouts: 0, millis: 0, hints: [] }

const compile = async (program: TestProgram): Promise<Result.Result<SampleTester, ProgramFault>> => {
  if (program.operator === "propose") return Result.succeed(proposalMaker)
  if (program.operator !== "flowlet") return lineTester(program, reached)
  // Only programs need the sandbox, which takes memory even when it is unused.
  const { programTester } = await import("./ProgramTests.ts")
  return programTester(program, reached)
}

const answer = async (order: Order): Promise<WorkerReply> => {
  told[1] = processorMillis()
  if (order.program !== undefined) {
    const compiled = await compile(order.program)
    if (Result.isFailure(compiled)) return { fault: compiled.failure }
    testers.set(order.session, compiled.success)
  }
  return { turn: order.batch === undefined ? nothing : await testers.get(order.session)!.turn(order) }
}

parentPort?.on("message", async (message: ToWorker) => {
  if ("forget" in message) {
    testers.delete(message.forget)
    return
  }
  // An error here ends the worker, and the pool condemns the sample that it had reached.
  say(await answer(message.order))
})
say({ ready: true })
