/**
 * The checks of `cairn doctor`, one row each; the documentation page is generated from them. A check changes nothing: it
 * never opens the database, and works with or without a running node.
 */
import type { Settings } from '#config/settings.ts'
import type { Clock } from '#platform/clock.ts'
import type { Genesis } from '#types/genesis/genesis.ts'
import type { Hash } from '#types/hash.ts'
import type { OtherNode } from './other-node.ts'

/** `error`: the node does not start, does not take part, or is in danger. `warning`: worth a look. */
export type Severity = 'error' | 'warning'

export interface Problem {
  readonly severity: Severity
  /** The problem, as a sentence. */
  readonly problem: string
  /** The remedy, as a sentence. */
  readonly remedy: string
}

export interface Finding extends Problem {
  /** The id of the check, stable across versions. */
  readonly id: string
}

export interface Check {
  readonly id: string
  /** The subject of the check, for the documentation page. */
  readonly looksAt: string
  run(patient: Patient): readonly Problem[] | Promise<readonly Problem[]>
}

/** The input of all checks. */
export interface Patient {
  readonly settings: Settings
  readonly clock: Clock
  readonly limits: DoctorLimits
  /** The value of CAIRN_ENGINE. */
  readonly engine: string | undefined
  /** Undefined if the genesis file cannot be read; its check reports the reason. */
  readonly network: PatientNetwork | undefined
  /**
   * The node's public key; undefined if there is none, a plugin holds it, or the key check reports why it cannot be read.
   */
  readonly publicKey: Uint8Array | undefined
  /** The time that its signer took for a signature; undefined if it has none. */
  readonly signMs: number | undefined
  /** The reasons why the genesis file and the key could not be read. */
  readonly unread: Readonly<Record<'genesis' | 'key', readonly Problem[]>>
  /** The process that has the database open. */
  readonly pid: number | undefined
  /** The other node to compare with. */
  readonly other: OtherNode | undefined
}

export interface PatientNetwork {
  readonly genesis: Genesis
  readonly genesisHash: Hash
  readonly networkId: bigint
}

/** Thresholds of the checks. Tests use others. */
export interface DoctorLimits {
  readonly openFiles: number
  readonly freeBytesError: number
  readonly freeBytesWarning: number
  readonly syncMs: number
  /** For a signature of the signer: a consensus message waits for two of them. */
  readonly signMs: number
  /** The memory of the process without its caches. */
  readonly baseMemoryBytes: number
  readonly clockMs: number
  readonly certificateDays: number
  /** The mount point of the control groups. */
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

/** Reports a fault that would stop the start; the fault's sentence names the remedy. */
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

/** The error's message, or its cause if the message is only `fetch failed`. */
export function sentenceOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return `${thrown}.`
  const { message, cause } = thrown
  const said = message === 'fetch failed' && cause instanceof Error ? cause.message : message
  return said.endsWith('.') ? said : `${said}.`
}
