import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KnownHeader, ReceivedBlock } from '#chain/block/stages.ts'
import { call, offer, openTestChain, templateOf } from '#chain/chain.fixture.ts'
import { type Rules, rulesAt } from '#evm/rules.ts'
import { encodeGenesisExtraData } from '#types/block/bft-extra-data.ts'
import { PLAIN_HEADER } from '#types/block/block.fixture.ts'
import { type Block, bodyBytesIn, encodeBlock } from '#types/block/block.ts'
import { encodeHeader } from '#types/block/block-header.ts'
import { parseGenesis } from '#types/genesis/genesis.ts'
import { hashFromBytes } from '#types/hash.ts'
import { formatData } from '#types/hex.ts'
import { keccak256 } from '#types/keccak.ts'
import { rlpListHeader } from '#types/rlp.ts'
import type { Transaction } from '#types/transaction/transaction.ts'
import { MAX_BODY_BYTES, refuseSize, transactionsMaxBytes } from './block-size.ts'

const EIP_7934 = 8 * 1024 * 1024
const OSAKA = {
  chainId: 1337,
  berlinBlock: 0,
  londonBlock: 0,
  shanghaiTime: 0,
  cancunTime: 0,
  pragueTime: 0,
  osakaTime: 0,
}
const BFT = { ...OSAKA, zeroBaseFee: true, qbft: {} }

function genesisOf(config: object) {
  const verdict = parseGenesis(
    JSON.stringify({
      config,
      extraData: formatData(encodeGenesisExtraData('qbft', [`0x${'11'.repeat(20)}` as never])),
      gasLimit: '0x1c9c380',
      difficulty: '0x1',
    }),
  )
  assert.ok(verdict.ok)
  return verdict.genesis
}

function rulesOf(config: object): Rules {
  return rulesAt(genesisOf(config).config, PLAIN_HEADER)
}

test('the limit of a BFT block counts no seals, and Osaka does not change it', () => {
  for (const config of [BFT, { ...BFT, osakaTime: undefined }]) {
    const rules = rulesOf(config)
    for (const seals of [0, 4, 200]) {
      const header = { ...PLAIN_HEADER, extraData: new Uint8Array(100 + 67 * seals) }
      assert.equal(refuseSize(header, MAX_BODY_BYTES, rules), undefined)
      assert.equal(refuseSize(header, EIP_7934 + 1, rules), undefined)
      assert.match(refuseSize(header, MAX_BODY_BYTES + 1, rules) ?? '', /more than 9437184/)
    }
    assert.ok(transactionsMaxBytes(rules) < MAX_BODY_BYTES)
  }
})

test('outside of BFT networks a complete block from Osaka on has at most 8 MiB', () => {
  const rules = rulesOf({ ...OSAKA, ethash: { fixeddifficulty: 1 } })
  const header = { ...PLAIN_HEADER, extraData: new Uint8Array(32) }
  const most = EIP_7934 - rlpListHeader(EIP_7934).length - encodeHeader(header).length
  assert.equal(refuseSize(header, most, rules), undefined)
  assert.match(refuseSize(header, most + 1, rules) ?? '', /8388609 bytes, more than 8388608/)
  assert.ok(transactionsMaxBytes(rules) < most)
})

test('a message with the longest block has room for header, seals and justifications in 10 MiB', () => {
  assert.ok(10 * 1024 * 1024 - MAX_BODY_BYTES >= 1024 * 1024)
})

/** A child block whose body is one byte too long, in a single malformed transaction. */
function overlong(parent: KnownHeader, extraData: Uint8Array): ReceivedBlock {
  const { header, hash: parentHash } = parent
  const place = { parentHash, number: header.number + 1n, timestamp: header.timestamp + 1n }
  const next = { ...header, ...place, baseFeePerGas: 0n, extraData }
  const transactions = [{ type: 0, encoded: new Uint8Array(MAX_BODY_BYTES) } as unknown as Transaction]
  const block: Block = { header: next, transactions, ommers: [], withdrawals: [] }
  const hash = hashFromBytes(keccak256(encodeHeader(next)))
  return { stage: 'received', hash, block, bodyBytes: bodyBytesIn(encodeBlock(block)) }
}

test('every path refuses a block that is too long, with the same sentence', async () => {
  const chain = await openTestChain()
  const first = await chain.build(templateOf(chain), offer([call(0)]))
  const { extraData } = templateOf(chain)
  const genesis = chain.head
  await chain.importBlock(chain.receive(first.encoded))
  const onHead = overlong(chain.head, extraData)
  const beside = overlong(genesis, extraData)
  const sentenceOf = (verdict: { ok: boolean; sentence?: string }) => verdict.ok || verdict.sentence
  const many = await chain.importMany([onHead])
  const sentences = [
    sentenceOf(await chain.validate(onHead, { validation: 'light' })),
    sentenceOf(await chain.importBlock(onHead)),
    sentenceOf(await chain.importBlock(beside)),
    sentenceOf(many),
  ]
  for (const sentence of sentences)
    assert.match(String(sentence), /The body has \d+ bytes, more than 9437184/)
  await chain.close()
})
