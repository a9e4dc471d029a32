/* Validators that get true messages at the wrong time, or next to more bytes than they may relay. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLog } from '#chain/chain.fixture.ts'
import { loadCrypto } from '#evm/crypto.ts'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { nextTurn } from '#platform/next-turn.ts'
import { type Address, parseAddress } from '#types/address.ts'
import { concatBytes } from '#types/bytes.ts'
import { sign } from '#types/curve.ts'
import { parseHash } from '#types/hash.ts'
import { encodedRlpItems, encodeRlp, encodeRlpList } from '#types/rlp.ts'
import { MessageBench, SAMPLE_HEIGHT } from './bft/messages.fixture.ts'
import type { BftMessage, ProposedBlock } from './bft/messages.ts'
import { decodeProposedBlock } from './bft/wire/proposed-block.ts'
import { BftDriver } from './driver.ts'
import type { DriverParts } from './driver-parts.ts'
import { createIbft2Rules } from './ibft2/rules.ts'
import { createIbft2Codec } from './ibft2/wire/ibft2-codec.ts'
import { NO_NETWORK, type TestValidator } from './network.fixture.ts'
import { createQbftRules } from './qbft/rules.ts'
import { createQbftCodec } from './qbft/wire/qbft-codec.ts'

const MIB = 1024 * 1024
const TIMEOUT_MS = 4_000
const STEP_MS = 500
const MINUTE_MS = 60_000
const crypto = await loadCrypto()
const { keccak } = crypto
const codecs = { qbft: createQbftCodec(crypto, 'current'), ibft2: createIbft2Codec(crypto, 'current') }
const rules = {
  qbft: createQbftRules({ maxRoundTimeoutMs: MINUTE_MS, keccak }),
  ibft2: createIbft2Rules({ maxRoundTimeoutMs: MINUTE_MS, keccak }),
}
const LIMITS = {
  maxDistance: 2,
  maxMessages: 1_000,
  maxBytes: 32 * MIB,
  duplicateMessages: 100,
  gossipedMessages: 1_000,
}
type Four = readonly [TestValidator, TestValidator, TestValidator, TestValidator]
const never = () => new Promise<never>(() => {})

async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await nextTurn()
}

function createDriver(
  { address }: TestValidator,
  protocolAt: (height: number) => 'qbft' | 'ibft2',
  more: Partial<DriverParts>,
): BftDriver {
  return new BftDriver({
    clock: createFakeClock(),
    log: silentLog,
    keccak,
    address,
    signDigest: never,
    blocks: {
      build: never,
      validate: async () => ({ ok: true }),
      importBlock: never,
      keccak: async (pieces) => keccak(concatBytes(...pieces)),
    },
    network: NO_NETWORK,
    signatureLog: { loaded: undefined, save: async () => {}, close: async () => {} },
    rulesAt: (height) => rules[protocolAt(height)],
    codecAt: (height) => codecs[protocolAt(height)],
    limits: LIMITS,
    signsWithoutLog: true,
    onPeerAhead: () => {},
    onReport: () => {},
    ...more,
  })
}

function enter(driver: BftDriver, bench: MessageBench, height: number, timestampSeconds = 0): void {
  const hash = parseHash(height.toString(16).padStart(64, '0'))
  driver.headMoved({
    height,
    parent: { hash, timestampSeconds, coinbase: parseAddress('00'.repeat(20)) },
    validators: bench.context.validators,
    period: { seconds: 2 },
    emptyBlockPeriodSeconds: 0,
    requestTimeoutMs: TIMEOUT_MS,
  })
}

/** A block with a transaction of this size. */
function blockOf(bench: MessageBench, author: TestValidator, bytes: number, round = 0): ProposedBlock {
  const [header, , ommers] = encodedRlpItems(bench.block(author, round).encoded)
  const one = Uint8Array.of(1)
  const data = new Uint8Array(bytes).fill(bytes % 251)
  const transaction = encodeRlp([one, one, one, new Uint8Array(20), one, data, Uint8Array.of(27), one, one])
  return decodeProposedBlock(
    'qbft',
    encodeRlpList([header!, encodeRlpList([transaction]), ommers!]),
    undefined,
    keccak,
  )
}

