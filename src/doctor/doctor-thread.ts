/**
 * The checks of `cairn doctor` in a running node, on a thread that ends with them: they read files, hash the audit log and
 * wait for the disk, and consensus must not wait for any of that.
 */
import type { DoctorReport, LiveDoctor } from '#api/doctor-contract.ts'
import type { RequestRow } from '#platform/channel/channel-protocol.ts'
import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import { defineRoom } from '#platform/room.ts'
import { defineThread, type ThreadOf } from '#platform/thread/define-thread.ts'
import { startThread } from '#platform/thread/thread.ts'

/** The node's options as they were given. */
export interface OptionSource {
  readonly args: readonly string[]
  readonly environment: Readonly<Record<string, string | undefined>>
}

export type Diagnosis = Omit<DoctorReport, 'atMs'>

type DoctorOffers = { readonly requests: { readonly diagnose: RequestRow<OptionSource, Diagnosis> } }

export const DOCTOR_THREAD = defineThread<{
  data: undefined
  offers: DoctorOffers
  asks: Record<never, never>
}>({
  name: 'doctor',
  entry: import.meta.resolve('#doctor/doctor-thread-entry.ts'),
  restart: 'onDemand',
  lowPriority: true,
  heap: { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 512 },
})

const DIAGNOSE_DEADLINE_MS = 45_000
/** Findings are returned again for so long: a page asks often, and the checks write to the disk. */
const KEPT_MS = 60_000
const STOP_DEADLINE_MS = 2_000
const DEADLINES = { startDeadlineMs: 5_000, stopDeadlineMs: 5_000 }

export interface DoctorParts {
  readonly clock: Clock
  readonly log: Log
}

/** Starts nothing: the first report starts the thread. */
export const doctorRoom = (source: OptionSource) =>
  defineRoom({
    ...DEADLINES,
    name: 'doctor',
    start: (parts: DoctorParts, { onStop }): LiveDoctor => {
      const doctor = new Doctor(source, parts)
      onStop(() => doctor.stop())
      return doctor
    },
  })

export class Doctor {
  readonly #source: OptionSource
  readonly #parts: DoctorParts
  #last: { readonly report: Promise<DoctorReport>; readonly sinceMs: number } | undefined
  #thread: ThreadOf<typeof DOCTOR_THREAD> | undefined
  readonly #stopping = new AbortController()

  constructor(source: OptionSource, parts: DoctorParts) {
    this.#source = source
    this.#parts = parts
  }

  /** Callers share one run. */
  report(): Promise<DoctorReport> {
    const nowMs = this.#parts.clock.monotonicMs()
    if (this.#last === undefined || nowMs - this.#last.sinceMs > KEPT_MS) {
      this.#last = { report: this.#diagnose(), sinceMs: nowMs }
      this.#last.report.catch(() => {
        this.#last = undefined
      })
    }
    return this.#last.report
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#thread?.stop(STOP_DEADLINE_MS)
  }

  async #diagnose(): Promise<DoctorReport> {
    const { clock, log } = this.#parts
    const limits = { deadlineMs: DIAGNOSE_DEADLINE_MS }
    const { signal } = this.#stopping
    const thread: ThreadOf<typeof DOCTOR_THREAD> = await startThread({
      ...DOCTOR_THREAD,
      handlers: {},
      clock,
      log,
      limits,
      signal,
    })
    this.#thread = thread
    try {
      return { atMs: clock.wallMs(), ...(await thread.channel.request('diagnose', this.#source)) }
    } finally {
      this.#thread = undefined
      await thread.stop(STOP_DEADLINE_MS)
    }
  }
}
