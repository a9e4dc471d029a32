/** Compares one of our engines with geth on the same random block: refusals, gas, logs and the state after it. */
import type { Engine } from '#evm/engine.ts'
import { decodeOutcome } from '#evm/outcome.ts'
import { createStateLookup } from '#evm/state-lookup.ts'
import { addressFromBytes } from '#types/address.ts'
import { includesFork } from '#types/genesis/fork-schedule.ts'
import { hashFromBytes } from '#types/hash.ts'
import { formatData } from '#types/hex.ts'
import {
  ACCOUNT_BALANCE,
  ACCOUNT_CODE_HASH,
  accountNonceAt,
  CODE_BYTES,
  readStateChanges,
  STORAGE_SLOT,
  STORAGE_VALUE,
  wordAt,
} from '#types/state-changes.ts'
import { Random } from '../../support/random.ts'
import { accountLines, askGeth, GETH_FORKS, type GethAccount } from './geth-block.ts'
import { createScenario, FUZZED_FORKS } from './scenario.ts'
import { BEACON_ROOTS, createWorld, type World } from './world.ts'

const FORKS = FUZZED_FORKS.filter((fork) => GETH_FORKS[fork] !== undefined)

export interface Opinion {
  readonly transactions: number
  /** The first line that differs. */
  readonly difference: string | undefined
}

export async function compareWithGeth(
  engine: Engine,
  program: string,
  seed: number,
  iteration: number,
): Promise<Opinion> {
  const random = new Random(seed, iteration)
  const fork = random.pick(FORKS)
  // Before Prague no sender can have a delegation, and geth does not check the fork.
  const world = createWorld(random, { hasDelegations: includesFork(fork, 'prague') })
  const made = createScenario(random, world, fork)
  const transactions = made.actions.flatMap((action) => (action.kind === 'run' ? action.transactions : []))
  const beaconRoot = random.bytes(32)
  // geth computes the blob base fee from the parent's blob gas, which is zero.
  const block = { ...made.block, blobBaseFee: made.rules.has('cancun') ? 1n : 0n }
  const scenario = { ...made, block, options: {} }
  const session = engine.open(block, made.rules, createStateLookup(world.state))
  if (made.rules.has('cancun')) await session.systemCall(BEACON_ROOTS, beaconRoot)
  const ours: string[] = []
  for (const [index, transaction] of transactions.entries()) {
    const { outcomes } = await session.run([transaction])
    ours.push(outcomes.length === 0 ? `${index} refused` : describe(index, outcomes[0]!))
  }
  ours.push(...accountLines(after(world, session.finish())))
  const geth = askGeth(program, world, scenario, transactions, beaconRoot)
  const at = Array.from(ours.length > geth.length ? ours : geth).findIndex(
    (_, line) => ours[line] !== geth[line],
  )
  const difference = at < 0 ? undefined : `  ${fork}\n    ours ${ours[at]}\n    geth ${geth[at]}`
  return { transactions: transactions.length, difference }
}

function describe(index: number, outcome: Uint8Array): string {
  const { gasUsed, logs } = decodeOutcome(outcome)
  const lines = logs.map(({ address, topics, data }) => `${address} ${topics.join(' ')} ${formatData(data)}`)
  return `${index} gas ${gasUsed} logs ${lines.join(', ')}`
}

interface Mutable {
  nonce: bigint
  balance: bigint
  code: string
  storage: Map<bigint, bigint>
}

/** The world after the changes. */
function after(world: World, changes: Uint8Array): Record<string, GethAccount> {
  const codes = new Map<string, string>()
  const accounts = new Map<string, Mutable>()
  for (const [address, { nonce, balance, code, codeHash, storage }] of world.accounts) {
    const slots = new Map([...storage].map(([slot, value]) => [BigInt(slot), wordAt(value, 0)]))
    codes.set(hashFromBytes(codeHash), formatData(code))
    accounts.set(address, { nonce, balance, code: formatData(code), storage: slots })
  }
  const addressAt = (bytes: Uint8Array, at: number) => addressFromBytes(bytes.subarray(at, at + 20))
  const hashAt = (bytes: Uint8Array, at: number) => hashFromBytes(bytes.subarray(at, at + 32))
  // Codes follow the accounts that use them.
  readStateChanges(changes, {
    code: (bytes, at, length) => {
      codes.set(hashAt(bytes, at), formatData(bytes.subarray(at + CODE_BYTES, at + CODE_BYTES + length)))
    },
  })
  readStateChanges(changes, {
    destroyed: (bytes, at) => void accounts.delete(addressAt(bytes, at)),
    account: (bytes, at) => {
      const storage = accounts.get(addressAt(bytes, at))?.storage ?? new Map()
      const code = codes.get(hashAt(bytes, at + ACCOUNT_CODE_HASH)) ?? '0x'
      const [nonce, balance] = [accountNonceAt(bytes, at), wordAt(bytes, at + ACCOUNT_BALANCE)]
      accounts.set(addressAt(bytes, at), { nonce, balance, code, storage })
    },
    storage: (bytes, at) => {
      const { storage } = accounts.get(addressAt(bytes, at))!
      const [slot, value] = [wordAt(bytes, at + STORAGE_SLOT), wordAt(bytes, at + STORAGE_VALUE)]
      if (value === 0n) storage.delete(slot)
      else storage.set(slot, value)
    },
  })
  const hex = (value: bigint): string => `0x${value.toString(16)}`
  return Object.fromEntries(
    [...accounts].map(([address, { nonce, balance, code, storage }]) => {
      const slots = Object.fromEntries([...storage].map(([slot, value]) => [hex(slot), hex(value)]))
      return [address, { nonce: hex(nonce), balance: hex(balance), code, storage: slots }]
    }),
  )
}
