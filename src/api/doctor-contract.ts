import { type OwnerOf, question } from '#platform/contract.ts'

/** Longer than the checks may take. */
const REPORT_DEADLINE_MS = 60_000

export interface DoctorReport {
  readonly atMs: number
  readonly checks: number
  readonly findings: readonly {
    readonly id: string
    readonly severity: 'error' | 'warning'
    readonly problem: string
    readonly remedy: string
  }[]
}

export const DOCTOR = {
  /** The findings of `cairn doctor`, at most a minute old; undefined if this node has no doctor. */
  report: question<[], DoctorReport | undefined>({ deadlineMs: REPORT_DEADLINE_MS }),
}

export type LiveDoctor = OwnerOf<typeof DOCTOR>

/** For an embedded node: its program has no options that could be read again. */
export const NO_DOCTOR: LiveDoctor = { report: () => undefined }
