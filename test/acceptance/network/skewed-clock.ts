/*
 * Loaded into a program before anything else (--import), in each of its threads: its wall clock is wrong by as many milliseconds
 * as a file says, which may change while it runs. A file that is not there says none.
 */
import { readFileSync } from 'node:fs'

const LOOK_EVERY_MS = 200
const rightNow = Date.now
let offsetMs = 0

function look(): void {
  try {
    offsetMs = Number(readFileSync(process.env.LAB_CLOCK_FILE!, 'utf8'))
  } catch {
    offsetMs = 0
  }
}

look()
setInterval(look, LOOK_EVERY_MS).unref()
Date.now = () => rightNow() + offsetMs
