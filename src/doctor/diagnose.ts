/** Runs all checks, one after another, and collects the findings. */
import { join } from 'node:path'
import { genesisHashOf } from '#chain/write/commit-genesis.ts'
import type { Settings } from '#config/settings.ts'
import { loadCrypto } from '#evm/crypto.ts'
import { databaseOf } from '#node/ledger.ts'
import { loadNetwork } from '#node/load-genesis.ts'
import { hasKeyFile, readNodeKey } from '#p2p/key/key-file.ts'
import { readSignerConfig, trySignerOf } from '#p2p/signer/start-signer.ts'
import { type Clock, systemClock } from '#platform/clock.ts'
import { lockHolder } from '#platform/machine.ts'
import {
  type Check,
  DOCTOR_LIMITS,
  type DoctorLimits,
  type Finding,
  type Patient,
  type PatientNetwork,
  unlessFault,
} from './check.ts'
import { FILE_CHECKS } from './file-checks.ts'
import { MACHINE_CHECKS } from './machine-checks.ts'
import { NETWORK_CHECKS } from './network-checks.ts'
import { type Ask, askOther } from './other-node.ts'

export const DOCTOR_CHECKS: readonly Check[] = [...FILE_CHECKS, ...MACHINE_CHECKS, ...NETWORK_CHECKS]

/** The first check of a start. */
export const OPTIONS_CHECK = 'options'

export interface DiagnoseOptions {
  /** The value of CAIRN_ENGINE. */
  readonly engine?: string | undefined
  readonly against?: { readonly url: string; readonly ask: Ask } | undefined
  /** The node runs in this process: its key and its signer are in use, and are not read and tried again. */
  readonly isRunning?: boolean
  readonly clock?: Clock
  readonly limits?: Partial<DoctorLimits>
}

export async function diagnose(
  settings: Settings,
  options: DiagnoseOptions = {},
): Promise<readonly Finding[]> {
  const clock = options.clock ?? systemClock
  let network: PatientNetwork | undefined
  let found: FoundKey = {}
  const genesis = await unlessFault(async () => {
    network = await networkOf(settings)
  }, 'Correct the file; cairn genesis validate explains every mistake.')
  const key = await unlessFault(
    async () => {
      if (!options.isRunning) found = await findKey(settings, clock)
    },
    hasKeyFile(settings)
      ? 'A key that is gone comes back from its backup.'
      : 'Start the signer, or correct the options that begin with --node-signer; docs/extend/signer.md says what it has to answer.',
  )
  const patient: Patient = {
    settings,
    clock,
    limits: { ...DOCTOR_LIMITS, ...options.limits },
    engine: options.engine,
    network,
    publicKey: found.publicKey,
    signMs: found.signMs,
    unread: { genesis, key },
    pid: lockHolder(join(databaseOf(settings).path, 'LOCK')),
    other: options.against && (await askOther(options.against.url, options.against.ask)),
  }
  const findings: Finding[] = []
  for (const { id, run } of DOCTOR_CHECKS) {
    for (const problem of await run(patient)) findings.push({ id, ...problem })
  }
  return findings
}

async function networkOf(settings: Settings): Promise<PatientNetwork> {
  const { keccak } = await loadCrypto()
  const { genesis, networkId } = loadNetwork(settings)
  return { genesis: genesis.genesis, networkId, genesisHash: genesisHashOf(genesis.genesis, keccak) }
}

interface FoundKey {
  readonly publicKey?: Uint8Array | undefined
  readonly signMs?: number
}

/** Never creates a key. */
async function findKey(settings: Settings, clock: Clock): Promise<FoundKey> {
  const signer = readSignerConfig(settings)
  if (signer !== undefined) return await trySignerOf(signer, clock)
  return hasKeyFile(settings) ? { publicKey: readNodeKey(settings)?.publicKey } : {}
}
