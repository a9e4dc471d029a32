/**
 * What `cairn doctor` looks at: one row for each check, from which its page is generated too. A check looks, and changes
 * nothing: it never opens the database, and works beside a running node and without one.
 */
import type { Settings } from '#config/settings.ts'
import type { Clock } from '#platform/clock.ts'
import type { Genesis } from '#types/genesis/genesis.ts'
import type { Hash } from '#types/hash.ts'
import type { OtherNode } from './other-node.ts'

/** `error`: the node does not start, does not take part, or is in danger. `warning`: look at it. */
export type Severity = 'error' | 'warning'

export interface Problem {
  readonly severity: Severity
  /** What is wrong, as a sentence. */
  readonly problem: string
  /** What to do, as a sentence. */
  readonly remedy: string
}

export interface Finding extends Problem {
  /** Of the check; stays the same over versions. */
  readonly id: string
}

export interface Check {
  readonly id: string
  /** What it looks at, for the page. */
  readonly looksAt: string
  run(patient: Patient): readonly Problem[] | Promise<readonly Problem[]>
}

/** What all checks look at. */
export interface Patient {
  readonly settings: Settings
  readonly clock: Clock
  readonly limits: DoctorLimits
  /** The value of CAIRN_ENGINE. */
  readonly engine: string | undefined
  /** undefined: the check of the genesis file says why. */
  readonly network: PatientNetwork | undefined
  /** Of the key of the node; undefined: there is none, a plugin has it, or the check of the key says why. */
  readonly publicKey: Uint8Array | undefined
  /** How long its signer took for a signature; undefined: it has none. */
  readonly signMs: number | undefined
  /** Why the genesis file and the key were not read. */
  readonly unread: Readonly<Record<'genesis' | 'key', readonly Problem[]>>
  /** The process that has the database open. */
  readonly pid: number | undefined
  /** The other node that it is compared with. */
  readonly other: OtherNode | undefined
}

export interface PatientNetwork {
  readonly genesis: Genesis
  readonly genesisHash: Hash
  readonly networkId: bigint
}

/** What is too little or too much. Tests have others. */
export interface DoctorLimits {
  readonly openFiles: number
  readonly freeBytesError: number
  readonly freeBytesWarning: number
  readonly syncMs: number
  /** For a signature by the signer: a vote waits for two of them. */
  readonly signMs: number
  /** Of the process without its caches. */
  readonly baseMemoryBytes: number
  readonly clockMs: number
  readonly certificateDays: number
  /** Where control groups are mounted. */
  readonly controlGroups: string | undefined
}

const GIB = 1024 ** 3

export const DOCTOR_LIMITS: DoctorLimits = {
  openFiles: 4_096,
  freeBytesError: GIB,
  freeBytesWarning: 10 * GIB,
  syncMs: 50,
  signMs: 200,
  baseMemoryBytes: 300 * 1024 ** 2,
  clockMs: 1_000,
  certificateDays: 30,
  controlGroups: undefined,
}

export function error(problem: string, remedy: string): readonly Problem[] {
  return [{ severity: 'error', problem, remedy }]
}

export function warning(problem: string, remedy: string): readonly Problem[] {
  return [{ severity: 'warning', problem, remedy }]
}

/** What a start would be stopped by: the fault names the remedy itself. */
export async function unlessFault(
  run: () => unknown,
  remedy: string,
  severity: Severity = 'error',
): Promise<readonly Problem[]> {
  try {
    await run()
    return []
  } catch (thrown) {
    return [{ severity, problem: sentenceOf(thrown), remedy }]
  }
}

/** What was thrown, with the cause that says more than `fetch failed`. */
export function sentenceOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return `${thrown}.`
  const { message, cause } = thrown
  const said = message === 'fetch failed' && cause instanceof Error ? cause.message : message
  return said.endsWith('.') ? said : `${said}.`
}
