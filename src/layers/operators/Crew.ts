import { Hand, type Lost } from "./Hand.ts"
import type { FromWorker, Order } from "./Protocol.ts"

interface Task {
  readonly order: Order
  readonly millis: number
  readonly resolve: (reply: FromWorker | Lost) => void
}

/** A test's place in the turns. */
export class Seat {
  readonly id: number
  readonly program: NonNullable<Order["program"]>
  /** True: all turns are taken on one worker, which keeps the program's state. */
  readonly settled: boolean
  readonly tasks: Array<Task> = []
  home: Hand | undefined

  constructor(id: number, program: NonNullable<Order["program"]>, settled: boolean) {
    this.id = id
    this.program = program
    this.settled = settled
  }
}

/**
 * The worker threads and whose turn it is. Seats with something to do stand in one row: the first gets the next free
 * worker for one turn and goes to the end. Workers are started when there is work for them, and kept.
 */
export class Crew {
  readonly #hands = new Set<Hand>()
  readonly #size: number
  readonly #memoryMib: number
  #row: Array<Seat> = []
  #count = 0

  constructor(size: number, memoryMib: number) {
    this.#size = size
    this.#memoryMib = memoryMib
  }

  enter(program: Seat["program"], settled: boolean): Seat {
    return new Seat(++this.#count, program, settled)
  }

  /** Queues a turn; the reply says so when the worker was lost over it. */
  turn(seat: Seat, order: Omit<Order, "session" | "program">, millis: number): Promise<FromWorker | Lost> {
    return new Promise((resolve) => {
      seat.tasks.push({ order: { ...order, session: seat.id, program: undefined }, millis, resolve })
      if (!this.#row.includes(seat)) this.#row.push(seat)
      this.#dispatch()
    })
  }

  /** What the seat still has in the queue is never begun; a turn that is running ends by itself. */
  leave(seat: Seat): void {
    seat.tasks.length = 0
    this.#row = this.#row.filter((other) => other !== seat)
    for (const hand of this.#hands) hand.forget(seat.id)
  }

  async end(): Promise<void> {
    await Promise.all([...this.#hands].map((hand) => hand.end()))
  }

  #dispatch(): void {
    for (const seat of [...this.#row]) {
      const hand = this.#handFor(seat)
      if (hand === undefined) continue
      this.#row = this.#row.filter((other) => other !== seat)
      const task = seat.tasks.shift()
      if (task === undefined) continue
      if (seat.tasks.length > 0) this.#row.push(seat)
      void this.#work(hand, seat, task)
    }
  }

  async #work(hand: Hand, seat: Seat, task: Task): Promise<void> {
    const known = hand.sessions.has(seat.id)
    if (seat.settled) seat.home = hand
    const reply = await hand.give(known ? task.order : { ...task.order, program: seat.program }, task.millis)
    task.resolve(reply)
    this.#dispatch()
  }

  #handFor(seat: Seat): Hand | undefined {
    if (seat.home?.alive) return seat.home.idle ? seat.home : undefined
    const idle = [...this.#hands].filter((hand) => hand.idle)
    const known = idle.find((hand) => hand.sessions.has(seat.id)) ?? idle[0]
    if (known !== undefined || this.#hands.size >= this.#size) return known
    const hand = new Hand(this.#memoryMib, () => this.#hands.delete(hand))
    this.#hands.add(hand)
    return hand
  }
}
