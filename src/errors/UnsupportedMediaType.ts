import { Problem } from "./Problem.ts"

/** The endpoint does not take a body of this media type. */
export class UnsupportedMediaType extends Problem<UnsupportedMediaType>()("UnsupportedMediaType", {
  type: "/problems/unsupported-media-type",
  status: 415,
  title: "Unsupported media type"
}) {}
