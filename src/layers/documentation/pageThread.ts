import { parentPort } from "node:worker_threads"
import type { Source } from "../../services/documentation/Renderer.ts"
import { page } from "./Page.ts"

/** The text of a page and its navigation. */
export type Task = readonly [text: Source, navigation: Source]

// Answers the tasks one after the other.
parentPort?.on("message", (task: Task) => parentPort?.postMessage(page(...task)))
