import { Context } from "effect"
import { Overloaded } from "../../errors/Overloaded.ts"

const queue = (each: number, detail: string) => ({ each, full: () => new Overloaded({ detail }) })

/** Forms that are being received at the same time: they take no place of a test. */
export const receiving = {
  all: 1024,
  each: 256,
  kept: 256,
  queue: queue(0, "The gateway is already receiving as many tests of this tenant as it may")
}

/** Tests that the gateway works on at the same time, until their answers have been read, and those that wait. */
export const testing = {
  all: 32,
  each: 24,
  kept: 8,
  queue: queue(64, "64 tests of this tenant are already waiting")
}

/**
 * Maximum bytes that the forms of all concurrent tests hold together, so that tests cannot exhaust the gateway's
 * memory. The last quarter goes only to tenants that hold no more than a sixteenth.
 */
export const FormMemoryLimit = Context.Reference<number>("flow/operators/FormRoom", {
  defaultValue: () => 256 * 1024 * 1024
})
