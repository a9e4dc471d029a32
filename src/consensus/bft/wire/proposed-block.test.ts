import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testNetwork, testValidators } from '#consensus/network.fixture.ts'
import { encodeBftExtraData } from '#types/block/bft-extra-data.ts'
import { encodeBlock } from '#types/block/block.ts'
import { genesisHeader } from '#types/genesis/genesis-block.ts'
import { ZERO_HASH } from '#types/hash.ts'
import { keccak256 } from '#types/keccak.ts'
import { decodeRlp, encodeRlp, type RlpItem } from '#types/rlp.ts'
import { decodeProposedBlock } from './proposed-block.ts'

const validators = testValidators(4)
const header = genesisHeader(testNetwork({ qbft: {} }, validators), ZERO_HASH)

function decode(items: (items: readonly RlpItem[]) => readonly RlpItem[]) {
  const content = { vanity: new Uint8Array(32), vote: null, round: 0, seals: [] }
  const addresses = validators.map(({ address }) => address)
  const canonical = encodeBftExtraData('qbft', { ...content, validators: addresses })
  const extraData = encodeRlp(items(decodeRlp(canonical) as readonly RlpItem[]))
  const block = { header: { ...header, extraData }, transactions: [], ommers: [], withdrawals: undefined }
  return decodeProposedBlock('qbft', encodeBlock(block), undefined, keccak256)
}

test('a proposed block with extra items in its extra data is refused although its hash is the same', () => {
  const { hash } = decode((items) => items)
  assert.match(hash, /^0x/)
  assert.throws(() => decode((items) => [...items, new Uint8Array(1_000)]), /extra data of its block is not/)
  assert.throws(
    () => decode((items) => items.with(2, [new Uint8Array(20), []])),
    /extra data of its block is/,
  )
})
