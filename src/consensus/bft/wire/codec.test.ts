import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MessageBench, SAMPLE_HEIGHT } from '#consensus/bft/messages.fixture.ts'
import type { BftMessage } from '#consensus/bft/messages.ts'
import { bigintToBytes, bytesToBigint, concatBytes } from '#types/bytes.ts'
import { Fault } from '#types/fault.ts'
import { parseHash } from '#types/hash.ts'
import { formatData } from '#types/hex.ts'
import { decodeRlp, encodeRlp, encodeRlpList, type RlpItem } from '#types/rlp.ts'
import { MAX_CERTIFICATE_PAYLOADS } from './read-items.ts'

/** The order of secp256k1. */
const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

for (const protocol of ['qbft', 'ibft2'] as const) {
  for (const generation of ['legacy', 'current'] as const) {
    const bench = new MessageBench(protocol, generation)

    test(`${protocol}, ${generation}: an encoded message decodes to the same message`, async () => {
      for (const message of await bench.samples()) {
        const { code, data } = bench.codec.encode(message)
        assert.deepEqual(bench.codec.decode(code, data), message)
      }
    })

    test(`${protocol}, ${generation}: the other generation is decoded and encoded unchanged`, async () => {
      const other = new MessageBench(protocol, generation === 'legacy' ? 'current' : 'legacy')
      for (const message of await other.samples()) {
        const { code, data } = other.codec.encode(message)
        const decoded = bench.codec.decode(code, data)
        assert.deepEqual(decoded, message)
        assert.deepEqual(bench.codec.encode(decoded), { code, data })
      }
    })
  }

  const bench = new MessageBench(protocol, 'current')

  test(`${protocol}: a signature over other bytes yields another author`, async () => {
    const [first, second] = bench.validators as [(typeof bench.validators)[0], (typeof bench.validators)[0]]
    const digest = parseHash('11'.repeat(32))
    const prepare = await bench.sign(first, { kind: 'prepare', height: SAMPLE_HEIGHT, round: 0, digest })
    const other = await bench.sign(second, { kind: 'prepare', height: SAMPLE_HEIGHT, round: 1, digest })
    const [payload] = decodeRlp(prepare.encoded) as [RlpItem]
    const [, signature] = decodeRlp(other.encoded) as [RlpItem, RlpItem]
    const { code } = bench.codec.encode({ kind: 'prepare', signed: prepare } as BftMessage)
    const decoded = bench.codec.decode(code, encodeRlp([payload, signature]))
    assert.ok(!bench.context.validators.includes(decoded.signed.author))
  })

  test(`${protocol}: a signature cannot be turned into a second valid one`, async () => {
    const [first] = bench.validators as [(typeof bench.validators)[0]]
    const digest = parseHash('11'.repeat(32))
    const prepare = await bench.sign(first, { kind: 'prepare', height: SAMPLE_HEIGHT, round: 0, digest })
    const [payload, signature] = decodeRlp(prepare.encoded) as [RlpItem, Uint8Array]
    const flipped = signature.slice()
    flipped.set(bigintToBytes(CURVE_ORDER - bytesToBigint(signature.subarray(32, 64)), 32), 32)
    flipped[64] = 1 - signature[64]!
    const { code } = bench.codec.encode({ kind: 'prepare', signed: prepare } as BftMessage)
    assert.throws(() => bench.codec.decode(code, encodeRlp([payload, flipped])), /high s/)
  })

  test(`${protocol}: a message longer than a p2p message is not decoded`, () => {
    assert.throws(() => bench.codec.decode(0x12, new Uint8Array(16 * 1024 * 1024 + 1)), /16777217 bytes/)
  })

  test(`${protocol}: malformed and overlong messages are refused`, async () => {
    const samples = await bench.samples()
    for (const message of samples) {
      const { code, data } = bench.codec.encode(message)
      assert.throws(() => bench.codec.decode(code, data.subarray(1)), Fault)
      assert.throws(() => bench.codec.decode(code, concatBytes(data, Uint8Array.of(0))), Fault)
    }
    assert.throws(() => bench.codec.decode(99, Uint8Array.of(0xc0)), Fault)
    const proposal = samples.at(-1)!
    assert.ok(proposal.kind === 'proposal')
    const roundChanges = Array.from({ length: MAX_CERTIFICATE_PAYLOADS + 1 }, () => proposal.roundChanges[0]!)
    const { code, data } = bench.codec.encode({ ...proposal, roundChanges })
    assert.throws(() => bench.codec.decode(code, data), /more than 512/)
  })
}

test('the bytes and the author of a prepare match both specifications', async () => {
  const draft = { kind: 'prepare', height: 1, round: 0, digest: parseHash('11'.repeat(32)) } as const
  const qbft = new MessageBench('qbft', 'current')
  const one = qbft.validators[0]!
  assert.match(formatData((await qbft.sign(one, draft)).encoded), /^0xf867e30180a0(11){32}b841/)
  const ibft2 = new MessageBench('ibft2', 'current')
  const start = /^0xf873ef8800000000000000018400000000a0(11){32}b841/
  assert.match(formatData((await ibft2.sign(one, draft)).encoded), start)
})

test('a number too large for a height or a round is refused', () => {
  const { codec } = new MessageBench('qbft', 'current')
  const signature = encodeRlp(new Uint8Array(65).fill(1))
  const prepare = (height: string, round: string) => {
    const items = [height, round].map((hex) => encodeRlp(Buffer.from(hex, 'hex')))
    const payload = encodeRlpList([...items, encodeRlp(new Uint8Array(32))])
    return encodeRlpList([payload, signature])
  }
  assert.throws(() => codec.decode(0x13, prepare('20000000000000', '')), /is above/)
  assert.throws(() => codec.decode(0x13, prepare('01', '80000000')), /is above/)
})
