/** One block: its rules, its environment and its operations. */

import {
  type BlockEnvironment,
  type EngineTransaction,
  NO_WAIVERS,
  type SessionOptions,
} from '#evm/engine.ts'
import type { Rules } from '#evm/rules.ts'
import { type Address, addressFromBytes } from '#types/address.ts'
import { bytesToBigint } from '#types/bytes.ts'
import { sign } from '#types/curve.ts'
import { FORK_NAMES, type ForkName } from '#types/genesis/fork-schedule.ts'
import { type Hash, hashFromBytes } from '#types/hash.ts'
import { type Authorization, authorizationSigningHash } from '#types/transaction/authorization.ts'
import type { UnsignedTransaction } from '#types/transaction/transaction.ts'
import type { Random } from '../../support/random.ts'
import { precompileInput } from './precompile-inputs.ts'
import { generateInitCode } from './program.ts'
import { callDataFor } from './real-code.ts'
import { addressOf, COINBASE, FACTORY, FACTORY_INPUTS, slotOf, type World } from './world.ts'

export type Action =
  | { readonly kind: 'run'; readonly transactions: readonly EngineTransaction[] }
  | { readonly kind: 'systemCall'; readonly to: Address; readonly input: Uint8Array }
  | { readonly kind: 'credit'; readonly to: Address; readonly wei: bigint }
  | { readonly kind: 'checkpoint' }
  /** Reverts to the last checkpoint, if there is one. */
  | { readonly kind: 'revert' }

export interface Scenario {
  readonly rules: Rules
  readonly block: BlockEnvironment
  readonly options: Partial<SessionOptions>
  readonly actions: readonly Action[]
}

const CHAIN_ID = 1337n
const NOBODY = addressFromBytes(new Uint8Array(20))
const BASE_FEE = 7n
export const FUZZED_FORKS = FORK_NAMES.slice(0, FORK_NAMES.indexOf('bpo2')).filter(
  (fork) => fork !== 'constantinople',
)

/** One object per fork, because engines cache data derived from it. */
const RULES = new Map<ForkName, Rules>(FUZZED_FORKS.map((fork) => [fork, createRules(fork)]))

function createRules(fork: ForkName): Rules {
  const held = new Set(FORK_NAMES.slice(0, FORK_NAMES.indexOf(fork) + 1))
  return {
    fork,
    chainId: CHAIN_ID,
    maxCodeBytes: 24_576,
    blobs: held.has('cancun')
      ? { target: 3, max: held.has('prague') ? 9 : 6, baseFeeUpdateFraction: 3_338_477 }
      : undefined,
    consensus: 'work',
    feeMarket: 'market',
    systemContracts: {
      beaconRoots: NOBODY,
      blockHashes: NOBODY,
      deposits: NOBODY,
      withdrawalRequests: NOBODY,
      consolidationRequests: NOBODY,
    },
    hasSystemCalls: true,
    has: (name) => held.has(name),
  }
}

export function createScenario(random: Random, world: World, fork: ForkName): Scenario {
  const rules = RULES.get(fork)!
  const block: BlockEnvironment = {
    number: 1000n,
    timestamp: 1_700_000_000n,
    gasLimit: 30_000_000n,
    coinbase: COINBASE,
    difficulty: random.word(),
    prevRandao: random.bytes(32),
    baseFeePerGas: rules.has('london') ? BASE_FEE : 0n,
    blobBaseFee: rules.has('cancun') ? random.pick([3n, 3n, 3n, 10n ** 13n]) : 0n,
  }
  const actions = Array.from({ length: 1 + random.below(5) }, () => createAction(random, world, rules))
  return { rules, block, options: createOptions(random), actions }
}

function createOptions(random: Random): Partial<SessionOptions> {
  return {
    changesPerTransaction: random.chance(0.5),
    callTree: random.chance(0.9),
    ...(random.chance(0.05) ? { callTreeMaxBytes: random.below(2000) } : {}),
    ...(random.chance(0.1) ? { gasCap: 100_000n } : {}),
    ...(random.chance(0.15)
      ? {
          waivers: {
            ...NO_WAIVERS,
            nonce: random.chance(0.5),
            balance: random.chance(0.5),
            baseFee: random.chance(0.5),
            senderCode: random.chance(0.5),
            gasLimit: random.chance(0.5),
          },
        }
      : {}),
  }
}

function createAction(random: Random, world: World, rules: Rules): Action {
  switch (random.below(12)) {
    // Blobs do not exist before Cancun.
    case rules.has('cancun') ? 0 : -1:
      return {
        kind: 'systemCall',
        to: random.pick(world.systemTargets),
        input: random.bytes(random.pick([0, 32, 32, 40])),
      }
    case 1:
      return { kind: 'credit', to: random.pick(world.addresses), wei: random.chance(0.3) ? 0n : 5n }
    case 2:
      return { kind: 'checkpoint' }
    case 3:
      return { kind: 'revert' }
    default: {
      const length = 1 + random.below(3)
      return {
        kind: 'run',
        transactions: Array.from({ length }, () => createTransaction(random, world, rules)),
      }
    }
  }
}

