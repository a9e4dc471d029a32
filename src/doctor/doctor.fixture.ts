/** A node to check, and another node with given answers. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { ForkIds } from '#chain/read/fork-id.ts'
import { genesisHashOf } from '#chain/write/commit-genesis.ts'
import { loadCrypto } from '#evm/crypto.ts'
import { loadNetwork } from '#node/load-genesis.ts'
import { settingsOf } from '#node/settings.fixture.ts'
import { systemClock } from '#platform/clock.ts'
import { encodeGenesisExtraData } from '#types/block/bft-extra-data.ts'
import { addressFromPublicKey, publicKeyFromPrivate } from '#types/curve.ts'
import { formatData } from '#types/hex.ts'
import type { Finding } from './check.ts'
import { diagnose } from './diagnose.ts'

export const HEAD = 10n
const KEY = new Uint8Array(32).fill(0x12)
export const ADDRESS = addressFromPublicKey(publicKeyFromPrivate('secp256k1', KEY))

/** As a result: the call is refused, as nodes refuse those that a user may not make. */
export const UNAUTHORIZED = Symbol('unauthorized')

type Answers = Record<string, unknown>

export interface DoctorCase {
  readonly folder: string
  /** Results by method, and by its first parameter if a method occurs twice. */
  readonly honest: Answers
  /** The findings for these options, next to another node with these answers. */
  look(options?: readonly string[], answers?: Answers | 'nothing'): Promise<readonly Finding[]>
}

export function genesisOf(forks: Readonly<Record<string, number>>): string {
  const extraData = formatData(encodeGenesisExtraData('qbft', [ADDRESS]))
  const config = { chainId: 1337, berlinBlock: 0, ...forks, qbft: { epochlength: 30_000 } }
  return JSON.stringify({ config, extraData, difficulty: '0x1', gasLimit: '0x1c9c3800', alloc: {} })
}

/** The own node has its second fork at block 5, which the chain has passed, and a third one in the far future. */
export async function doctorCase(context: TestContext): Promise<DoctorCase> {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-doctor-'))
  context.after(() => rmSync(folder, { recursive: true }))
  const genesisFile = join(folder, 'genesis.json')
  writeFileSync(genesisFile, genesisOf({ londonBlock: 5, shanghaiTime: 9_999_999_999 }))
  const keyFile = join(folder, 'key')
  writeFileSync(keyFile, formatData(KEY), { mode: 0o600 })
  const base = [
    `--data-path=${join(folder, 'data')}`,
    `--genesis-file=${genesisFile}`,
    `--node-private-key-file=${keyFile}`,
    '--p2p-enabled=false',
  ]
  const honest = await answersFor(genesisFile)
  return {
    folder,
    honest,
    look: (options = [], answers = honest) =>
      diagnose(settingsOf(...base, ...options), {
        limits: { syncMs: 60_000, freeBytesError: 0, freeBytesWarning: 0, openFiles: 16 },
        ...(answers !== 'nothing' && {
          against: {
            url: 'http://other.example',
            ask: async (calls) =>
              calls.map(({ method, params }) => {
                const result = answers[`${method} ${params?.[0] ?? ''}`.trim()]
                return result === UNAUTHORIZED ? { error: { code: -40_100 } } : { result }
              }),
          },
        }),
      }),
  }
}

/** The answers of an honest node with this genesis file. */
export async function answersFor(genesisFile: string): Promise<Answers> {
  const { genesis } = loadNetwork(settingsOf(`--genesis-file=${genesisFile}`)).genesis
  const genesisHash = genesisHashOf(genesis, (await loadCrypto()).keccak)
  const seconds = BigInt(Math.floor(systemClock.wallMs() / 1_000))
  const { hash, next } = new ForkIds(genesisHash, genesis.header.timestamp, genesis.config.forks).at({
    number: HEAD + 1n,
    timestamp: seconds,
  })
  return {
    'eth_getBlockByNumber 0x0': { hash: genesisHash },
    'eth_getBlockByNumber latest': { number: '0xa', timestamp: `0x${seconds.toString(16)}` },
    net_version: '1337',
    eth_config: { current: { forkId: hash }, next: next === 0n ? null : { activationTime: Number(next) } },
    bft_status: { validators: [{ encoding: 'current' }] },
    'qbft_getValidatorsByBlockNumber latest': [ADDRESS],
  }
}

export const idsOf = (findings: readonly Finding[]): readonly string[] => findings.map(({ id }) => id)
