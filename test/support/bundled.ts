import { startBundled } from "../../src/drivers/Programs.ts"
import { holdAnswers } from "./answers.ts"

// What the tests start as processes and threads are the bundled programs, as with `npm start`.
startBundled()

holdAnswers()
