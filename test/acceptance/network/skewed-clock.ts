/**
 * Preloaded with --import into each thread of a node: it shifts the wall clock by the milliseconds in a file,
 * which may change while the node runs. A missing file means no shift.
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
