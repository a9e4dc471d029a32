/* Messages of 16 MiB: their cost on the main thread, and that the writer judges them. */
import assert from 'node:assert/strict'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { type TestContext, test } from 'node:test'
import { silentLog } from '#chain/chain.fixture.ts'
import { startTestWriter } from '#chain/writer/writer-thread.fixture.ts'
import { loadCrypto } from '#evm/crypto.ts'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { nextTurn } from '#platform/next-turn.ts'
import type { Keccak } from '#types/keccak.ts'
import { encodedRlpItems, encodeRlp, encodeRlpList } from '#types/rlp.ts'
import type { Report } from './bft/events.ts'
import { MessageBench, SAMPLE_HEIGHT } from './bft/messages.fixture.ts'
import type { BftMessage, ProposedBlock } from './bft/messages.ts'
import { decodeProposedBlock } from './bft/wire/proposed-block.ts'
import { type BlockWorkOptions, createBlockWork } from './block-work.ts'
import { BftDriver } from './driver.ts'
import { createIbft2Rules } from './ibft2/rules.ts'
import { createIbft2Codec } from './ibft2/wire/ibft2-codec.ts'
import { NO_NETWORK, type TestValidator, testValidators } from './network.fixture.ts'
import { createQbftRules } from './qbft/rules.ts'
import { createQbftCodec } from './qbft/wire/qbft-codec.ts'

const MIB = 1024 * 1024
/** Four signatures, a header and the identity of a message take a few kilobytes. */
const MAX_MAIN_BYTES = 64 * 1024
const ZERO_HASH = `0x${'00'.repeat(32)}` as const
const crypto = await loadCrypto()
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