for (const protocol of ['qbft', 'ibft2'] as const) {
  for (const behind of [0, 3]) {
    test(`${protocol}: three of four validators in a line make a block, the middle one ${behind} blocks behind at first`, async () => {
      const bench = new MessageBench(protocol, 'current', crypto)
      // The proposer of round 0 does not run.
      const [, left, middle, right] = bench.validators as unknown as Four
      const links = new Map([
        [left.address, [middle]],
        [middle.address, [left, right]],
        [right.address, [middle]],
      ])
      const clock = createFakeClock()
      const drivers = new Map<Address, BftDriver>()
      let imports = 0
      for (const self of [left, middle, right]) {
        const neighbours = links.get(self.address)!
        const addresses = neighbours.map(({ address }) => address)
        const deliver = (to: Address, code: number, data: Uint8Array): void =>
          void setImmediate(() => drivers.get(to)!.receive(self.address, code, data))
        const driver = createDriver(self, () => protocol, {
          clock,
          signDigest: async (digest) => sign(self.key, digest),
          blocks: {
            build: async ({ round, height }) => bench.block(self, round, height).encoded,
            validate: async () => ({ ok: true }),
            importBlock: async () => {
              imports++
              return { ok: true }
            },
            keccak: async (pieces) => keccak(concatBytes(...pieces)),
          },
          network: {
            ...NO_NETWORK,
            connected: () => addresses,
            exchanging: () => addresses,
            send: (to, code, data) => {
              for (const each of addresses) if (to.includes(each)) deliver(each, code, data)
            },
          },
        })
        drivers.set(self.address, driver)
      }
      const advance = async (ms: number): Promise<void> => {
        for (let passed = 0; passed < ms && imports === 0; passed += STEP_MS) {
          clock.advance(STEP_MS)
          await settled()
        }
      }
      for (const [address, driver] of drivers)
        enter(driver, bench, SAMPLE_HEIGHT - (address === middle.address ? behind : 0))
      await advance(20_000)
      // It fetched the blocks.
      if (behind > 0) enter(drivers.get(middle.address)!, bench, SAMPLE_HEIGHT)
      await advance(5 * MINUTE_MS)
      const states = [...drivers.values()].map((driver) => driver.state()?.round)
      for (const driver of drivers.values()) await driver.stop()
      assert.ok(imports > 0, `rounds ${states.join(', ')}`)
    })
  }
}

const bench = new MessageBench('qbft', 'current', crypto)
const [faulty, honest, receiver, self] = bench.validators as unknown as Four

for (const { when, behind, isMigrating, isFlooded } of [
  { when: 'one height early', behind: 1, isMigrating: false, isFlooded: false },
  { when: 'before a migration to QBFT', behind: 1, isMigrating: true, isFlooded: false },
  { when: 'too many heights early', behind: 3, isMigrating: false, isFlooded: false },
  { when: 'before large proposals take its place', behind: 1, isMigrating: false, isFlooded: true },
]) {
  test(`a round change that arrives ${when} counts after its author repeats it`, async () => {
    const clock = createFakeClock()
    const isOld = (height: number): boolean => isMigrating && height < SAMPLE_HEIGHT
    const driver = createDriver(self, (height) => (isOld(height) ? 'ibft2' : 'qbft'), { clock })
    enter(driver, bench, SAMPLE_HEIGHT - behind)
    const authors = [honest, receiver]
    const changes = await Promise.all(authors.map((author) => bench.roundChange(author, 1)))
    const deliver = async (): Promise<void> => {
      for (const [index, change] of changes.entries()) {
        const { code, data } = bench.codec.encode(change)
        driver.receive(authors[index]!.address, code, data)
      }
      await settled()
    }
    await deliver()
    for (const extra of isFlooded ? [1, 2, 3] : []) {
      clock.advance(1_000)
      const block = blockOf(bench, faulty, 12 * MIB + extra)
      const { code, data } = bench.codec.encode(await bench.proposal(block, 0))
      driver.receive(faulty.address, code, data)
      await settled()
    }
    for (let height = SAMPLE_HEIGHT - behind + 1; height <= SAMPLE_HEIGHT; height++)
      enter(driver, bench, height)
    clock.advance(TIMEOUT_MS / 2)
    await deliver()
    // Two of four validators ask for round 1, so this one joins them.
    assert.equal(driver.state()?.round, 1)
    await driver.stop()
  })
}

