import { deepStrictEqual, ok, strictEqual } from 'node:assert'
import { test } from 'node:test'
import { loadCrypto } from '#evm/crypto.ts'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { createLog } from '#platform/log/log.ts'
import { type Address, parseAddress } from '#types/address.ts'
import { sign } from '#types/curve.ts'
import { parseHash } from '#types/hash.ts'
import type { HeightContext } from './bft/events.ts'
import type { PrepareMessage } from './bft/messages.ts'
import { BftDriver } from './driver.ts'
import type { DriverParts } from './driver-parts.ts'
import { createIbft2Rules } from './ibft2/rules.ts'
import { createIbft2Codec } from './ibft2/wire/ibft2-codec.ts'
import { NO_NETWORK, testValidators } from './network.fixture.ts'
import { PeerBudget } from './peer-budget.ts'
import { createQbftRules } from './qbft/rules.ts'
import { createQbftCodec, QBFT_CODES } from './qbft/wire/qbft-codec.ts'

const QBFT_FROM = 11
const crypto = await loadCrypto()
const validators = testValidators(4).map(({ address }) => address)
const never = () => new Promise<never>(() => {})

const LIMITS: DriverParts['limits'] = {
  maxDistance: 10,
  maxMessages: 100,
  maxBytes: 1_000_000,
  duplicateMessages: 100,
  gossipedMessages: 100,
}

function createDriver(clock = createFakeClock(), more: Partial<DriverParts> = {}): BftDriver {
  const codecs = { qbft: createQbftCodec(crypto, 'current'), ibft2: createIbft2Codec(crypto, 'current') }
  const rules = {
    qbft: createQbftRules({ maxRoundTimeoutMs: 60_000 }),
    ibft2: createIbft2Rules({ maxRoundTimeoutMs: 60_000 }),
  }
  const protocolAt = (height: number) => (height < QBFT_FROM ? 'ibft2' : 'qbft')
  const parts: DriverParts = {
    clock,
    log: createLog({ level: 'OFF' }),
    keccak: crypto.keccak,
    address: validators[0]!,
    signDigest: never,
    blocks: { build: never, validate: never, keccak: never, importBlock: never },
    network: NO_NETWORK,
    signatureLog: { loaded: 'lost', save: async () => {}, close: async () => {} },
    rulesAt: (height) => rules[protocolAt(height)],
    codecAt: (height) => codecs[protocolAt(height)],
    limits: LIMITS,
    signsWithoutLog: false,
    onPeerAhead: () => {},
    onReport: () => {},
    ...more,
  }
  return new BftDriver(parts)
}

function contextOf(height: number, timestampSeconds = 0): HeightContext {
  const hash = parseHash(height.toString(16).padStart(64, '0'))
  return {
    height,
    parent: { hash, timestampSeconds, coinbase: validators[0]! },
    validators,
    period: { seconds: 2 },
    emptyBlockPeriodSeconds: 0,
    requestTimeoutMs: 4_000,
  }
}

test('a height waited out before a migration is not waited out again', async () => {
  const clock = createFakeClock()
  const driver = createDriver(clock)
  driver.headMoved(contextOf(QBFT_FROM - 1))
  strictEqual(driver.state()?.signsFrom, QBFT_FROM)
  clock.advance(3_000)
  driver.headMoved(contextOf(QBFT_FROM, clock.wallMs() / 1_000))
  strictEqual(driver.state()?.signsFrom, QBFT_FROM)
  await driver.stop()
})

test('a rewind to the older protocol does not end the waiting', async () => {
  const driver = createDriver()
  driver.headMoved(contextOf(QBFT_FROM))
  strictEqual(driver.state()?.signsFrom, QBFT_FROM + 1)
  driver.headMoved(contextOf(QBFT_FROM - 3))
  strictEqual(driver.state()?.signsFrom, QBFT_FROM - 2)
  await driver.stop()
})

test('a failed save is retried, and the status names the disk until it succeeds', async () => {
  const clock = createFakeClock()
  let isFull = true
  const save = async () => {
    if (isFull) throw new Error('The disk is full.')
  }
  const signatureLog: DriverParts['signatureLog'] = { loaded: undefined, save, close: async () => {} }
  const sent: number[] = []
  const network = { ...NO_NETWORK, send: (_to: unknown, code: number) => void sent.push(code) }
  const signDigest = async (digest: Uint8Array) => sign(testValidators(4)[0]!.key, digest)
  const driver = createDriver(clock, { signatureLog, network, signDigest })
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  driver.headMoved(contextOf(1, Math.floor(clock.wallMs() / 1_000)))
  for (let second = 0; second < 30; second++) {
    clock.advance(1_000)
    await settled()
  }
  const { what, sentence } = driver.observations.failure ?? {}
  deepStrictEqual([what, sentence, sent], ['persist', 'The disk is full.', []])
  isFull = false
  for (let second = 0; second < 30; second++) {
    clock.advance(1_000)
    await settled()
  }
  strictEqual(driver.observations.failure, undefined)
  ok(sent.length > 0)
  await driver.stop()
})

