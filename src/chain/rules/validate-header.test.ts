import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KnownHeader } from '#chain/block/stages.ts'
import { type BlockHeader, hashHeader, NO_OPTIONAL_FIELDS } from '#types/block/block-header.ts'
import { EMPTY_TRIE_ROOT } from '#types/block/ordered-trie-root.ts'
import { EMPTY_REQUESTS_HASH } from '#types/block/requests.ts'
import { MAX_UINT64 } from '#types/bytes.ts'
import { type Genesis, parseGenesis } from '#types/genesis/genesis.ts'
import { genesisHeader } from '#types/genesis/genesis-block.ts'
import { type Hash, ZERO_HASH } from '#types/hash.ts'
import { refuseHeader } from './validate-header.ts'

function networkOf(config: object): { genesis: Genesis; parent: KnownHeader } {
  const verdict = parseGenesis(JSON.stringify({ config, difficulty: '0x20000', gasLimit: '0x1c9c380' }))
  assert.ok(verdict.ok)
  const header = genesisHeader(verdict.genesis, EMPTY_TRIE_ROOT)
  return { genesis: verdict.genesis, parent: { header, hash: hashHeader(header) } }
}

/** A proof-of-stake header with the Prague fields that follows block 0. */
const stake = networkOf({
  chainId: 1,
  ethash: {},
  londonBlock: 0,
  mergeNetSplitBlock: 0,
  shanghaiTime: 0,
  cancunTime: 0,
  pragueTime: 0,
})
const valid: BlockHeader = {
  ...stake.parent.header,
  parentHash: stake.parent.hash,
  number: 1n,
  timestamp: 12n,
  difficulty: 0n,
  baseFeePerGas: 875_000_000n,
  requestsHash: EMPTY_REQUESTS_HASH,
}

test('a header that follows from its parent is accepted', () => {
  assert.equal(refuseHeader(stake.genesis, valid, stake.parent), undefined)
})

for (const [what, change, sentence] of [
  ['another parent', { parentHash: `0x${'99'.repeat(32)}` as Hash }, /^The parent is named/],
  ['another number', { number: 2n }, /^The number is 2/],
  ['more gas than the limit', { gasUsed: 30_000_001n }, /gas is used/],
  ['a limit too far away', { gasLimit: 30_029_296n }, /too far from/],
  ['a limit too low', { gasLimit: 4_999n }, /not between/],
  ['a time that is not later', { timestamp: 0n }, /^The time 0 is not after/],
  ['another base fee', { baseFeePerGas: 875_000_001n }, /^The base fee/],
  ['no base fee', { baseFeePerGas: undefined }, /lacks baseFeePerGas/],
  ['no requests', { requestsHash: undefined }, /lacks requestsHash/],
  ['a field of the future', { slotNumber: 1n }, /has slotNumber/],
  ['a part of a blob', { blobGasUsed: 1n }, /blob gas 1 is not/],
  ['too many blobs', { blobGasUsed: 131_072n * 10n }, /at most 9 blobs/],
  ['another excess of blobs', { excessBlobGas: 1n }, /excess blob gas/],
  ['a difficulty', { difficulty: 1n }, /^The difficulty is 1/],
  ['a nonce', { nonce: 1n }, /^The nonce is 1/],
  ['much extra data', { extraData: new Uint8Array(33) }, /33 bytes/],
] as const satisfies readonly [string, Partial<BlockHeader>, RegExp][]) {
  test(`a header with ${what} is refused`, () => {
    assert.match(refuseHeader(stake.genesis, { ...valid, ...change }, stake.parent) ?? '', sentence)
  })
}

test('the gas limit may double at the first block of London', () => {
  const { genesis, parent } = networkOf({ chainId: 1, ethash: { fixeddifficulty: 5 }, londonBlock: 1 })
  const header: BlockHeader = {
    ...parent.header,
    parentHash: parent.hash,
    number: 1n,
    timestamp: 1n,
    difficulty: 5n,
    gasLimit: parent.header.gasLimit * 2n,
    baseFeePerGas: 1_000_000_000n,
  }
  assert.equal(refuseHeader(genesis, header, parent), undefined)
  assert.match(refuseHeader(genesis, { ...header, difficulty: 6n }, parent) ?? '', /^The difficulty is 6/)
})