/** A driver in round 0, and the receivers of each relay. */
function inRoundZero() {
  const clock = createFakeClock()
  const sent: { readonly to: readonly Address[]; readonly data: Uint8Array }[] = []
  const send = (to: readonly Address[], _code: number, data: Uint8Array) => void sent.push({ to, data })
  const driver = createDriver(self, () => 'qbft', { clock, network: { ...NO_NETWORK, send } })
  enter(driver, bench, SAMPLE_HEIGHT)
  const receiversOf = async (message: BftMessage, from: TestValidator): Promise<Address[]> => {
    const { code, data } = bench.codec.encode(message)
    sent.length = 0
    driver.receive(from.address, code, data)
    await settled()
    return sent.filter((each) => Buffer.compare(each.data, data) === 0).flatMap(({ to }) => to)
  }
  return { clock, driver, receiversOf, sent }
}

async function inRoundOne() {
  const { clock, driver, receiversOf, sent } = inRoundZero()
  const authors = [honest, faulty, receiver]
  const changes = await Promise.all(authors.map((author) => bench.roundChange(author, 1)))
  for (const [index, change] of changes.entries()) await receiversOf(change, authors[index]!)
  assert.equal(driver.state()?.round, 1)
  clock.advance(1_000)
  return { clock, driver, changes, receiversOf, sent }
}

test('a relay of a proposal waits at a peer that hears its author, unless the proposal is late', async () => {
  const waited: boolean[] = []
  for (const lateMs of [0, TIMEOUT_MS / 2]) {
    const { clock, driver, receiversOf } = inRoundZero()
    // It shows that the receiver hears the author.
    await receiversOf(await bench.roundChange(faulty, 1), receiver)
    clock.advance(lateMs)
    const receivers = await receiversOf(await bench.proposal(bench.block(faulty, 0), 0), faulty)
    assert.ok(receivers.includes(honest.address))
    waited.push(!receivers.includes(receiver.address))
    await driver.stop()
  }
  assert.deepEqual(waited, [true, false])
})

test('an old large proposal does not keep back the proposal of the round', async () => {
  const { driver, changes, receiversOf } = await inRoundOne()
  await receiversOf(await bench.proposal(blockOf(bench, faulty, 9 * MIB), 0), faulty)
  const proposal = await bench.proposal(blockOf(bench, honest, 100_000, 1), 1, changes)
  const receivers = await receiversOf(proposal, honest)
  assert.deepEqual(receivers.sort(), [faulty.address, receiver.address].sort())
  await driver.stop()
})

test('a round change that met a full budget is relayed when its author repeats it', async () => {
  const { driver, clock, receiversOf } = await inRoundOne()
  await receiversOf(await bench.proposal(blockOf(bench, faulty, 9 * MIB), 0), faulty)
  const certificate = await bench.certificate(blockOf(bench, faulty, 8_000))
  const change = await bench.roundChange(honest, 2, certificate)
  assert.deepEqual(await receiversOf(change, honest), [])
  clock.advance(TIMEOUT_MS)
  assert.ok((await receiversOf(change, honest)).includes(receiver.address))
  await driver.stop()
})

test('repeated round changes with large blocks stay within the budget of relays', async () => {
  const { driver, clock, receiversOf, sent } = await inRoundOne()
  const certificate = await bench.certificate(blockOf(bench, faulty, 15 * MIB))
  const authors = [honest, faulty]
  const changes = await Promise.all(authors.map((author) => bench.roundChange(author, 30, certificate)))
  for (const [index, change] of changes.entries()) {
    assert.notDeepEqual(await receiversOf(change, authors[index]!), [])
    clock.advance(1_000)
  }
  clock.advance(MINUTE_MS)
  let bytes = 0
  for (const [index, change] of changes.entries()) {
    await receiversOf(change, authors[index]!)
    bytes += sent.reduce((sum, { data }) => sum + data.length, 0)
  }
  assert.ok(bytes > 15 * MIB && bytes < 16 * MIB, `${bytes} bytes`)
  await driver.stop()
})