function createTransaction(random: Random, world: World, rules: Rules): EngineTransaction {
  const { address: sender } = random.pick(world.senders)
  const nonce = world.nonces.get(sender)!
  world.nonces.set(sender, nonce + 1n)
  const to = random.chance(0.15) ? null : random.pick(world.addresses)
  const data = to === null ? generateInitCode(random, world.addresses, 1) : callData(random, world, to)
  const call = {
    nonce: random.chance(0.02) ? nonce + 1n : nonce,
    gasLimit: gasLimitOf(random),
    to,
    value: random.chance(0.6) ? 0n : random.chance(0.02) ? 10n ** 30n : BigInt(random.below(1000)),
    data,
  }
  return { sender, transaction: withType(random, world, rules, call) }
}

function callData(random: Random, world: World, to: Address): Uint8Array {
  if (to === FACTORY) return random.pick(FACTORY_INPUTS)
  const precompile = random.chance(0.7) ? precompileInput(random, to) : undefined
  if (precompile !== undefined) return precompile
  const code = world.accounts.get(to)?.code
  return code !== undefined && random.chance(0.5) ? callDataFor(random, code) : random.bytes(random.below(70))
}

function gasLimitOf(random: Random): bigint {
  if (random.chance(0.02)) return BigInt(random.below(60_000))
  return random.chance(0.7)
    ? 60_000n + BigInt(random.below(1_000_000))
    : 53_000n + BigInt(random.below(100_000))
}

type Call = Pick<UnsignedTransaction, 'nonce' | 'gasLimit' | 'to' | 'value' | 'data'>

function withType(random: Random, world: World, rules: Rules, call: Call): UnsignedTransaction {
  const types = [0, ...(rules.has('berlin') ? [1] : []), ...(rules.has('london') ? [2] : [])]
  if (rules.has('cancun') && call.to !== null) types.push(3)
  if (rules.has('prague') && call.to !== null) types.push(4, 4)
  const type = random.pick(types)
  const gasPrice = random.chance(0.02) ? 1n : BASE_FEE + BigInt(random.below(4))
  if (type === 0) return { type: 0, chainId: null, gasPrice, ...call }
  const accessList = createAccessList(random, world)
  if (type === 1) return { type: 1, chainId: CHAIN_ID, gasPrice, accessList, ...call }
  const priority = gasPrice < BASE_FEE ? gasPrice : BigInt(random.below(Number(gasPrice)))
  const feeMarket = { chainId: CHAIN_ID, maxFeePerGas: gasPrice, maxPriorityFeePerGas: priority, accessList }
  if (type === 2) return { type: 2, ...feeMarket, ...call }
  const to = call.to ?? NOBODY
  if (type === 3) {
    const blobVersionedHashes = Array.from({ length: 1 + random.below(3) }, () => blobHash(random))
    return {
      type: 3,
      ...feeMarket,
      ...call,
      to,
      blobVersionedHashes,
      maxFeePerBlobGas: random.chance(0.05) ? 1n : 4n,
    }
  }
  const authorizationList = Array.from({ length: 1 + random.below(3) }, () =>
    createAuthorization(random, world),
  )
  return { type: 4, ...feeMarket, ...call, to, authorizationList }
}

function blobHash(random: Random): Hash {
  const hash = random.bytes(32)
  hash[0] = 1
  return hashFromBytes(hash)
}

function createAccessList(random: Random, world: World) {
  return Array.from({ length: random.below(3) }, () => ({
    address: random.pick(world.addresses),
    storageKeys: Array.from({ length: random.below(3) }, () => hashFromBytes(slotOf(random.below(6)))),
  }))
}

function createAuthorization(random: Random, world: World): Authorization {
  const { key, address: signer } = random.pick(world.senders)
  const signed = {
    chainId: random.pick([0n, CHAIN_ID, CHAIN_ID, 5n]),
    address: random.pick([...world.contracts, NOBODY, addressOf(1), addressOf(0x2000)]),
    nonce: world.nonces.get(signer)! + BigInt(random.below(2)),
  }
  const signature = sign(key, authorizationSigningHash(signed))
  if (random.chance(0.1)) signature[random.below(65)] = random.below(256)
  return {
    ...signed,
    yParity: signature[64]!,
    r: bytesToBigint(signature.subarray(0, 32)),
    s: bytesToBigint(signature.subarray(32, 64)),
  }
}