for (const protocol of ['qbft', 'ibft2'] as const) {
  const bench = new MessageBench(protocol, 'current', crypto)

  /** The last byte of the body is `mark`, which no signature of a round change covers. */
  function largeBlock(author: TestValidator, mark = 1): ProposedBlock {
    const [header, , ommers] = encodedRlpItems(bench.block(author, 0).encoded)
    const data = new Uint8Array(16 * MIB - 8 * 1024).fill(mark)
    const one = Uint8Array.of(1)
    const transaction = encodeRlp([one, one, one, new Uint8Array(20), one, data, Uint8Array.of(27), one, one])
    const encoded = encodeRlpList([header!, encodeRlpList([transaction]), ommers!])
    return decodeProposedBlock(protocol, encoded, undefined, crypto.keccak)
  }

  async function roundChange(author: TestValidator, block: ProposedBlock): Promise<BftMessage> {
    return bench.roundChange(author, 1, await bench.certificate(block))
  }

  async function startDriver(context: TestContext) {
    const { writer } = await startTestWriter(context)
    let hashed = 0
    const keccak: Keccak = (bytes) => {
      hashed += bytes.length
      return crypto.keccak(bytes)
    }
    let copied = 0
    const posted = (bytes: Uint8Array): Uint8Array => {
      if (!(bytes.buffer instanceof SharedArrayBuffer)) copied += bytes.length
      return bytes
    }
    let validations = 0
    const countingWriter: typeof writer = {
      ...writer,
      validate: (block, ...rest) => {
        validations += 1
        return writer.validate(posted(block), ...rest)
      },
      keccak: (pieces) => writer.keccak(pieces.map(posted)),
    }
    // Nothing is built here, so nothing else is needed.
    const blocks = createBlockWork({ writer: countingWriter } as unknown as BlockWorkOptions)
    const codecOf = protocol === 'qbft' ? createQbftCodec : createIbft2Codec
    const rulesOf = protocol === 'qbft' ? createQbftRules : createIbft2Rules
    const codec = codecOf({ ...crypto, keccak }, 'current')
    const rules = rulesOf({ maxRoundTimeoutMs: 60_000, keccak })
    const reports: Report[] = []
    const sent: number[] = []
    const clock = createFakeClock()
    const driver = new BftDriver({
      clock,
      log: silentLog,
      keccak,
      address: bench.validators[3]!.address,
      signDigest: () => new Promise<never>(() => {}),
      blocks,
      network: { ...NO_NETWORK, send: (_to, code) => void sent.push(code) },
      signatureLog: { loaded: 'lost', save: async () => {}, close: async () => {} },
      rulesAt: () => rules,
      codecAt: () => codec,
      limits: { maxDistance: 10, maxMessages: 9, maxBytes: MIB, duplicateMessages: 9, gossipedMessages: 9 },
      signsWithoutLog: false,
      onPeerAhead: () => {},
      onReport: (report) => void reports.push(report),
    })
    driver.headMoved({
      height: SAMPLE_HEIGHT,
      parent: { hash: ZERO_HASH, timestampSeconds: 0, coinbase: `0x${'00'.repeat(20)}` } as never,
      validators: bench.context.validators,
      period: { seconds: 2 },
      emptyBlockPeriodSeconds: 0,
      requestTimeoutMs: 4_000,
    })
    context.after(() => driver.stop())
    // A writer that cannot decode the block has judged it too.
    const refusals = () => reports.filter(({ kind }) => kind === 'refused' || kind === 'failed')
    return {
      driver,
      sent,
      refusals,
      validations: () => validations,
      undecoded: () => driver.observations.undecodedMessages,
      /** Delivers a message and waits until `isDone`; returns the bytes that the main thread hashed and copied. */
      deliver: async (message: BftMessage, isDone: () => boolean, from = bench.validators[0]!.address) => {
        const { code, data } = bench.codec.encode(message)
        assert.ok(data.length > 15 * MIB && data.length <= 16 * MIB, `${data.length} bytes`)
        clock.advance(1_000)
        hashed = 0
        copied = 0
        const delay = monitorEventLoopDelay({ resolution: 1 })
        delay.enable()
        // The monitor measures from its second turn on.
        await pause(20)
        const before = process.threadCpuUsage()
        void driver.receive(from, code, data)
        const { user, system } = process.threadCpuUsage(before)
        for (const endMs = performance.now() + 30_000; !isDone() && performance.now() < endMs; ) {
          await pause(1)
        }
        await pause(20)
        delay.disable()
        // Printed only, because they depend on the load of the machine.
        const ms = (nanoseconds: number) => (nanoseconds / 1e6).toFixed(1)
        const delays = `p99 ${ms(delay.percentile(99))} ms, most ${ms(delay.max)} ms`
        context.diagnostic(`${message.kind}: ${(user + system) / 1e3} ms of CPU; loop delay ${delays}`)
        assert.ok(isDone(), `${message.kind} was judged`)
        assert.ok(hashed < MAX_MAIN_BYTES, `${hashed} bytes were hashed on the main thread`)
        assert.ok(copied < MAX_MAIN_BYTES, `${copied} bytes were copied to the writer, and not shared`)
      },
    }
  }

  test(`${protocol}: 16 MiB in a round change are hashed, judged and copied elsewhere`, async (context) => {
    const { deliver, refusals, undecoded } = await startDriver(context)
    const [author] = bench.validators as [TestValidator]
    const stranger = testValidators(9).find(({ address }) => !bench.context.validators.includes(address))!
    const block = largeBlock(author)
    await deliver(await roundChange(stranger, block), () => undecoded() === 1)
    await deliver(await roundChange(author, block), () => refusals().length === 1)
  })

  test(`${protocol}: 16 MiB in a proposal are hashed, judged and copied elsewhere`, async (context) => {
    const { deliver, refusals, undecoded } = await startDriver(context)
    const proposer = bench.proposer(0)
    const stranger = testValidators(9).find(({ address }) => !bench.context.validators.includes(address))!
    const message = await bench.proposal(largeBlock(proposer), 0)
    const draft = { kind: 'proposal', height: SAMPLE_HEIGHT, round: 0, block: message.block } as const
    const strange = { ...message, signed: await bench.sign(stranger, draft) } as BftMessage
    // A message of the next height may be from a new validator, so it is decoded; this height has no such validator.
    await deliver(strange, () => refusals().length === 1 && undecoded() === 0)
    await deliver(message, () => refusals().length === 2)
  })

  test(`${protocol}: a false body of 16 MiB does not block the true one, and a repeated one is ignored`, async (context) => {
    const { deliver, refusals, validations } = await startDriver(context)
    const [author, relay] = bench.validators as [TestValidator, TestValidator]
    const message = await roundChange(author, largeBlock(author))
    const other = { ...message, block: largeBlock(author, 2) } as BftMessage
    await deliver(other, () => refusals().length === 1, relay.address)
    await deliver(message, () => refusals().length === 2)
    assert.equal(validations(), 2)
    await deliver(message, () => true, relay.address)
    await nextTurn()
    assert.equal(validations(), 2)
  })
}
