import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressFromBytes, addressToBytes, parseAddress } from '#types/address.ts'
import { parseHash } from '#types/hash.ts'
import { formatDigits } from '#types/hex.ts'
import { keccak256 } from '#types/keccak.ts'
import { encodeRlp, rlpScalar } from '#types/rlp.ts'
import { accountNonceAt, readStateChanges, wordAt } from '#types/state-changes.ts'
import type { FeeMarketFields } from '#types/transaction/transaction.ts'
import { decodeFrames } from './call-tree.ts'
import {
  BLOCK,
  bytes,
  COINBASE,
  CONTRACT,
  ETHER,
  type FixtureAccount,
  OTHER,
  rulesOf,
  SENDER,
  SHANGHAI,
  stateOf,
  transaction,
  word,
} from './engine.fixture.ts'
import { type EngineSession, NO_WAIVERS, type SessionOptions } from './engine.ts'
import { createJsEngine } from './engine-js.ts'
import { decodeOutcome } from './outcome.ts'
import type { Rules } from './rules.ts'
import { LOOKUP, LOOKUP_CODE_CHUNK, type LookupKind } from './state-lookup.ts'

const engine = await createJsEngine()
const RICH = { balance: ETHER }

function open(
  accounts: Readonly<Record<string, FixtureAccount>>,
  options: Partial<SessionOptions> = {},
  rules: Rules = SHANGHAI,
): EngineSession {
  return engine.open(BLOCK, rules, stateOf({ [SENDER]: RICH, ...accounts }), options)
}

async function outcomeOf(session: EngineSession, ...args: Parameters<typeof transaction>) {
  const { outcomes, refusal } = await session.run([transaction(...args)])
  assert.equal(refusal, undefined)
  return describe(outcomes[0]!)
}

function describe(record: Uint8Array) {
  const outcome = decodeOutcome(record)
  return { ...outcome, frames: outcome.frames && decodeFrames(outcome.frames) }
}

/** Balances and storage of the changes by address; 'gone' for destroyed accounts. */
function read(changes: Uint8Array): Record<string, string> {
  const found: Record<string, string> = {}
  const at = (source: Uint8Array, offset: number) => `0x${formatDigits(source.subarray(offset, offset + 20))}`
  readStateChanges(changes, {
    destroyed: (source, offset) => {
      found[at(source, offset)] = 'gone'
    },
    account: (source, offset) => {
      const before = found[at(source, offset)] === undefined ? '' : 'gone, '
      found[at(source, offset)] = `${before}${accountNonceAt(source, offset)}/${wordAt(source, offset + 28)}`
    },
    storage: (source, offset) => {
      found[`${at(source, offset)} ${wordAt(source, offset + 20)}`] = String(wordAt(source, offset + 52))
    },
  })
  return found
}

test('a transfer moves value, pays for gas, burns the base fee and costs 21000', async () => {
  const session = open({})
  const outcome = await outcomeOf(session, { value: 5n })
  assert.equal(outcome.error, 'none')
  assert.equal(outcome.gasUsed, 21_000n)
  assert.equal(session.gasUsed, 21_000n)
  assert.deepEqual(read(session.finish()), {
    [SENDER]: `1/${ETHER - 5n - 21_000n * 8n}`,
    [OTHER]: '0/5',
    [COINBASE]: '0/21000',
  })
})

