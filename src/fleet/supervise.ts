/**
 * Keeps running what the operator wants to run. It looks at files and processes only, and remembers nothing but when to try
 * again: one that was killed leaves its nodes running, and the next takes over where it was.
 */

import { type Clock, pause } from '#platform/clock.ts'
import { kindOfPath } from '#platform/files/files.ts'
import { type FleetNode, nodesOf } from './network-directory.ts'
import { lastWords } from './node-log.ts'
import { pidOf, startProcess } from './node-process.ts'
import { RestartDelay } from './restart-delay.ts'

const LOOK_MS = 500

export interface Watch {
  readonly directory: string
  readonly clock: Clock
  readonly signal: AbortSignal
  tell(sentence: string): void
}

/** Until the signal. */
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
