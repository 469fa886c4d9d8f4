import { Effect, Layer } from "effect"
import * as S3 from "../../src/drivers/blobs/s3/S3Blobs.ts"
import { behaviour } from "../blobs/behaviour.ts"
import { freshPlace } from "./bucket.ts"

behaviour(
  "blobs in S3",
  Layer.unwrap(Effect.map(freshPlace, (place) => Layer.fresh(S3.layer).pipe(Layer.provide(S3.S3Config.layer(place))))),
  25
)
