import { parentPort, workerData } from "node:worker_threads"
import { Result } from "effect"
import type { TestProgram } from "../../services/operators/OperatorPool.ts"
import { type Bench, lineBench } from "./LineBench.ts"
import type { FromWorker, Order, ProgramFault, ToWorker, Turn } from "./Protocol.ts"

// Entry of a worker thread: compiles programs and gives their tests turns, one order after the other.

const reachedCell = new Int32Array(workerData as SharedArrayBuffer)
const reached = (index: number): void => {
  reachedCell[0] = index
}

const benches = new Map<number, Bench>()
const nothing: Turn = { json: new Uint8Array(), samples: 0, next: 0, matched: 0, timeouts: 0, millis: 0, hints: [] }

const compile = (program: TestProgram): Result.Result<Bench, ProgramFault> => lineBench(program, reached)

const answer = (order: Order): FromWorker => {
  if (order.program !== undefined) {
    const compiled = compile(order.program)
    if (Result.isFailure(compiled)) return { fault: compiled.failure }
    benches.set(order.session, compiled.success)
  }
  return { turn: order.batch === undefined ? nothing : benches.get(order.session)!.turn(order) }
}

parentPort?.on("message", (message: ToWorker) => {
  if ("forget" in message) {
    benches.get(message.forget)?.close()
    benches.delete(message.forget)
    return
  }
  reached(message.order.from)
  const reply = answer(message.order)
  parentPort?.postMessage(reply)
})
