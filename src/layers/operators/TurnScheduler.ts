import type { TenantId } from "../../services/shared/Tenant.ts"
import type { Lost, TestWorker } from "./TestWorker.ts"
import type { Order, WorkerReply } from "./WorkerMessages.ts"

interface Task {
  readonly order: Order
  readonly millis: number
  readonly resolve: (reply: WorkerReply | Lost) => void
}

/** What has been used of the workers, in milliseconds of turns. */
interface Account {
  used: number
}

/** An account for a newcomer: it begins with what the least served one has used. */
const accountBeside = (others: Iterable<Account>): Account => {
  const used = Math.min(...Array.from(others, (account) => account.used))
  return { used: Number.isFinite(used) ? used : 0 }
}

/** The tests of a tenant, and what they have used together. */
interface TenantTests extends Account {
  readonly id: TenantId
  readonly tests: Set<ScheduledTest>
}

/** A test's place in the schedule. */
export class ScheduledTest implements Account {
  readonly id: number
  readonly tenant: TenantTests
  readonly program: NonNullable<Order["program"]>
  /** True when all turns must run on one worker, which keeps the state of the program. */
  readonly settled: boolean
  readonly tasks: Array<Task> = []
  home: TestWorker | undefined
  /** Milliseconds that its turns took, plus what the least served test had used when this one joined. */
  used: number

  constructor(id: number, tenant: TenantTests, program: NonNullable<Order["program"]>, settled: boolean, used: number) {
    this.id = id
    this.tenant = tenant
    this.program = program
    this.settled = settled
    this.used = used
  }
}

/**
 * Schedules tests on worker threads. The tenant that has used the least time gets the next free worker, for one turn of
 * its test that has used the least. A new test, and a new tenant, starts with the lowest time used so far, so that it
 * neither waits behind long tests nor starves them. Workers are started when there is work, and ended after an idle period.
 */
export class TurnScheduler {
  readonly #workers = new Set<TestWorker>()
  readonly #size: number
  readonly #start: (ended: () => void) => TestWorker
  readonly #tenants = new Map<TenantId, TenantTests>()
  #count = 0

  readonly #compileMillis: number

  /** `start` starts a worker, or throws if the system has too little for it, such as threads or memory. */
  constructor(size: number, compileMillis: number, start: (ended: () => void) => TestWorker) {
    this.#size = size
    this.#compileMillis = compileMillis
    this.#start = start
  }

  /** The workers that there may be. */
  get places(): number {
    return this.#size
  }

  get taken(): number {
    let taken = 0
    for (const worker of this.#workers) if (!worker.idle) taken++
    return taken
  }

  /** Turns that wait for a worker. */
  get waiting(): number {
    let waiting = 0
    for (const { tests } of this.#tenants.values()) for (const { tasks } of tests) waiting += tasks.length
    return waiting
  }

  enter(id: TenantId, program: ScheduledTest["program"], settled: boolean): ScheduledTest {
    const tenant = this.#tenants.get(id) ?? { ...accountBeside(this.#tenants.values()), id, tests: new Set() }
    this.#tenants.set(id, tenant)
    const test = new ScheduledTest(++this.#count, tenant, program, settled, accountBeside(tenant.tests).used)
    tenant.tests.add(test)
    return test
  }

  /** Queues a turn. The result says whether the worker was lost during the turn. */
  turn(test: ScheduledTest, order: Omit<Order, "session" | "program">, millis: number): Promise<WorkerReply | Lost> {
    return new Promise((resolve) => {
      test.tasks.push({ order: { ...order, session: test.id, program: undefined }, millis, resolve })
      this.#dispatch()
    })
  }

  /** Drops the queued turns of the test; a running turn ends by itself. */
  leave(test: ScheduledTest): void {
    test.tasks.length = 0
    test.tenant.tests.delete(test)
    if (test.tenant.tests.size === 0) this.#tenants.delete(test.tenant.id)
    for (const worker of this.#workers) worker.forget(test.id)
  }

  async end(): Promise<void> {
    await Promise.all([...this.#workers].map((worker) => worker.end()))
  }

  #dispatch(): void {
    const waiting = [...this.#tenants.values()]
      .flatMap(({ tests }) => [...tests])
      .filter(({ tasks }) => tasks.length > 0)
      .sort((a, b) => a.tenant.used - b.tenant.used || a.used - b.used)
    // No test gets a second worker before every other test could get its first.
    for (let given = true; given; ) {
      given = false
      for (const test of waiting) {
        const worker = test.tasks.length === 0 ? undefined : this.#workerFor(test)
        if (worker === undefined) continue
        given = true
        void this.#work(worker, test, test.tasks.shift()!)
      }
    }
  }

  async #work(worker: TestWorker, test: ScheduledTest, task: Task): Promise<void> {
    const known = worker.sessions.has(test.id)
    if (test.settled) test.home = worker
    const began = performance.now()
    const reply = known
      ? await worker.give(task.order, task.millis)
      : await worker.give({ ...task.order, program: test.program }, task.millis + this.#compileMillis)
    const used = performance.now() - began
    test.used += used
    test.tenant.used += used
    task.resolve(reply)
    this.#dispatch()
  }

  #workerFor(test: ScheduledTest): TestWorker | undefined {
    if (test.home?.alive) return test.home.idle ? test.home : undefined
    const idle = [...this.#workers].filter((worker) => worker.idle)
    const known = idle.find((worker) => worker.sessions.has(test.id)) ?? idle[0]
    if (known !== undefined || this.#workers.size >= this.#size) return known
    return this.#started() ?? this.#unstarted(test)
  }

  /** An exception would reach the end of another test's turn, where nobody waits for it, and end the gateway. */
  #started(): TestWorker | undefined {
    try {
      const worker: TestWorker = this.#start(() => this.#workers.delete(worker))
      this.#workers.add(worker)
      return worker
    } catch {
      return undefined
    }
  }

  /** The test waits for one of the other workers, if there are any. */
  #unstarted(test: ScheduledTest): undefined {
    if (this.#workers.size === 0) test.tasks.shift()?.resolve({ lost: undefined })
  }
}
