import { startBundled } from "../../src/drivers/Programs.ts"
import { holdAnswers } from "./answers.ts"

// Tests start the bundled programs as processes and threads, as `npm start` does.
startBundled()

holdAnswers()
