import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type TestValidator, testNetwork, testValidators } from '#consensus/network.fixture.ts'
import { VoteHistory } from '#consensus/validators/vote-history.ts'
import { type Address, parseAddress } from '#types/address.ts'
import { BFT_MIX_HASH } from '#types/block/bft-header.ts'
import { legacyIbftBlockHash } from '#types/block/bft-header-hash.ts'
import { PLAIN_HEADER } from '#types/block/block.fixture.ts'
import { type BlockHeader, hashHeader } from '#types/block/block-header.ts'
import { encodeLegacyIbftExtraData } from '#types/block/legacy-ibft-extra-data.ts'
import { concatBytes } from '#types/bytes.ts'
import { recoverPublicKey, sign } from '#types/curve.ts'
import { type Hash, hashToBytes } from '#types/hash.ts'
import { keccak256 } from '#types/keccak.ts'
import { refuseLegacyIbftHeader } from './refuse-header.ts'

const crypto = { keccak: keccak256, recover: recoverPublicKey }
const [a, b, c, d, e] = testValidators(5) as [
  TestValidator,
  TestValidator,
  TestValidator,
  TestValidator,
  TestValidator,
]
const NOBODY = parseAddress('00'.repeat(20))
const NO_SEAL = new Uint8Array(0)

interface LegacyBlock {
  readonly validators: readonly TestValidator[]
  readonly author: TestValidator
  readonly sealers?: readonly TestValidator[]
  readonly votesFor?: Address
  readonly parent?: BlockHeader
}

function legacyHeader({
  validators,
  author,
  sealers = validators,
  votesFor,
  parent,
}: LegacyBlock): BlockHeader {
  const addresses = validators.map(({ address }) => address)
  const content = {
    vanity: new Uint8Array(32),
    validators: addresses,
    proposerSeal: NO_SEAL,
    commitSeals: [],
  }
  const unsealed: BlockHeader = {
    ...PLAIN_HEADER,
    ...(parent && { parentHash: legacyIbftBlockHash(parent), number: parent.number + 1n }),
    timestamp: (parent?.timestamp ?? 0n) + 1n,
    mixHash: BFT_MIX_HASH,
    coinbase: votesFor ?? NOBODY,
    nonce: votesFor === undefined ? 0n : 2n ** 64n - 1n,
    extraData: encodeLegacyIbftExtraData(content),
  }
  const proposerSeal = sign(author.key, keccak256(hashToBytes(hashHeader(unsealed))))
  const proposed = { ...unsealed, extraData: encodeLegacyIbftExtraData({ ...content, proposerSeal }) }
  const committed = keccak256(concatBytes(hashToBytes(legacyIbftBlockHash(proposed)), Uint8Array.of(2)))
  const commitSeals = sealers.map(({ key }) => sign(key, committed))
  return { ...unsealed, extraData: encodeLegacyIbftExtraData({ ...content, proposerSeal, commitSeals }) }
}

test('a legacy IBFT header needs its proposer, its validators and enough of their seals', () => {
  const settings = {
    blockPeriodSeconds: 1,
    blockPeriodMilliseconds: 0,
    emptyBlockPeriodSeconds: 0,
    validatorContract: undefined,
  }
  const validators = [a, b, c, d]
  const addresses = validators.map(({ address }) => address)
  const problemOf = (block: Partial<LegacyBlock>, change: Partial<BlockHeader> = {}) => {
    const header = { ...legacyHeader({ validators, author: a, ...block }), ...change }
    const parent = { ...PLAIN_HEADER, timestamp: 0n }
    const context = { header, parent, settings, crypto, validators: addresses, nowMs: 5_000, hasSeals: true }
    return refuseLegacyIbftHeader(context)
  }
  assert.equal(problemOf({}), undefined)
  assert.equal(problemOf({ sealers: [a, b, c] }), undefined)
  assert.match(problemOf({ sealers: [a, b] }) ?? '', /2 seals, and 3 are needed/)
  assert.match(problemOf({ sealers: [a, b, e] }) ?? '', /^It has a seal of/)
  assert.match(problemOf({ sealers: [a, b, b] }) ?? '', /^Two seals/)
  assert.match(problemOf({ author: e }) ?? '', /^Proposer .* is not a validator/)
  assert.match(problemOf({ validators: [a, b, c] }) ?? '', /^It lists the validators/)
  assert.match(problemOf({}, { difficulty: 2n }) ?? '', /^The difficulty/)
})

test('a legacy IBFT proposer votes by coinbase and nonce', () => {
  const config = { ...testNetwork({ qbft: {} }, [a]).config }
  const ibft = { epochLength: 30_000n, blockPeriodSeconds: 1 }
  const headers = new Map<Hash, BlockHeader>()
  const history = new VoteHistory({
    config: { ...config, consensus: { protocol: 'ibft', ibft } },
    crypto,
    findHeader: (hash) => headers.get(hash),
  })
  const validators = [a, b, c]
  let parent: BlockHeader = { ...legacyHeader({ validators, author: a }), number: 0n }
  headers.set(legacyIbftBlockHash(parent), parent)
  const validatorsAfter = (next: Omit<LegacyBlock, 'parent' | 'validators'>) => {
    parent = legacyHeader({ validators, parent, ...next })
    const hash = legacyIbftBlockHash(parent)
    headers.set(hash, parent)
    return history.after({ hash, header: parent }).validators.length
  }
  assert.equal(validatorsAfter({ author: a, votesFor: d.address }), 3)
  assert.equal(validatorsAfter({ author: a, votesFor: d.address }), 3)
  assert.equal(validatorsAfter({ author: c }), 3)
  assert.equal(validatorsAfter({ author: b, votesFor: d.address }), 4)
})
