import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Chain } from '#chain/write/create-chain.ts'
import { type BftProtocol, decodeBftExtraData, encodeBftExtraData } from '#types/block/bft-extra-data.ts'
import { type Block, decodeBlock, encodeBlock } from '#types/block/block.ts'
import { decodeHeader, encodeHeader } from '#types/block/block-header.ts'
import { ommersHash, withdrawalsRoot } from '#types/block/block-roots.ts'
import { MAX_UINT64 } from '#types/bytes.ts'
import { decodeRlp, encodeRlp, type RlpItem } from '#types/rlp.ts'
import { makeBlock, openTestNetwork, sealBlock, testNetwork, testValidators } from './network.fixture.ts'

const FORKS = { londonBlock: 0, shanghaiTime: 0, cancunTime: 0, pragueTime: 0, osakaTime: 0 }
const validators = testValidators(4)

/**
 * A network of four validators with two blocks, and a candidate for the third. `chain` built it, and `other` has not seen it.
 */
async function openNetwork(protocol: BftProtocol) {
  const config = { ...FORKS, zeroBaseFee: undefined, [protocol]: {} }
  const genesis = testNetwork(config, validators)
  const { chain } = await openTestNetwork(genesis)
  const { chain: other } = await openTestNetwork(genesis)
  const next = { protocol, validators, author: validators[0]! }
  for (let number = 1; number <= 2; number++) {
    const block = await makeBlock(chain, next)
    for (const each of [chain, other]) assert.ok((await each.importBlock(each.receive(block))).ok)
  }
  const honest = decodeBlock(await makeBlock(chain, next))
  /** The block with changes, sealed by all validators. */
  const change = (changed: Partial<Block>): Uint8Array =>
    sealBlock(protocol, encodeBlock({ ...honest, ...changed }), validators)
  return { chain, other, honest, change }
}

/** The verdicts on a block as a proposal and as a block from a peer. */
async function verdictsOf(chain: Chain, encoded: Uint8Array): Promise<readonly string[]> {
  const proposed = await chain.validate(chain.receive(encoded), { validation: 'light' })
  const imported = await chain.importBlock(chain.receive(encoded))
  return [proposed, imported].map((verdict) => (verdict.ok ? 'accepted' : verdict.sentence))
}

for (const protocol of ['qbft', 'ibft2'] as const) {
  test(`${protocol}: a proposal and an imported block are refused for withdrawals`, async () => {
    const { chain, honest, change } = await openNetwork(protocol)
    const thief = { index: 0n, validatorIndex: 0n, address: validators[0]!.address, amountGwei: 1n }
    const header = { ...honest.header, withdrawalsRoot: withdrawalsRoot([thief]) }
    for (const said of await verdictsOf(chain, change({ header, withdrawals: [thief] }))) {
      assert.equal(said, 'The block has 1 withdrawals, which BFT networks do not have.')
    }
  })

  test(`${protocol}: a proposal and an imported block are refused for ommers, sealed or not`, async () => {
    const { chain, honest, change } = await openNetwork(protocol)
    for (const ommer of [chain.head.header, { ...chain.head.header, nonce: 77n }]) {
      const header = { ...honest.header, ommersHash: ommersHash([ommer]) }
      for (const said of await verdictsOf(chain, change({ header, ommers: [ommer] }))) {
        assert.equal(said, 'The header names ommers, which BFT networks do not have.')
      }
    }
  })

  test(`${protocol}: a nonce is refused`, async () => {
    const { chain, honest, change } = await openNetwork(protocol)
    for (const said of await verdictsOf(chain, change({ header: { ...honest.header, nonce: 1n } }))) {
      assert.equal(said, 'The nonce is 1, and not 0.')
    }
  })
}

test('blob gas that the transactions did not use is refused', async () => {
  const { chain, honest, change } = await openNetwork('qbft')
  const header = { ...honest.header, blobGasUsed: 131_072n }
  for (const said of await verdictsOf(chain, change({ header }))) {
    assert.equal(said, 'The blobs used 0 gas, and the header says 131072.')
  }
})

