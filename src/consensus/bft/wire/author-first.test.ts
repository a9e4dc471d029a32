/* The cost of a message before its author is known. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MessageBench, SAMPLE_HEIGHT } from '#consensus/bft/messages.fixture.ts'
import type { ProposalMessage } from '#consensus/bft/messages.ts'
import { createIbft2Codec } from '#consensus/ibft2/wire/ibft2-codec.ts'
import { testValidators } from '#consensus/network.fixture.ts'
import { createQbftCodec } from '#consensus/qbft/wire/qbft-codec.ts'
import { encodeHeader } from '#types/block/block-header.ts'
import { recoverPublicKey } from '#types/curve.ts'
import { Fault } from '#types/fault.ts'
import { keccak256 } from '#types/keccak.ts'
import { encodedRlpItems, encodeRlp, encodeRlpList } from '#types/rlp.ts'

const MIB = 1024 * 1024

for (const protocol of ['qbft', 'ibft2'] as const) {
  const bench = new MessageBench(protocol, 'current')
  let recoveries = 0
  const recover: typeof recoverPublicKey = (...args) => {
    recoveries += 1
    return recoverPublicKey(...args)
  }
  const createCodec = protocol === 'qbft' ? createQbftCodec : createIbft2Codec
  const codec = createCodec({ keccak: keccak256, recover }, 'current')
  const { validators } = bench.context
  const stranger = testValidators(9).find(({ address }) => !validators.includes(address))!

  /** A proposal of round 1 with its complete justification. */
  async function justified(): Promise<ProposalMessage> {
    const message = (await bench.samples()).at(-1)!
    assert.ok(message.kind === 'proposal' && message.roundChanges.length === 4)
    return message
  }

  test(`${protocol}: a message of a non-validator costs one key recovery, whatever it contains`, async () => {
    const message = await justified()
    const draft = { kind: 'proposal', height: SAMPLE_HEIGHT, round: 1, block: message.block } as const
    const signed = (await bench.sign(stranger, draft)) as ProposalMessage['signed']
    const { code, data } = bench.codec.encode({ ...message, signed })
    recoveries = 0
    assert.throws(() => codec.decode(code, data, validators), Fault)
    assert.equal(recoveries, 1)
  })

  test(`${protocol}: messages of validators and short ones of possible next validators are decoded`, async () => {
    for (const message of await bench.samples()) {
      const { code, data } = bench.codec.encode(message)
      assert.deepEqual(codec.decode(code, data, validators), message)
    }
    const prepare = {
      kind: 'prepare',
      height: SAMPLE_HEIGHT + 1,
      round: 0,
      digest: `0x${'11'.repeat(32)}`,
    } as const
    const signed = await bench.sign(stranger, prepare as never)
    const { code, data } = bench.codec.encode({ kind: 'prepare', signed } as never)
    assert.equal(codec.decode(code, data, validators).signed.author, stranger.address)
  })

  test(`${protocol}: a certificate with more payloads than validators can write is refused`, async () => {
    const message = await justified()
    const roundChanges = Array.from({ length: 21 }, () => message.roundChanges[0]!)
    const { code, data } = bench.codec.encode({ ...message, roundChanges })
    recoveries = 0
    assert.throws(() => codec.decode(code, data, validators), /more than 20/)
    assert.equal(recoveries, 1)
  })

  test(`${protocol}: a relaying peer cannot increase the number of hashed bytes`, async () => {
    const message = (await bench.samples()).find((sample) => sample.kind === 'roundChange' && sample.block)
    assert.ok(message?.kind === 'roundChange' && message.block !== undefined)
    const [, ...body] = encodedRlpItems(message.block.encoded)
    const header = { ...message.block.header, extraData: new Uint8Array(MIB) }
    const encoded = encodeRlpList([encodeHeader(header), ...body])
    const long = bench.codec.encode({ ...message, block: { ...message.block, encoded } })
    assert.throws(() => codec.decode(long.code, long.data, validators), /The header of its block has/)
    if (protocol === 'ibft2') return
    const [prepare] = message.prepares
    const [, signature] = encodedRlpItems(prepare!.encoded)
    const longer = { ...prepare!, encoded: encodeRlpList([encodeRlp(new Uint8Array(MIB)), signature!]) }
    const { code, data } = bench.codec.encode({ ...message, prepares: [longer] })
    assert.throws(() => codec.decode(code, data, validators), /A payload in its certificates has/)
  })
}