test('a refused transaction changes nothing, and those after it are not tried', async () => {
  const session = open({})
  const { outcomes, refusal } = await session.run([
    transaction({ value: 1n }),
    transaction({ nonce: 5n }),
    transaction({ nonce: 1n }),
  ])
  assert.equal(outcomes.length, 1)
  assert.deepEqual([refusal?.index, refusal?.reason], [1, 'NONCE_TOO_HIGH'])
  assert.match(read(session.finish())[SENDER]!, /^1\//)
})

test('an outcome contains output, logs and the created contract', async () => {
  // Init code that logs with topic 2 and data of one byte, and deploys one byte of zero.
  const init = '6001600053600260016000a160016000f3'
  const outcome = await outcomeOf(open({}), { to: null, data: bytes(init) })
  assert.equal(outcome.error, 'none')
  const created = keccak256(encodeRlp([addressToBytes(SENDER), rlpScalar(0)])).subarray(12)
  assert.equal(outcome.contract, addressFromBytes(created))
  assert.deepEqual([...outcome.output], [1])
  assert.deepEqual(
    outcome.logs.map(({ address, topics, data }) => [address, topics.length, [...data]]),
    [[outcome.contract, 1, [1]]],
  )
})

test('a failed call returns its remaining gas only if it reverts', async () => {
  // Reverts with the byte at 0, after a log that is lost.
  const reverting = { code: '60006000a060aa60005360016000fd' }
  const outcome = await outcomeOf(open({ [CONTRACT]: reverting }), { to: CONTRACT, value: 3n })
  assert.equal(outcome.error, 'reverted')
  assert.equal(outcome.isSuccess, false)
  assert.deepEqual([...outcome.output], [0xaa])
  assert.deepEqual(outcome.logs, [])
  assert.ok(outcome.gasUsed < 30_000n)
  const wasteful = await outcomeOf(open({ [CONTRACT]: { code: 'fe' } }), { to: CONTRACT })
  assert.deepEqual([wasteful.error, wasteful.gasUsed], ['invalidOpcode', 1_000_000n])
})

test('every execution error has a name', async () => {
  const errors: Record<string, string> = {
    '01': 'stackUnderflow',
    '5b5f600056': 'stackOverflow',
    '600456': 'invalidJump',
    '5b600056': 'outOfGas',
    '60016000603e3e': 'outOfGas',
    '600060006000600060006001305af1': 'none',
  }
  for (const [code, error] of Object.entries(errors)) {
    const outcome = await outcomeOf(open({ [CONTRACT]: { code } }), { to: CONTRACT, gasLimit: 60_000n })
    assert.equal(outcome.error, error, code)
  }
})

test('the call tree lists every call with caller and callee, in order', async () => {
  const callee = parseAddress('0xdd00000000000000000000000000000000000005')
  const target = callee.slice(2)
  const code = [
    `60006000600060006001${'73'}${target}617530f150`, // call with value 1
    `6000600060006000${'73'}${target}617530f450`, // delegatecall
    `6000600060006000${'73'}${target}617530fa50`, // staticcall
    `600060006000600060ff${'73'}${target}617530f250`, // callcode with more value than there is
    '600060006000f050', // create with empty init code
    `73${OTHER.slice(2)}ff`, // selfdestruct
  ].join('')
  const session = open({ [CONTRACT]: { code, balance: 9n }, [callee]: { code: '00' } })
  const { frames, areFramesCut } = await outcomeOf(session, { to: CONTRACT })
  assert.equal(areFramesCut, false)
  const created = frames?.[5]?.to
  assert.deepEqual(
    frames?.map(({ type, depth, subtraces, from, to, value, error }) =>
      [type, depth, subtraces, from, to, value, error].join(' '),
    ),
    [
      `call 0 6 ${SENDER} ${CONTRACT} 0 none`,
      `call 1 0 ${CONTRACT} ${callee} 1 none`,
      `delegatecall 1 0 ${CONTRACT} ${callee} 0 none`,
      `staticcall 1 0 ${CONTRACT} ${callee} 0 none`,
      `callcode 1 0 ${CONTRACT} ${callee} 255 insufficientBalance`,
      `create 1 0 ${CONTRACT} ${created} 0 none`,
      `selfdestruct 1 0 ${CONTRACT} ${OTHER} 8 none`,
    ],
  )
  assert.equal(frames?.[1]?.gas, 30_000n + 2_300n)
})

test('a call tree beyond its limit is cut and says so; without the option there is none', async () => {
  const code = `5b600060006000600060006004${'5a'}f150600056`
  const session = open({ [CONTRACT]: { code } }, { callTreeMaxBytes: 1000 })
  const { frames, areFramesCut } = await outcomeOf(session, { to: CONTRACT, gasLimit: 200_000n })
  assert.equal(areFramesCut, true)
  assert.equal(frames?.length, 9)
  const without = await outcomeOf(open({}, { callTree: false }))
  assert.equal(without.frames, undefined)
})

test('a cell set by another thread ends the work', async () => {
  const cancel = new Int32Array(new SharedArrayBuffer(4))
  const session = open({ [CONTRACT]: { code: '5b600056' } }, { cancel })
  cancel[0] = 1
  await assert.rejects(async () => session.run([transaction({ to: CONTRACT })]), { kind: 'ENGINE_CANCELLED' })
  assert.throws(() => session.changes(), /finished or failed/)
})

test('a cell set while code runs without reading state ends it too', async () => {
  const cancel = new Int32Array(new SharedArrayBuffer(4))
  const state = stateOf({ [SENDER]: { balance: ETHER }, [CONTRACT]: { code: '5b600056' } })
  const lookup = (kind: LookupKind): number => {
    if (kind === LOOKUP.code) cancel[0] = 1
    return state.lookup(kind)
  }
  // A new engine that has not seen the code yet.
  const fresh = await createJsEngine()
  const session = fresh.open(BLOCK, SHANGHAI, { scratch: state.scratch, lookup }, { cancel })
  const endless = async () => session.run([transaction({ to: CONTRACT, gasLimit: 30_000_000n })])
  await assert.rejects(endless, { kind: 'ENGINE_CANCELLED' })
})

test('a session goes back to a checkpoint, with the gas it had used', async () => {
  const session = open({})
  await session.run([transaction({ value: 1n })])
  const before = read(session.changes())
  const checkpoint = session.checkpoint()
  await session.run([transaction({ nonce: 1n, value: 2n })])
  session.credit(OTHER, 7n)
  session.revert(checkpoint)
  assert.deepEqual(read(session.changes()), before)
  assert.equal(session.gasUsed, 21_000n)
  await session.run([transaction({ nonce: 1n, value: 3n })])
  assert.equal(read(session.finish())[OTHER], '0/4')
})

test('changes of one transaction are those since it began', async () => {
  // Stores the call value in slot 1.
  const session = open({ [CONTRACT]: { code: '3460015500' } }, { changesPerTransaction: true })
  const { outcomes } = await session.run([
    transaction({ to: CONTRACT, value: 5n }),
    transaction({ to: CONTRACT, value: 6n, nonce: 1n }),
  ])
  const [, second] = outcomes.map((record) => read(decodeOutcome(record).changes!))
  assert.equal(second![`${CONTRACT} 1`], '6')
  assert.equal(second![CONTRACT], '0/11')
  assert.equal(read(session.finish())[CONTRACT], '0/11')
})

test('a contract that destroyed itself is gone, from Cancun on only if the transaction made it', async () => {
  const code = `73${OTHER.slice(2)}ff`
  const accounts = {
    [CONTRACT]: { code, balance: 9n, storage: { [formatDigits(word(1))]: formatDigits(word(2)) } },
  }
  const before = open(accounts)
  await outcomeOf(before, { to: CONTRACT })
  assert.equal(read(before.finish())[CONTRACT], 'gone')
  const after = open(accounts, {}, rulesOf({ cancunTime: 0 }))
  await outcomeOf(after, { to: CONTRACT })
  assert.equal(read(after.finish())[CONTRACT], '0/0')
})

test('code larger than one lookup arrives complete', async () => {
  const length = LOOKUP_CODE_CHUNK * 2 + 5
  const code = `38${'5f'}52${'60205ff3'}${'00'.repeat(length - 7)}`
  const { output } = await outcomeOf(open({ [CONTRACT]: { code } }), { to: CONTRACT })
  assert.equal(wordAt(output, 0), BigInt(length))
})

test('each waiver of a simulated call applies on its own', async () => {
  const poor = parseAddress('0x9900000000000000000000000000000000000009')
  const cases = [
    ['nonce', transaction({ nonce: 9n }), {}],
    ['balance', transaction({ value: 5n }, poor), {}],
    ['baseFee', transaction({ maxFeePerGas: 0n, maxPriorityFeePerGas: 0n }), {}],
    ['senderCode', transaction({}, CONTRACT), { [CONTRACT]: { code: '00', balance: ETHER } }],
    ['gasLimit', transaction({ gasLimit: 31_000_000n }), {}],
  ] as const
  for (const [name, tx, accounts] of cases) {
    const strict = await open(accounts).run([tx])
    assert.notEqual(strict.refusal, undefined, name)
    const lenient = await open(accounts, { waivers: { ...NO_WAIVERS, [name]: true } }).run([tx])
    assert.equal(lenient.refusal, undefined, name)
  }
})

test('a gas cap of the session lowers the limit of a transaction', async () => {
  const session = open({ [CONTRACT]: { code: 'fe' } }, { gasCap: 50_000n })
  const outcome = await outcomeOf(session, { to: CONTRACT, gasLimit: 1_000_000n })
  assert.equal(outcome.gasUsed, 50_000n)
})

test('a system call is free and leaves no trace of the caller', async () => {
  const session = open({ [CONTRACT]: { code: '3360015500' } })
  const outcome = decodeOutcome(await session.systemCall(CONTRACT, new Uint8Array(0)))
  assert.equal(outcome.isSuccess, true)
  assert.equal(session.gasUsed, 0n)
  assert.deepEqual(read(session.finish()), { [`${CONTRACT} 1`]: String(2n ** 160n - 2n) })
})

test('crediting zero leaves an empty account only before Spurious Dragon', () => {
  const after = open({})
  after.credit(OTHER, 0n)
  assert.deepEqual(read(after.finish()), {})
  const before = open({}, {}, rulesOf({ homesteadBlock: 0 }))
  before.credit(OTHER, 0n)
  assert.deepEqual(read(before.finish()), { [OTHER]: '0/0' })
})

test('no contract is created over an account with storage, even without code and nonce', async () => {
  const created = (await outcomeOf(open({}), { to: null })).contract!
  const storage = { [formatDigits(word(1))]: formatDigits(word(2)) }
  const outcome = await outcomeOf(open({ [created]: { storage } }), { to: null })
  assert.equal(outcome.error, 'createCollision')
})

test('a contract may be larger if the genesis file says so', async () => {
  const init = bytes('617000' + '6000f3')
  const outcome = await outcomeOf(open({}), { to: null, data: init, gasLimit: 10_000_000n })
  assert.equal(outcome.error, 'codeTooLarge')
  const larger = rulesOf({ shanghaiTime: 0, contractSizeLimit: 0x7000 })
  const allowed = await outcomeOf(open({}, {}, larger), { to: null, data: init, gasLimit: 10_000_000n })
  assert.equal(allowed.error, 'none')
})

test('the call tree has the input that a call had, even if its caller overwrites it later', async () => {
  // Calls with one byte of memory, then overwrites it; the identity precompile returns that byte.
  const code = `60aa5f535f5f60015f5f73${OTHER.slice(2)}5af15060bb5f535f5f60015f5f60045af15060cc5f53`
  const { frames } = await outcomeOf(open({ [CONTRACT]: { code } }), { to: CONTRACT })
  assert.deepEqual(
    frames?.map(({ input, output }) => [[...input], [...output]]),
    [
      [[], []],
      [[0xaa], []],
      [[0xbb], [0xbb]],
    ],
  )
})

test('an account that a system call created and destroyed is gone', async () => {
  // Creates with value 1 an account whose init code destroys it in favour of itself, which burns the value.
  const code = '6130ff5f526002601e6001f0'
  const session = open({ [CONTRACT]: { code, balance: 5n } }, {}, rulesOf({ cancunTime: 0 }))
  const outcome = describe(await session.systemCall(CONTRACT, new Uint8Array(0)))
  const created = outcome.frames?.[1]?.to
  assert.equal(outcome.frames?.[1]?.error, 'none')
  const changes = read(session.finish())
  assert.equal(changes[CONTRACT], '1/4')
  assert.equal(changes[created!] ?? 'gone', 'gone')
})

test('init code that reverts with 0xef has reverted, and keeps the gas it has left', async () => {
  const outcome = await outcomeOf(open({}), { to: null, data: bytes('60ef5f5360015ffd') })
  assert.deepEqual([outcome.error, [...outcome.output]], ['reverted', [0xef]])
  assert.ok(outcome.gasUsed < 60_000n)
})

test('a precompile that refuses its input fails, and nothing else does', async () => {
  const refused = { 6: 'ff'.repeat(128), 7: 'ff'.repeat(96), 8: 'ff'.repeat(192), 9: '00' }
  for (const [precompile, input] of Object.entries(refused)) {
    const to = parseAddress(`0x${precompile.padStart(40, '0')}`)
    const { error, gasUsed, output } = await outcomeOf(open({}), { to, data: bytes(input) })
    assert.deepEqual([error, gasUsed, output.length], ['precompileFailed', 1_000_000n, 0], precompile)
  }
})

test('a simulated call whose blobs cost more than it offers is lent the difference', async () => {
  const options = { waivers: { ...NO_WAIVERS, baseFee: true, balance: true } }
  const rules = rulesOf({ cancunTime: 0 })
  const block = { ...BLOCK, blobBaseFee: 10n ** 9n }
  const session = engine.open(block, rules, stateOf({}), options)
  const { transaction: fields } = transaction({ gasLimit: 21_000n, to: OTHER })
  assert.equal(fields.type, 2)
  const blobVersionedHashes = [parseHash(`01${'00'.repeat(31)}`)]
  const blobs = {
    ...(fields as FeeMarketFields),
    type: 3,
    to: OTHER,
    maxFeePerBlobGas: 1n,
    blobVersionedHashes,
  } as const
  const { refusal, outcomes } = await session.run([{ transaction: blobs, sender: SENDER }])
  assert.equal(refusal, undefined)
  assert.equal(decodeOutcome(outcomes[0]!).error, 'none')
  assert.equal(read(session.finish())[SENDER], '1/0')
})
