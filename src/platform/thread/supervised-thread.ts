import type { Clock, Timer } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import type { Thread } from './thread.ts'

/** Before a thread that died soon after its start is started again: long enough for the log, short for clients that retry. */
const RESTART_PAUSE_MS = 1_000

type AnyThread = Pick<Thread<never, never>, 'stop' | 'exited'>

export interface SupervisedThread {
  stop(deadlineMs: number): Promise<void>
}

export interface Supervision<Supervised extends AnyThread> {
  readonly name: string
  readonly start: () => Promise<Supervised>
  readonly clock: Clock
  readonly log: Log
  readonly restartPauseMs?: number
  /** Told of the first thread and of each that takes its place. */
  readonly onStarted: (thread: Supervised) => void
}

/**
 * Keeps a thread at work: one that died, by a mistake of ours or because it was ended, is replaced, at once if it
 * had worked for a while.
 */
export async function superviseThread<Supervised extends AnyThread>({
  name,
  start,
  clock,
  log,
  onStarted,
  restartPauseMs = RESTART_PAUSE_MS,
}: Supervision<Supervised>): Promise<SupervisedThread> {
  let current: Supervised | undefined
  let isStopping = false
  let restart: Timer | undefined
  let starting: Promise<void> | undefined

  const begin = async (): Promise<void> => {
    const started = await start()
    const startedMs = clock.monotonicMs()
    current = started
    void started.exited.then(({ error }) => {
      current = undefined
      replace(error, clock.monotonicMs() - startedMs < restartPauseMs ? restartPauseMs : 0)
    })
    if (isStopping) return
    onStarted(started)
  }
  const replace = (err: unknown, pauseMs: number): void => {
    if (isStopping) return
    log.error('A thread ended unexpectedly and is replaced.', { thread: name, err })
    restart = clock.after(pauseMs, () => {
      starting = begin().catch((failure) => replace(failure, restartPauseMs))
    })
  }

  await begin()
  return {
    async stop(deadlineMs) {
      isStopping = true
      restart?.cancel()
      await starting
      await current?.stop(deadlineMs)
    },
  }
}
