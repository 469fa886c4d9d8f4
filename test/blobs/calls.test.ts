import { assert, describe, it } from "vitest"
import { boundedCalls, Overdue, slotsOf, tracked } from "../../src/drivers/blobs/disk/FileCalls.ts"

/** A call that ends on request. */
const held = () => {
  const ends: Array<(value: number) => void> = []
  const start = (done: (error: null, value: number) => void) => void ends.push((value) => done(null, value))
  return { ends, start }
}

const outcome = (promise: Promise<number>) =>
  promise.then(
    (value) => value,
    (error) => (error instanceof Overdue ? "overdue" : error)
  )

describe("bounded calls", () => {
  it("give back what comes too late, and nothing else", async () => {
    const call = boundedCalls(30, 2)
    const { ends, start } = held()
    const late: Array<number> = []
    const slow = outcome(call(start, (value) => late.push(value)))
    const quick = outcome(call(start, (value) => late.push(value)))
    ends[1]!(2)
    assert.strictEqual(await quick, 2)
    assert.strictEqual(await slow, "overdue")
    ends[0]!(1)
    assert.deepStrictEqual(late, [1])
  })

  it("are as many as there are threads without one, and never more than there are threads", () => {
    const sizes = [undefined, "4", "2", "1", "0", "", "many", "8 threads", "4096"]
    assert.deepStrictEqual(sizes.map(slotsOf), [3, 3, 1, 1, 1, 1, 1, 7, 1023])
  })

  it("refuse at once while every slot is lost, and go on when one comes back", async () => {
    const call = boundedCalls(30, 2)
    const { ends, start } = held()
    const lost = [outcome(call(start)), outcome(call(start)), outcome(call(start))]
    assert.strictEqual(ends.length, 2)
    assert.deepStrictEqual(await Promise.all(lost), ["overdue", "overdue", "overdue"])
    // Immediately: before a timer that is due now.
    const late = new Promise((done) => setTimeout(done, 0, "late"))
    assert.strictEqual(await Promise.race([outcome(call(start)), late]), "overdue")
    assert.strictEqual(ends.length, 2)
    ends[0]!(0)
    const again = outcome(call(start))
    ends[2]!(7)
    assert.strictEqual(await again, 7)
  })

  it("do not count the wait behind calls that move", async () => {
    const call = boundedCalls(60, 1)
    const slow = (done: (error: null, value: number) => void) => void setTimeout(() => done(null, 1), 25)
    assert.deepStrictEqual(await Promise.all(Array.from({ length: 8 }, () => outcome(call(slow)))), Array(8).fill(1))
  })

  it("know when the kernel is done with a file, and let nothing more through", async () => {
    const bounded = boundedCalls(30, 1)
    const file = tracked(bounded)
    const { ends, start } = held()
    const [running, queued] = [outcome(file.call(start)), outcome(file.call(start))]
    let idle = false
    const settled = file.retire().then(() => {
      idle = true
    })
    assert.notStrictEqual(await outcome(file.call(start)), "overdue")
    assert.deepStrictEqual(await Promise.all([running, queued]), ["overdue", "overdue"])
    assert.isFalse(idle)
    ends[0]!(1)
    await settled
    await file.retire()
    assert.strictEqual(ends.length, 1)
  })
})
