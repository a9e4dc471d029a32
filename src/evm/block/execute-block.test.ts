import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  COINBASE,
  CONTRACT,
  configOf,
  ETHER,
  type FixtureAccount,
  OTHER,
  SENDER,
  stateOf,
  transaction,
  word,
} from '#evm/engine.fixture.ts'
import type { Engine, EngineSession } from '#evm/engine.ts'
import { createJsEngine } from '#evm/engine-js.ts'
import { parseAddress } from '#types/address.ts'
import type { BlockHeader } from '#types/block/block-header.ts'
import { NO_OPTIONAL_FIELDS } from '#types/block/block-header.ts'
import type { GenesisConfig } from '#types/genesis/genesis-config.ts'
import { type Hash, hashFromBytes } from '#types/hash.ts'
import { formatDigits } from '#types/hex.ts'
import { keccak256 } from '#types/keccak.ts'
import { readStateChanges, wordAt } from '#types/state-changes.ts'
import { type ExecutableBlock, executeBlock } from './execute-block.ts'

const engine = await createJsEngine()
const ROOT = hashFromBytes(word(77))
const WITHDRAWALS = '0x00000961ef480eb55e80d19ad83579a64c007002'
const CONSOLIDATIONS = '0x0000bbddc7ce488642fb579f8b00f3a590007251'
const BEACON_ROOTS = '0x000f3df6d732807ef1319fb7b8bb8522d0beac02'
/** Stores its call data in slot 1. */
const STORING = '5f3560015500'

const HEADER = {
  ...NO_OPTIONAL_FIELDS,
  parentHash: hashFromBytes(word(11)),
  coinbase: COINBASE,
  difficulty: 0n,
  number: 5n,
  gasLimit: 30_000_000n,
  timestamp: 9n,
  mixHash: hashFromBytes(word(12)),
  baseFeePerGas: 7n,
  excessBlobGas: 0n,
  parentBeaconBlockRoot: hashFromBytes(word(13)),
} as unknown as BlockHeader

function execute(
  config: GenesisConfig,
  accounts: Readonly<Record<string, FixtureAccount>>,
  block: Partial<ExecutableBlock> = {},
  rootAfter: (changes: Uint8Array) => Hash = () => ROOT,
) {
  const state = stateOf({ [SENDER]: { balance: ETHER }, ...accounts })
  const context = { engine, config, state, keccak: keccak256, rootAfter }
  return executeBlock(context, {
    header: HEADER,
    transactions: [],
    ommers: [],
    withdrawals: undefined,
    ...block,
  })
}

function balances(changes: Uint8Array): Record<string, bigint> {
  const found: Record<string, bigint> = {}
  readStateChanges(changes, {
    account: (source, at) => {
      found[`0x${formatDigits(source.subarray(at, at + 20))}`] = wordAt(source, at + 28)
    },
  })
  return found
}

async function executed(...args: Parameters<typeof execute>) {
  const verdict = await execute(...args)
  assert.ok(verdict.ok, verdict.ok ? '' : verdict.sentence)
  return verdict.execution
}

test('receipts add up gas and state the outcome of each transaction', async () => {
  const transactions = [
    transaction({ value: 1n }),
    transaction({ to: CONTRACT, nonce: 1n, gasLimit: 50_000n }),
  ]
  const config = configOf({ qbft: {}, londonBlock: 0 })
  const { receipts, gasUsed, outcomes } = await executed(
    config,
    { [CONTRACT]: { code: 'fe' } },
    { transactions },
  )
  assert.deepEqual(
    receipts.map(({ outcome, cumulativeGasUsed }) => [outcome, cumulativeGasUsed]),
    [
      [1, 21_000n],
      [0, 71_000n],
    ],
  )
  assert.equal(gasUsed, 71_000n)
  assert.equal(outcomes.length, 2)
})

test('a block with a transaction that cannot be executed is invalid', async () => {
  const config = configOf({ qbft: {}, londonBlock: 0 })
  const verdict = await execute(config, {}, { transactions: [transaction({ nonce: 4n })] })
  assert.ok(!verdict.ok)
  assert.equal(verdict.reason, 'TRANSACTION_REFUSED')
  assert.match(verdict.sentence, /Transaction 0 .* nonce 4/)
})

test('a refused block releases the resources of the engine', async () => {
  const sessions: EngineSession[] = []
  const watched: Engine = {
    ...engine,
    open: (...args) => {
      sessions.push(engine.open(...args))
      return sessions.at(-1)!
    },
  }
  const config = configOf({ qbft: {}, londonBlock: 0 })
  const context = { engine: watched, config, state: stateOf({}), keccak: keccak256, rootAfter: () => ROOT }
  const block = { header: HEADER, ommers: [], withdrawals: undefined, transactions: [transaction()] }
  const verdict = await executeBlock(context, block)
  assert.equal(verdict.ok, false)
  assert.throws(() => sessions[0]!.changes())
})

test('before Byzantium every receipt has the root after its transaction', async () => {
  const config = configOf({ ethash: {}, eip158Block: 0 })
  const legacy = (nonce: bigint) => {
    const { transaction: tx, sender } = transaction({ nonce, value: 1n })
    return { sender, transaction: { ...tx, type: 0, chainId: null, gasPrice: 10n } as const }
  }
  const seen: bigint[] = []
  const { receipts } = await executed(config, {}, { transactions: [legacy(0n), legacy(1n)] }, (changes) => {
    seen.push(balances(changes)[OTHER]!)
    return hashFromBytes(word(seen.length))
  })
  assert.deepEqual(seen, [1n, 2n])
  assert.deepEqual(
    receipts.map(({ outcome }) => outcome),
    [hashFromBytes(word(1)), hashFromBytes(word(2))],
  )
})

