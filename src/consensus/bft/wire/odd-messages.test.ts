/* Messages that are almost valid. */
import { deepStrictEqual, ok, strictEqual, throws } from 'node:assert'
import { test } from 'node:test'
import { MessageBench, SAMPLE_HEIGHT } from '#consensus/bft/messages.fixture.ts'
import type { CommitMessage, ProposalMessage } from '#consensus/bft/messages.ts'
import { SIGNATURE_BYTES } from '#types/curve.ts'
import { decodeRlp, encodeRlp, type RlpItem } from '#types/rlp.ts'
import { isSameBlock } from './proposed-block.ts'

for (const protocol of ['qbft', 'ibft2'] as const) {
  const bench = new MessageBench(protocol, 'current')
  const [first, second] = bench.validators

  test(`${protocol}: the access list of a block is decoded`, async () => {
    const accessList = encodeRlp([Uint8Array.of(1, 2, 3)])
    const proposal = await bench.proposal({ ...bench.block(first!, 0), accessList }, 0)
    const { code, data } = bench.codec.encode(proposal)
    const decoded = bench.codec.decode(code, data) as ProposalMessage
    deepStrictEqual(decoded.block.accessList, accessList)
  })

  test(`${protocol}: a block with another header, body or access list is another block`, () => {
    const block = bench.block(first!, 0)
    ok(isSameBlock(block, bench.block(first!, 3)))
    ok(!isSameBlock(block, bench.block(second!, 0)))
    ok(!isSameBlock(block, { ...block, accessList: Uint8Array.of(0xc0) }))
    ok(!isSameBlock(block, { ...block, encoded: block.encoded.with(-1, 0xc1) }))
  })

  test(`${protocol}: a payload that lacks an item is refused`, async () => {
    const [, prepare, commit] = await bench.samples()
    for (const message of [prepare!, commit!]) {
      const { code, data } = bench.codec.encode(message)
      const [payload, signature] = decodeRlp(data) as [RlpItem[], RlpItem]
      const cut = encodeRlp([payload.slice(0, -1), signature])
      throws(() => bench.codec.decode(code, cut), { kind: 'INVALID_BFT_MESSAGE' })
    }
  })

  test(`${protocol}: a seal that no key can have made has no author`, async () => {
    const [, , commit] = await bench.samples()
    const { code, data } = bench.codec.encode(commit!)
    const [payload, signature] = decodeRlp(data) as [RlpItem[], RlpItem]
    const sealed = encodeRlp([[...payload.slice(0, -1), new Uint8Array(SIGNATURE_BYTES)], signature])
    const decoded = bench.codec.decode(code, sealed) as CommitMessage
    strictEqual(decoded.signed.payload.sealAuthor, undefined)
    strictEqual(decoded.signed.payload.height, SAMPLE_HEIGHT)
  })
}

test('ibft2: a height above the safe integers is refused', async () => {
  const bench = new MessageBench('ibft2', 'current')
  const { code, data } = bench.codec.encode((await bench.samples())[1]!)
  const [[, ...rest], signature] = decodeRlp(data) as [RlpItem[], RlpItem]
  const height = Uint8Array.of(0, 0x20, 0, 0, 0, 0, 0, 0)
  throws(() => bench.codec.decode(code, encodeRlp([[height, ...rest], signature])), /No chain reaches/)
})
