/** The fields of block 0 that the file sets, and the fields that block 0 has. */

import { ZERO_ADDRESS } from '#types/address.ts'
import type { BlockHeader, OptionalHeaderField } from '#types/block/block-header.ts'
import { MAX_UINT64 } from '#types/bytes.ts'
import { unlessFault } from '#types/fault.ts'
import { type Hash, ZERO_HASH } from '#types/hash.ts'
import { parseDataLenient } from '#types/hex.ts'
import { FORKS, type ForkName, type ForkSchedule } from './fork-schedule.ts'
import { parseHexText, parseLongText, stripPrefix } from './genesis-number.ts'
import type { GenesisSection } from './genesis-section.ts'

type StatedFields = Pick<
  BlockHeader,
  'parentHash' | 'coinbase' | 'difficulty' | 'gasLimit' | 'timestamp' | 'extraData' | 'mixHash' | 'nonce'
>

export interface GenesisHeader extends StatedFields {
  /** If undefined, block 0 has neither this field nor the later ones. */
  readonly baseFeePerGas: bigint | undefined
  readonly blobGasUsed: bigint
  readonly excessBlobGas: bigint
  readonly parentBeaconBlockRoot: Hash
  readonly slotNumber: bigint
}

/** EIP-1559: the base fee of the first London block if the genesis file names none. */
export const INITIAL_BASE_FEE_WEI = 1_000_000_000n
const LONG_FORM = 'a number from 0 to 2^63 - 1, decimal or 0x and hex'

export function readGenesisHeader(root: GenesisSection, forks: ForkSchedule): GenesisHeader {
  const gasKey = root.has('gasLimit') ? 'gasLimit' : root.has('gasTarget') ? 'gasTarget' : 'gasLimit'
  requireKey(root, 'difficulty', '"0x1" for QBFT and IBFT 2.0')
  requireKey(root, gasKey, 'for example "0x1c9c380"')
  return {
    parentHash: root.hash('parentHash') ?? ZERO_HASH,
    coinbase: root.address('coinbase') ?? ZERO_ADDRESS,
    difficulty: readDifficulty(root),
    gasLimit: root.text(gasKey, LONG_FORM, parseLongText) ?? 0n,
    timestamp: root.text('timestamp', LONG_FORM, parseLongText) ?? 0n,
    extraData: readExtraData(root),
    mixHash: root.hash('mixHash') ?? ZERO_HASH,
    nonce: readHex64(root, 'nonce'),
    baseFeePerGas:
      root.text('baseFeePerGas', LONG_FORM, parseLongText) ??
      (forks.scheduledFrom('london') === 0n ? INITIAL_BASE_FEE_WEI : undefined),
    blobGasUsed: readHex64(root, 'blobGasUsed'),
    excessBlobGas: readHex64(root, 'excessBlobGas'),
    parentBeaconBlockRoot: root.hash('parentBeaconBlockRoot') ?? ZERO_HASH,
    slotNumber: readHex64(root, 'slotNumber'),
  }
}

/** The fields of block 0 beyond the first fifteen, in order. The first absent one ends the header. */
export function optionalHeaderFields(header: GenesisHeader, forks: ForkSchedule): OptionalHeaderField[] {
  const isActive = (fork: ForkName): boolean => isActiveAtGenesis(fork, header.timestamp, forks)
  const groups = FORKS.flatMap(({ name, headerFields }): [boolean, readonly OptionalHeaderField[]][] =>
    headerFields === undefined
      ? []
      : [[name === 'london' ? header.baseFeePerGas !== undefined : isActive(name), headerFields]],
  )
  const firstAbsent = groups.findIndex(([isPresent]) => !isPresent)
  return groups.slice(0, firstAbsent === -1 ? groups.length : firstAbsent).flatMap(([, fields]) => fields)
}

/** Forks whose times determine header fields. A fork without a time follows the next named one. */
const HEADER_FORKS: readonly ForkName[] = FORKS.filter(
  ({ trigger, blobs }) => trigger === 'time' && blobs !== 'as before',
).map(({ name }) => name)

function isActiveAtGenesis(fork: ForkName, timestamp: bigint, forks: ForkSchedule): boolean {
  for (const name of HEADER_FORKS.slice(HEADER_FORKS.indexOf(fork))) {
    const from = forks.scheduledFrom(name)
    if (from !== undefined) return timestamp >= from
  }
  return false
}

function requireKey(root: GenesisSection, key: string, example: string): void {
  if (root.value(key) === undefined) root.refuse(key, `${key} is missing; add it, ${example}.`)
}

function readDifficulty(root: GenesisSection): bigint {
  const difficulty = root.text('difficulty', 'a hex number of at most 256 bits', (text) => {
    if (/^[1-9]\d+$/.test(text)) {
      const sentence = `difficulty is read as hex: ${text} means 0x${text}. Write it with 0x.`
      root.problems.warn(root.pathOf('difficulty'), sentence)
    }
    return parseHexText(text)
  })
  return difficulty ?? 0n
}

function readHex64(root: GenesisSection, key: string): bigint {
  return root.text(key, 'a hex number of at most 64 bits', (text) => parseHexText(text, MAX_UINT64)) ?? 0n
}

function readExtraData(root: GenesisSection): Uint8Array {
  const value = root.string('extraData', 'hex data in quotes, two digits per byte', (text) =>
    unlessFault(() => parseDataLenient(stripPrefix(text))),
  )
  return value ?? new Uint8Array(0)
}
