import { addressOf } from "../../app/location.ts"
import { runs as t } from "../../texts/en.ts"

/** The lists of the page: runs, their archives, and the files that they have written. */
export const listViews = (current?: "runs" | "archives" | "files") => [
  { title: t.views.history, to: addressOf(["runs"]), current: current === "runs" },
  { title: t.views.archives, to: addressOf(["runs"], { view: "archives" }), current: current === "archives" },
  { title: t.views.files, to: addressOf(["runs"], { view: "files" }), current: current === "files" }
]
