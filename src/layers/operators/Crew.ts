import { Hand, type Lost } from "./Hand.ts"
import type { Order, Reply } from "./Protocol.ts"

interface Task {
  readonly order: Order
  readonly millis: number
  readonly resolve: (reply: Reply | Lost) => void
}

/** A test's place in the schedule. */
export class Seat {
  readonly id: number
  readonly program: NonNullable<Order["program"]>
  /** True when all turns must run on one worker, which keeps the state of the program. */
  readonly settled: boolean
  readonly tasks: Array<Task> = []
  home: Hand | undefined
  /** Milliseconds that its turns took, plus what the least served seat had used when this one joined. */
  used: number

  constructor(id: number, program: NonNullable<Order["program"]>, settled: boolean, used: number) {
    this.id = id
    this.program = program
    this.settled = settled
    this.used = used
  }
}

/**
 * Schedules tests on worker threads. The seat that has used the least time gets the next free worker for one turn. A
 * new seat starts with the lowest time used so far, so that it neither waits behind long tests nor starves them.
 * Workers are started when there is work, and ended after an idle period.
 */
export class Crew {
  readonly #hands = new Set<Hand>()
  readonly #size: number
  readonly #memoryMib: number
  readonly #seats = new Set<Seat>()
  #count = 0

  readonly #compileMillis: number
  readonly #leisureMillis: number

  constructor(size: number, memoryMib: number, compileMillis: number, leisureMillis: number) {
    this.#size = size
    this.#memoryMib = memoryMib
    this.#compileMillis = compileMillis
    this.#leisureMillis = leisureMillis
  }

  enter(program: Seat["program"], settled: boolean): Seat {
    const used = Math.min(...Array.from(this.#seats, (seat) => seat.used))
    const seat = new Seat(++this.#count, program, settled, Number.isFinite(used) ? used : 0)
    this.#seats.add(seat)
    return seat
  }

  /** Queues a turn. The result says whether the worker was lost during the turn. */
  turn(seat: Seat, order: Omit<Order, "session" | "program">, millis: number): Promise<Reply | Lost> {
    return new Promise((resolve) => {
      seat.tasks.push({ order: { ...order, session: seat.id, program: undefined }, millis, resolve })
      this.#dispatch()
    })
  }

  /** Drops the seat's queued turns; a running turn ends by itself. */
  leave(seat: Seat): void {
    seat.tasks.length = 0
    this.#seats.delete(seat)
    for (const hand of this.#hands) hand.forget(seat.id)
  }

  async end(): Promise<void> {
    await Promise.all([...this.#hands].map((hand) => hand.end()))
  }

  #dispatch(): void {
    const waiting = [...this.#seats].filter(({ tasks }) => tasks.length > 0).sort((a, b) => a.used - b.used)
    // No seat gets a second worker before every other seat could get its first.
    for (let given = true; given; ) {
      given = false
      for (const seat of waiting) {
        const hand = seat.tasks.length === 0 ? undefined : this.#handFor(seat)
        if (hand === undefined) continue
        given = true
        void this.#work(hand, seat, seat.tasks.shift()!)
      }
    }
  }

  async #work(hand: Hand, seat: Seat, task: Task): Promise<void> {
    const known = hand.sessions.has(seat.id)
    if (seat.settled) seat.home = hand
    const began = performance.now()
    const reply = known
      ? await hand.give(task.order, task.millis)
      : await hand.give({ ...task.order, program: seat.program }, task.millis + this.#compileMillis)
    seat.used += performance.now() - began
    task.resolve(reply)
    this.#dispatch()
  }

  #handFor(seat: Seat): Hand | undefined {
    if (seat.home?.alive) return seat.home.idle ? seat.home : undefined
    const idle = [...this.#hands].filter((hand) => hand.idle)
    const known = idle.find((hand) => hand.sessions.has(seat.id)) ?? idle[0]
    if (known !== undefined || this.#hands.size >= this.#size) return known
    const hand = new Hand(this.#memoryMib, this.#leisureMillis, () => this.#hands.delete(hand))
    this.#hands.add(hand)
    return hand
  }
}
