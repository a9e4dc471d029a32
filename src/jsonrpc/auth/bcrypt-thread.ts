import { JSONRPC_PROBLEMS } from '#jsonrpc/log-problems.ts'
import type { RequestRow } from '#platform/channel/channel-protocol.ts'
import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import { defineThread, type ThreadOf } from '#platform/thread/define-thread.ts'
import { startThread, type ThreadExit } from '#platform/thread/thread.ts'
import { Fault } from '#types/fault.ts'
import type { PasswordVerdict, PasswordVerifier } from './login.ts'

/** Logins that wait for the current one; each takes about 70 ms. */
const QUEUED_MAX = 64
/** Longer than a full queue with the usual hash cost. */
const DEADLINE_MS = 10_000

type BcryptOffers = { readonly requests: { readonly verify: RequestRow<Login, boolean> } }
type Login = { readonly password: string; readonly hash: string }

export const BCRYPT = defineThread<{ data: undefined; offers: BcryptOffers; asks: Record<never, never> }>({
  name: 'bcrypt',
  entry: import.meta.resolve('#jsonrpc/auth/bcrypt-thread-entry.ts'),
  restart: 'onDemand',
  lowPriority: true,
})

export interface BcryptThread extends PasswordVerifier {
  stop(deadlineMs: number): Promise<ThreadExit>
}

export interface BcryptThreadOptions {
  readonly clock: Clock
  readonly log: Log
  readonly queuedMax?: number
  /** For tests: a thread that can be made to die. */
  readonly entry?: string
}

type Worker = ThreadOf<typeof BCRYPT>

/** A thread for bcrypt only: server threads and libuv's pool stay free. After it dies, the next login restarts it. */
export async function startBcryptThread(options: BcryptThreadOptions): Promise<BcryptThread> {
  const { log } = options
  let worker = await startWorker(options)
  let starting: Promise<Worker> | undefined
  let isStopped = false

  const restart = async (): Promise<Worker> => {
    starting ??= startWorker(options)
    try {
      worker = await starting
      return worker
    } finally {
      starting = undefined
    }
  }

  const request = async (password: string, hash: string): Promise<boolean> => {
    const asked = worker
    try {
      return await asked.channel.request('verify', { password, hash })
    } catch (error) {
      if (isStopped || !(error instanceof Fault) || error.kind !== 'THREAD_DIED') throw error
    }
    const next = worker === asked ? await restart() : worker
    return next.channel.request('verify', { password, hash })
  }

  return {
    async verify(password, hash): Promise<PasswordVerdict> {
      try {
        return (await request(password.reveal(), hash.reveal())) ? 'match' : 'mismatch'
      } catch (error) {
        if (!(error instanceof Fault)) throw error
        log.warn(JSONRPC_PROBLEMS.passwordNotVerified, { reason: error.message })
        return 'busy'
      }
    },
    async stop(deadlineMs) {
      isStopped = true
      await starting?.catch(() => undefined)
      return worker.stop(deadlineMs)
    },
  }
}

async function startWorker(options: BcryptThreadOptions): Promise<Worker> {
  const { clock, log, queuedMax = QUEUED_MAX, entry = BCRYPT.entry } = options
  const limits = { inFlightMax: 1, queuedMax, deadlineMs: DEADLINE_MS }
  const worker: Worker = await startThread({ ...BCRYPT, entry, handlers: {}, clock, log, limits })
  void worker.exited.then(({ how, error }) => {
    if (how === 'died') log.error(JSONRPC_PROBLEMS.passwordThreadEnded, { err: error })
  })
  return worker
}