test('messages of a flooding validator are relayed only as far as peers still accept this node', async () => {
  const clock = createFakeClock()
  const codec = createQbftCodec(crypto, 'current')
  const [, byzantine, honest, another] = testValidators(4)
  const budget = new PeerBudget()
  const heard: boolean[] = []
  const send = (to: readonly Address[], _code: number, { length }: Uint8Array): void => {
    if (to.includes(honest!.address))
      heard.push(budget.take(honest!.address, length, validators, clock.monotonicMs()))
  }
  const driver = createDriver(clock, { network: { ...NO_NETWORK, send } })
  driver.headMoved(contextOf(QBFT_FROM))
  // Half of them came from the other validator, which relays them too: each peer stays within its limit.
  for (let round = 0; round < 280; round++) {
    const draft = { kind: 'prepare', height: QBFT_FROM, round, digest: parseHash('aa'.repeat(32)) } as const
    const signed = await codec.sign(draft, byzantine!.address, async (digest) => sign(byzantine!.key, digest))
    const { code, data } = codec.encode({ kind: 'prepare', signed } as PrepareMessage)
    void driver.receive(round % 2 === 0 ? byzantine!.address : another!.address, code, data)
  }
  ok(heard.length > 0)
  deepStrictEqual(new Set(heard), new Set([true]))
  await driver.stop()
})

test('many non-validator peers cannot make this node read more, and are not read meanwhile', async () => {
  const clock = createFakeClock()
  const driver = createDriver(clock, { network: NO_NETWORK })
  driver.headMoved(contextOf(QBFT_FROM))
  const strangers = Array.from({ length: 25 }, (_, at) =>
    parseAddress((at + 1).toString(16).padStart(40, '0')),
  )
  const waits: number[] = []
  for (let sent = 0; sent < 100; sent++) {
    for (const [at, from] of strangers.entries()) {
      const waitMs = driver.receive(from, QBFT_CODES.prepare, Uint8Array.of(0xc2, at, sent))
      if (waitMs > 0) waits.push(waitMs)
    }
  }
  const { undecodedMessages } = driver.observations
  ok(undecodedMessages > 0 && undecodedMessages <= 260, `${undecodedMessages} were read`)
  strictEqual(undecodedMessages + waits.length, 2_500)
  deepStrictEqual(new Set(waits), new Set([1_000]))
  await driver.stop()
})

/** Milliseconds until the proposer of a height asks for its block. */
async function builtAfterMs(height: number, connectedFromMs: number): Promise<number> {
  const clock = createFakeClock()
  let builtMs: number | undefined
  const build = () => {
    builtMs ??= clock.monotonicMs()
    return never()
  }
  const connected = () => (clock.monotonicMs() < connectedFromMs ? validators.slice(0, 3) : validators)
  const driver = createDriver(clock, {
    blocks: { build, validate: never, keccak: never, importBlock: never },
    network: { ...NO_NETWORK, connected },
    signatureLog: { loaded: undefined, save: async () => {}, close: async () => {} },
  })
  const context = contextOf(height)
  driver.headMoved({ ...context, parent: { ...context.parent, coinbase: validators[3]! } })
  while (builtMs === undefined && clock.monotonicMs() < 10_000) {
    clock.advance(100)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await driver.stop()
  ok(builtMs !== undefined)
  return builtMs
}

test('the first block of a network waits until all validators are connected, for half a round at most', async () => {
  const lastMs = 1_200
  const builtMs = await builtAfterMs(1, lastMs)
  ok(builtMs > lastMs && builtMs < lastMs + 600, `built after ${builtMs} ms`)
  const withoutOneMs = await builtAfterMs(1, Number.POSITIVE_INFINITY)
  ok(withoutOneMs >= 2_000 && withoutOneMs < 2_400, `built after ${withoutOneMs} ms`)
})

test('later blocks do not wait for a validator that is not connected', async () => {
  strictEqual(await builtAfterMs(2, Number.POSITIVE_INFINITY), await builtAfterMs(2, 0))
})

/** The encoded prepare of a validator. */
async function prepareOf(
  { address, key }: { readonly address: Address; readonly key: Uint8Array },
  round = 0,
) {
  const codec = createQbftCodec(crypto, 'current')
  const draft = { kind: 'prepare', height: QBFT_FROM, round, digest: parseHash('aa'.repeat(32)) } as const
  const signed = await codec.sign(draft, address, async (digest) => sign(key, digest))
  return codec.encode({ kind: 'prepare', signed } as PrepareMessage)
}

test('a message is relayed once, and to no validator that has it', async () => {
  const [self, author, carrier, other] = testValidators(4)
  const sent: (readonly Address[])[] = []
  const send = (to: readonly Address[]) => void sent.push(to)
  // Repeated bytes are decoded again here, because a peer may encode the same message differently.
  const limits = { ...LIMITS, duplicateMessages: 0 }
  const driver = createDriver(createFakeClock(), { network: { ...NO_NETWORK, send }, limits })
  driver.headMoved(contextOf(QBFT_FROM))
  // Relays of round 0 wait if their receiver seems to have the message.
  const { code, data } = await prepareOf(author!, 1)
  void driver.receive(carrier!.address, code, data)
  deepStrictEqual(sent, [[other!.address]])
  void driver.receive(other!.address, code, data)
  void driver.receive(author!.address, code, data)
  deepStrictEqual(sent, [[other!.address]])
  ok(!sent.flat().includes(self!.address))
  await driver.stop()
})

test('a repeated message is not decoded again, from any peer', async () => {
  const [, author, carrier, other] = testValidators(4)
  const codec = createQbftCodec(crypto, 'current')
  let decoded = 0
  const decode: typeof codec.decode = (...parts) => {
    decoded++
    return codec.decode(...parts)
  }
  const driver = createDriver(createFakeClock(), { codecAt: () => ({ ...codec, decode }) })
  driver.headMoved(contextOf(QBFT_FROM))
  const { code, data } = await prepareOf(author!)
  for (const from of [author!, carrier!, author!, other!]) {
    void driver.receive(from.address, code, data.slice())
  }
  strictEqual(decoded, 1)
  const another = await prepareOf(carrier!)
  void driver.receive(carrier!.address, another.code, another.data)
  strictEqual(decoded, 2)
  await driver.stop()
})
