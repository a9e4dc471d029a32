/**
 * Keeps the nodes running that the operator wants. It looks only at files and processes, and remembers only when to
 * retry: a killed supervisor leaves its nodes running, and the next one continues.
 */

import { type Clock, pause } from '#platform/clock.ts'
import { kindOfPath } from '#platform/files/files.ts'
import { type FleetNode, nodesOf } from './network-directory.ts'
import { lastWords } from './node-log.ts'
import { pidOf, startProcess } from './node-process.ts'

const LOOK_MS = 500

export interface Watch {
  readonly directory: string
  readonly clock: Clock
  readonly signal: AbortSignal
  tell(sentence: string): void
}

/** Runs until the signal aborts. */
export async function supervise(watch: Watch): Promise<void> {
  const delays = new Map<string, Watched>()
  while (!watch.signal.aborted) {
    for (const node of nodesOf(watch.directory)) {
      const watched = delays.get(node.name) ?? { delay: new RestartDelay(), state: 'new' }
      delays.set(node.name, watched)
      look(node, watched, watch)
    }
    await pause(watch.clock, LOOK_MS)
  }
}

interface Watched {
  readonly delay: RestartDelay
  state: 'new' | 'running' | 'waiting' | 'stopped'
}

function look(node: FleetNode, watched: Watched, { clock, tell }: Watch): void {
  const nowMs = clock.monotonicMs()
  if (pidOf(node) !== undefined) {
    if (watched.state === 'new') tell(`${node.name} runs already and is watched from now on.`)
    watched.state = 'running'
    return
  }
  if (kindOfPath(node.stoppedFile) !== undefined) {
    if (watched.state !== 'stopped')
      tell(`${node.name} is stopped; 'cairn network start ${node.name}' starts it.`)
    watched.state = 'stopped'
    return
  }
  const leftMs = watched.state === 'stopped' ? 0 : watched.delay.leftMs(nowMs)
  if (watched.state === 'running') tell(ended(node, leftMs))
  watched.state = 'waiting'
  if (leftMs > 0) return
  if (!startProcess(node)) return
  watched.delay.started(nowMs)
  tell(`${node.name} starts.`)
  watched.state = 'running'
}

function ended(node: FleetNode, leftMs: number): string {
  const words = lastWords(node)
  const said = words === undefined ? '' : ` It said last: ${words.text}`
  const when = leftMs === 0 ? 'at once' : `in ${Math.ceil(leftMs / 1_000)} s`
  return `${node.name} has ended and starts again ${when}.${said}`
}

const FIRST_DELAY_MS = 1_000
const LONGEST_DELAY_MS = 30_000
/** A node that ran this long did start, so its next failure is a new one. */
const STABLE_MS = 60_000

/** The pause before a node is restarted. It grows every time until the node has run well for a while. */
export class RestartDelay {
  #delayMs = 0
  #startedMs = Number.NEGATIVE_INFINITY
  #endedMs: number | undefined

  started(nowMs: number): void {
    this.#startedMs = nowMs
    this.#endedMs = undefined
  }

  /** The remaining milliseconds until a node that is not running should start. */
  leftMs(nowMs: number): number {
    if (this.#endedMs === undefined) {
      const ranMs = nowMs - this.#startedMs
      if (ranMs === Number.POSITIVE_INFINITY || ranMs >= STABLE_MS) this.#delayMs = 0
      else this.#delayMs = Math.min(LONGEST_DELAY_MS, Math.max(FIRST_DELAY_MS, this.#delayMs * 2))
      this.#endedMs = nowMs
    }
    return Math.max(0, this.#endedMs + this.#delayMs - nowMs)
  }
}
