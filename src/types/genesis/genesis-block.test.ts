import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashHeader } from '#types/block/block-header.ts'
import { EMPTY_TRIE_ROOT } from '#types/block/ordered-trie-root.ts'
import { parseHash } from '#types/hash.ts'
import { formatDigits } from '#types/hex.ts'
import { type Genesis, parseGenesis } from './genesis.ts'
import { genesisBlock, genesisHeader } from './genesis-block.ts'

const ROOT = parseHash('0xd7f8974fb5ac78d9ac099b9ad5018bedc2ce0a72dad1827a1709da30580f0544')

function parse(file: object): Genesis {
  const verdict = parseGenesis(JSON.stringify(file))
  assert.ok(verdict.ok)
  return verdict.genesis
}

test('block 0 of mainnet has its known hash', () => {
  const genesis = parse({
    config: { ethash: {} },
    nonce: '0x42',
    difficulty: '0x400000000',
    gasLimit: '0x1388',
    extraData: '0x11bbe8db4e347b4e8c937c1c8370e4b5ed33adb3db69cbdb7a38e1e50b1b82fa',
  })
  const hash = '0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3'
  assert.equal(hashHeader(genesisBlock(genesis, ROOT).header), hash)
})

test('the forks at block 0 determine its fields', () => {
  const plain = { difficulty: '0x1', gasLimit: '0x1' }
  const before = genesisBlock(parse({ ...plain, config: {} }), ROOT)
  assert.deepEqual([before.header.baseFeePerGas, before.withdrawals], [undefined, undefined])
  const { header, withdrawals } = genesisBlock(
    parse({
      ...plain,
      baseFeePerGas: '0x7',
      excessBlobGas: '0x5',
      config: { londonBlock: 0, pragueTime: 0 },
    }),
    ROOT,
  )
  assert.deepEqual(withdrawals, [])
  assert.deepEqual(
    [header.baseFeePerGas, header.withdrawalsRoot, header.blobGasUsed, header.excessBlobGas],
    [7n, EMPTY_TRIE_ROOT, 0n, 5n],
  )
  assert.equal(header.requestsHash, '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
  assert.deepEqual([header.blockAccessListHash, header.slotNumber], [undefined, undefined])
})

test('the extra data of the file is copied to block 0', () => {
  const file = { difficulty: '0x1', gasLimit: '0x1', extraData: '0xc0ffee', config: { qbft: {} } }
  const header = genesisHeader(parse(file), ROOT)
  assert.equal(formatDigits(header.extraData), 'c0ffee')
})
