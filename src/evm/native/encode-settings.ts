/** Encodes the settings of a native session. docs/internals/wire/engine-native.md is the specification. */

import { ByteWriter } from '#evm/byte-writer.ts'
import type { BlockEnvironment, SessionOptions, Waivers } from '#evm/engine.ts'
import type { Rules } from '#evm/rules.ts'
import { addressToBytes } from '#types/address.ts'
import { assert } from '#types/assert.ts'
import { MAX_UINT64 } from '#types/bytes.ts'
import { FORKS, type ForkSchedule } from '#types/genesis/fork-schedule.ts'
import { GAS_PER_BLOB } from '#types/transaction/transaction-fees.ts'

/** The order is the code on the wire, as in `SPECS` of native/src/decode.rs. */
const NATIVE_FORKS = FORKS.filter(({ code }) => code === 'changes')

const FLAG = { callTree: 1, changesPerTransaction: 2, isBrief: 4 } as const
const WAIVER: Readonly<Record<keyof Waivers, number>> = {
  nonce: 1,
  balance: 2,
  baseFee: 4,
  senderCode: 8,
  gasLimit: 16,
}
const WAIVER_BITS = Object.entries(WAIVER) as [keyof Waivers, number][]
const MAX_UINT32 = 2 ** 32 - 1

/**
 * Whether the native engine implements these rules. It lacks Constantinople without Petersburg (EIP-1283), which no
 * public network used; the js engine runs it.
 */
export function nativeSupports({ fork }: Pick<Rules, 'fork'>): boolean {
  const code = FORKS.find(({ name }) => name === fork)?.code
  return code === 'changes' || code === 'stays'
}

/** Whether the native engine implements the rules of every block of a chain. */
export function nativeSupportsAll(schedule: ForkSchedule): boolean {
  return schedule.forks.every(({ name, trigger, from }) => {
    const first = trigger === 'block' ? schedule.ruleSetAt(from, 0n) : schedule.ruleSetAt(0n, from)
    // Another fork at the same position hides it.
    return nativeSupports({ fork: name }) || first.name !== name
  })
}

/** Shared, because settings are short. */
const writer = new ByteWriter()

export function encodeSettings(block: BlockEnvironment, rules: Rules, options: SessionOptions): Uint8Array {
  assert(block.prevRandao.length === 32, 'The mix hash of a block has 32 bytes.')
  writer.clear()
  writer.uint8(NATIVE_FORKS.findLastIndex(({ name }) => rules.has(name)))
  writer.uint8(
    (options.callTree ? FLAG.callTree : 0) |
      (options.changesPerTransaction ? FLAG.changesPerTransaction : 0) |
      (options.isBrief ? FLAG.isBrief : 0),
  )
  writer.uint8(encodeWaivers(options.waivers))
  writer.uint32(Math.min(options.callTreeMaxBytes, MAX_UINT32))
  writer.uint64(clampToUint64(options.gasCap ?? MAX_UINT64))
  writer.uint256(rules.chainId)
  writer.uint32(Math.min(rules.maxCodeBytes, MAX_UINT32))
  writer.uint64(BigInt(rules.blobs?.max ?? 0) * GAS_PER_BLOB)
  writer.uint64(block.number)
  writer.uint64(block.timestamp)
  writer.uint64(clampToUint64(block.gasLimit))
  writer.bytes(addressToBytes(block.coinbase))
  writer.uint256(block.difficulty)
  writer.bytes(block.prevRandao)
  writer.uint256(block.baseFeePerGas)
  writer.uint256(block.blobBaseFee)
  const moved = [...(options.movedPrecompiles ?? [])]
  writer.uint32(moved.length)
  for (const [from, to] of moved) {
    writer.bytes(addressToBytes(from))
    writer.bytes(addressToBytes(to))
  }
  return writer.finish()
}

export function clampToUint64(gas: bigint): bigint {
  return gas > MAX_UINT64 ? MAX_UINT64 : gas
}

function encodeWaivers(waivers: Waivers): number {
  let bits = 0
  for (const [name, bit] of WAIVER_BITS) if (waivers[name]) bits |= bit
  return bits
}