test('proof of work pays by fork, and for ommers', async () => {
  const ommer = { number: 4n, coinbase: OTHER } as BlockHeader
  const rewards = { homesteadBlock: 5n, byzantiumBlock: 3n, constantinopleBlock: 2n }
  for (const [fork, ether] of Object.entries(rewards)) {
    const { changes } = await executed(configOf({ ethash: {}, [fork]: 0 }), {}, { ommers: [ommer] })
    const reward = ether * ETHER
    assert.deepEqual(
      balances(changes),
      { [OTHER]: (reward * 7n) / 8n, [COINBASE]: reward + reward / 32n },
      fork,
    )
  }
  const { changes } = await executed(configOf({ ethash: {}, mergeNetSplitBlock: 0 }), {})
  assert.deepEqual(balances(changes), {})
})

test('a BFT chain pays the configured beneficiary, fees included, and calls no system contract', async () => {
  const config = configOf({ qbft: { blockreward: '5', miningbeneficiary: OTHER }, pragueTime: 0 })
  const accounts = { [BEACON_ROOTS]: { code: STORING } }
  const to = parseAddress('0x9900000000000000000000000000000000000009')
  const execution = await executed(config, accounts, { transactions: [transaction({ to })] })
  assert.deepEqual(Object.keys(balances(execution.changes)).sort(), [SENDER, OTHER].sort())
  assert.equal(balances(execution.changes)[OTHER], 21_000n + 5n)
  assert.deepEqual(execution.requests, [])
})

test('a BFT chain calls system contracts if its genesis file names all three, as in Besu', async () => {
  const named = { withdrawalRequestContractAddress: WITHDRAWALS, consolidationRequestContractAddress: OTHER }
  const accounts = {
    [BEACON_ROOTS]: { code: STORING },
    [WITHDRAWALS]: { code: '60025ff3' },
    [OTHER]: { code: '00' },
  }
  const two = await executed(configOf({ qbft: {}, pragueTime: 0, ...named }), accounts)
  assert.deepEqual([two.changes.length, two.requests], [0, []])
  const three = configOf({ qbft: {}, pragueTime: 0, depositContractAddress: CONTRACT, ...named })
  const { changes, requests } = await executed(three, accounts)
  const stored: bigint[] = []
  readStateChanges(changes, { storage: (source, at) => stored.push(wordAt(source, at + 52)) })
  assert.deepEqual(stored, [13n])
  assert.deepEqual(
    requests?.map((each) => [...each]),
    [[1, 0, 0]],
  )
})

test('withdrawals are credited in gwei, and a zero withdrawal leaves no account', async () => {
  const config = configOf({ ethash: {}, shanghaiTime: 0 })
  const withdrawal = { index: 0n, validatorIndex: 0n, address: OTHER, amountGwei: 3n }
  const empty = { ...withdrawal, address: CONTRACT, amountGwei: 0n }
  const { changes } = await executed(config, {}, { withdrawals: [withdrawal, empty] })
  assert.deepEqual(balances(changes), { [OTHER]: 3_000_000_000n })
})

test('the root of the beacon block is stored from Cancun on, if its contract exists', async () => {
  const config = configOf({ ethash: {}, cancunTime: 0 })
  const { changes } = await executed(config, { [BEACON_ROOTS]: { code: STORING } })
  const stored: bigint[] = []
  readStateChanges(changes, { storage: (source, at) => stored.push(wordAt(source, at + 52)) })
  assert.deepEqual(stored, [13n])
  assert.equal((await executed(config, {})).changes.length, 0)
})

test('from Prague on a block is invalid without the request contracts, or if they fail', async () => {
  const config = configOf({ ethash: {}, pragueTime: 0 })
  const verdicts = await Promise.all([
    execute(config, {}),
    execute(config, { [WITHDRAWALS]: { code: '5ffd' }, [CONSOLIDATIONS]: { code: '00' } }),
    // Returns two bytes.
    execute(config, { [WITHDRAWALS]: { code: '60025ff3' }, [CONSOLIDATIONS]: { code: '00' } }),
  ])
  assert.deepEqual(
    verdicts.map((verdict) =>
      verdict.ok ? verdict.execution.requests?.map((each) => [...each]) : verdict.reason,
    ),
    ['SYSTEM_CONTRACT_MISSING', 'SYSTEM_CALL_FAILED', [[1, 0, 0]]],
  )
})

test('the DAO is emptied at its block and no other', async () => {
  const dao = '0xd4fe7bc31cedb7bfb8a345f31e668033056b2728'
  const refund = '0xbf4ed7b27f1d666546e30d74d50d173d20bca754'
  const accounts = { [dao]: { balance: 8n } }
  const { changes } = await executed(configOf({ ethash: {}, daoForkBlock: 5 }), accounts)
  assert.deepEqual([balances(changes)[dao], balances(changes)[refund]], [0n, 8n])
  const other = await executed(configOf({ ethash: {}, daoForkBlock: 6 }), accounts)
  assert.equal(balances(other.changes)[refund], undefined)
})