const QBFT = { chainId: 1, qbft: {}, londonBlock: 0, shanghaiTime: 0, cancunTime: 0, pragueTime: 0 }
/** Changes block 1 of a network and returns the verdict. */
function refuseFirst(config: object, change: Partial<BlockHeader>): string | undefined {
  const { genesis, parent } = networkOf(config)
  const first = { parentHash: parent.hash, number: 1n, timestamp: 1n, baseFeePerGas: 875_000_000n }
  return refuseHeader(genesis, { ...parent.header, ...first, ...change }, parent)
}

test('BFT networks check base fee, blob gas and the fields of each fork, which Besu does not', () => {
  assert.equal(refuseFirst(QBFT, {}), undefined)
  for (const [change, sentence] of [
    [{ baseFeePerGas: 3n }, /^The base fee is 3, .* 875000000\.$/],
    [{ excessBlobGas: 7n }, /^The excess blob gas is 7/],
    [{ excessBlobGas: MAX_UINT64 }, /^The excess blob gas/],
    [{ blobGasUsed: MAX_UINT64 }, /^The blob gas/],
    [{ parentBeaconBlockRoot: `0x${'99'.repeat(32)}` as Hash }, /^The root of the beacon block/],
    [{ requestsHash: undefined }, /lacks requestsHash/],
    [{ blockAccessListHash: ZERO_HASH }, /has blockAccessListHash/],
    [{ ...NO_OPTIONAL_FIELDS, baseFeePerGas: 875_000_000n }, /lacks withdrawalsRoot/],
    [NO_OPTIONAL_FIELDS, /lacks baseFeePerGas/],
  ] as const) {
    assert.match(refuseFirst(QBFT, change) ?? 'nothing', sentence)
  }
})

test('with zeroBaseFee the base fee is 0, or the market fee of blocks before the option', () => {
  const zero = { ...QBFT, zeroBaseFee: true }
  assert.equal(refuseFirst(zero, { baseFeePerGas: 0n }), undefined)
  assert.equal(refuseFirst(zero, {}), undefined)
  assert.match(refuseFirst(zero, { baseFeePerGas: 1n }) ?? 'nothing', /^The base fee is 1, .* 0\.$/)
})

test('with fixedBaseFee a header ends before the blob fields, as in Besu, or has them all', () => {
  const fixed = { ...QBFT, fixedBaseFee: true }
  const { withdrawalsRoot } = networkOf(fixed).parent.header
  const short = { ...NO_OPTIONAL_FIELDS, baseFeePerGas: 1_000n, withdrawalsRoot }
  assert.equal(refuseFirst(fixed, short), undefined)
  assert.equal(refuseFirst(fixed, {}), undefined)
  assert.match(refuseFirst(fixed, { ...short, withdrawalsRoot: undefined }) ?? '', /lacks withdrawalsRoot/)
  assert.match(refuseFirst(fixed, { requestsHash: undefined }) ?? '', /has blobGasUsed/)
  assert.match(refuseFirst(QBFT, short) ?? '', /lacks blobGasUsed/)
})

test('without londonBlock neither the gas limit doubles nor does the base fee begin above 0, as in Besu', () => {
  const shanghai = { chainId: 1, qbft: {}, berlinBlock: 0, shanghaiTime: 1 }
  const fields = { baseFeePerGas: 0n, withdrawalsRoot: EMPTY_TRIE_ROOT }
  assert.equal(refuseFirst(shanghai, fields), undefined)
  assert.match(refuseFirst(shanghai, { ...fields, gasLimit: 60_000_000n }) ?? '', /too far from/)
  assert.match(refuseFirst(shanghai, { ...fields, baseFeePerGas: 1_000_000_000n }) ?? '', /^The base fee/)
})