test('a node continues after a block with the largest excess blob gas', async () => {
  const { other, honest, change } = await openNetwork('qbft')
  const block = change({ header: { ...honest.header, excessBlobGas: MAX_UINT64 } })
  assert.ok((await other.importBlock(other.receive(block), { validation: 'none' })).ok)
  const startedMs = performance.now()
  const next = { validators, author: validators[0]! }
  assert.ok((await other.importBlock(other.receive(await makeBlock(other, next)))).ok)
  assert.ok(performance.now() - startedMs < 5_000)
  assert.equal(other.head.header.excessBlobGas, MAX_UINT64 - 6n * 131_072n)
})

test('one validator of four cannot lower the gas limit far', async () => {
  const { other } = await openNetwork('qbft')
  const first = other.head.header.gasLimit
  for (let turn = 0; turn < 16; turn++) {
    const { gasLimit } = other.head.header
    const change = turn % 4 === 0 ? { gasLimit: gasLimit - gasLimit / 1_024n + 1n } : {}
    const block = await makeBlock(other, { validators, author: validators[turn % 4]!, change })
    assert.ok((await other.importBlock(other.receive(block))).ok)
  }
  assert.equal(other.head.header.gasLimit, first)
})

test('an executed body does not stand for another one under the same hash', async () => {
  const { chain, other, honest, change } = await openNetwork('qbft')
  const wrong = change({ ommers: [honest.header] })
  for (const said of await verdictsOf(chain, wrong)) {
    assert.equal(said, 'The body differs from the body executed with this header.')
  }
  for (const said of await verdictsOf(other, wrong)) {
    assert.equal(said, 'The block names 1 ommers, which BFT networks do not have.')
  }
})

test('padded extra data is refused, and the original block is not', async () => {
  const { chain, other, change } = await openNetwork('qbft')
  const honest = change({})
  const padded = withExtraData(honest, (items) => [...items, new Uint8Array(100_000)])
  assert.equal(chain.receive(padded).hash, chain.receive(honest).hash)
  for (const each of [chain, other]) {
    for (const said of await verdictsOf(each, padded)) {
      assert.equal(said, 'The extra data is not in canonical form.')
    }
    assert.deepEqual(await verdictsOf(each, honest), ['accepted', 'accepted'])
  }
})

test('another encoding of a vote is refused', async () => {
  const { chain, change } = await openNetwork('qbft')
  const vote = [validators[1]!.key.subarray(0, 20), Uint8Array.of(0)]
  const voting = withExtraData(change({}), ([vanity, listed, , ...rest]) => [vanity!, listed!, vote, ...rest])
  for (const said of await verdictsOf(chain, voting)) {
    assert.equal(said, 'The extra data is not in canonical form.')
  }
})

test('a proposal with more seals than validators is refused before they are checked', async () => {
  const { chain, other, change } = await openNetwork('qbft')
  const { header, ...body } = decodeBlock(change({}))
  const content = decodeBftExtraData('qbft', header.extraData)
  const seals = [...content.seals, ...content.seals]
  const extraData = encodeBftExtraData('qbft', { ...content, seals })
  for (const each of [chain, other]) {
    for (const said of await verdictsOf(each, encodeBlock({ header: { ...header, extraData }, ...body }))) {
      assert.equal(said, 'It has 8 seals, and there are 4 validators.')
    }
  }
})

test('a vanity of another length is refused', async () => {
  const { chain, change } = await openNetwork('qbft')
  const long = withExtraData(change({}), ([, ...rest]) => [new Uint8Array(33), ...rest])
  for (const said of await verdictsOf(chain, long)) assert.equal(said, 'The vanity has 33 bytes, and not 32.')
})

function withExtraData(encoded: Uint8Array, change: (items: readonly RlpItem[]) => RlpItem): Uint8Array {
  const block = decodeBlock(encoded)
  const items = decodeRlp(block.header.extraData) as readonly RlpItem[]
  const header = decodeHeader(encodeHeader({ ...block.header, extraData: encodeRlp(change(items)) }))
  return encodeBlock({ ...block, header })
}
