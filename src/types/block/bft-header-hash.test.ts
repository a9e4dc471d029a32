import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseAddress } from '#types/address.ts'
import { addressFromPublicKey, recoverPublicKey } from '#types/curve.ts'
import { hashToBytes } from '#types/hash.ts'
import { parseData } from '#types/hex.ts'
import {
  type BftExtraData,
  type BftProtocol,
  decodeBftExtraData,
  encodeBftExtraData,
} from './bft-extra-data.ts'
import { bftBlockHash, bftCommittedSealHash, legacyIbftBlockHash } from './bft-header-hash.ts'
import { PLAIN_HEADER } from './block.fixture.ts'
import { type BlockHeader, decodeHeader, hashHeader } from './block-header.ts'
import { encodeLegacyIbftExtraData } from './legacy-ibft-extra-data.ts'

const SEAL = new Uint8Array(65)
const CONTENT: BftExtraData = {
  vanity: new Uint8Array(32),
  validators: [parseAddress('11'.repeat(20))],
  vote: null,
  round: 0,
  seals: [],
}
const PROTOCOLS: readonly BftProtocol[] = ['ibft2', 'qbft']

function headerWith(protocol: BftProtocol, content: Partial<BftExtraData>): BlockHeader {
  return { ...PLAIN_HEADER, extraData: encodeBftExtraData(protocol, { ...CONTENT, ...content }) }
}

/** Block 100 of an IBFT 2.0 network, from Besu's documentation. */
const RECORDED = parseData(
  '0xf90279a07bca25e1fa5e395fd6029eb496a70b6b5495843976bf9e49b993c723ded29d9ea01dcc4de8dec75d7aab85' +
    'b567b6ccd41ad312451b948a7413f0a142fd40d49347949811ebc35d7b06b3fa8dc5809a1f9c52751e1deba0d650578a' +
    '04b39f50cc979155f4510ec28c2c0a7c1e5fdbf84609bc7b1c430f48a056e81f171bcc55a6ff8345e692c0f86e5b48e0' +
    '1b996cadc001622fb5e363b421a056e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421b901' +
    '00'.repeat(256) +
    '0001648347b76080845cd10933b884f882a0000000000000000000000000000000000000000000000000000000000000' +
    '0000d5949811ebc35d7b06b3fa8dc5809a1f9c52751e1deb808400000000f843b8414d877d8d0ced37ea138fab55a978' +
    'f3740367a24a31731322ecdc3368f11e0d4966c9ce17ae59a76fb94eb436e8a386868f6bd6b0a5678e58daf49f5dd940' +
    '558b00a063746963616c2062797a616e74696e65206661756c7420746f6c6572616e6365880000000000000000',
)

test('a recorded header has its published hash, and its validator made the seal', () => {
  const header = decodeHeader(RECORDED)
  assert.equal(
    bftBlockHash('ibft2', header),
    '0x63b3ea2bc37fec8f82680eb823652da6af8acebb4f6c4d0ff659c55be473c8b0',
  )
  const signed = hashToBytes(bftCommittedSealHash('ibft2', header))
  const { seals, validators } = decodeBftExtraData('ibft2', header.extraData)
  const signers = seals.map((seal) => addressFromPublicKey(recoverPublicKey(signed, seal)))
  assert.deepEqual(signers, validators)
})

test('neither round nor seals change the hash of a block', () => {
  for (const protocol of PROTOCOLS) {
    const plain = bftBlockHash(protocol, headerWith(protocol, {}))
    assert.equal(bftBlockHash(protocol, headerWith(protocol, { round: 3, seals: [SEAL] })), plain)
    const vote = { recipient: parseAddress('22'.repeat(20)), type: 'drop' } as const
    assert.notEqual(bftBlockHash(protocol, headerWith(protocol, { vote })), plain)
  }
})

test('validators sign the round, but not the seals', () => {
  for (const protocol of PROTOCOLS) {
    const signed = bftCommittedSealHash(protocol, headerWith(protocol, { round: 1 }))
    assert.equal(bftCommittedSealHash(protocol, headerWith(protocol, { round: 1, seals: [SEAL] })), signed)
    assert.notEqual(bftCommittedSealHash(protocol, headerWith(protocol, { round: 2 })), signed)
  }
})

test('block 0 is hashed unchanged', () => {
  for (const protocol of PROTOCOLS) {
    const genesis: BlockHeader = { ...headerWith(protocol, { round: 7, seals: [SEAL] }), number: 0n }
    assert.equal(bftBlockHash(protocol, genesis), hashHeader(genesis))
    assert.equal(bftCommittedSealHash(protocol, genesis), hashHeader(genesis))
    assert.equal(legacyIbftBlockHash(genesis), hashHeader(genesis))
  }
})

test('the hash of legacy IBFT omits only the commit seals', () => {
  const hashWith = (proposerSeal: Uint8Array, commitSeals: readonly Uint8Array[]) => {
    const { vanity, validators } = CONTENT
    const extraData = encodeLegacyIbftExtraData({ vanity, validators, proposerSeal, commitSeals })
    return legacyIbftBlockHash({ ...PLAIN_HEADER, extraData })
  }
  assert.equal(hashWith(SEAL, [SEAL, SEAL]), hashWith(SEAL, []))
  assert.notEqual(hashWith(SEAL, []), hashWith(SEAL.with(0, 1), []))
})

test('a header without such extra data is a fault', () => {
  for (const protocol of PROTOCOLS) {
    assert.throws(() => bftBlockHash(protocol, PLAIN_HEADER), { kind: 'INVALID_EXTRA_DATA' })
  }
  assert.throws(() => legacyIbftBlockHash(PLAIN_HEADER), { kind: 'INVALID_EXTRA_DATA' })
})
