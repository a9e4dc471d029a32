import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { addressFromBytes, parseAddress } from '#types/address.ts'
import { Fault } from '#types/fault.ts'
import { formatData, parseData } from '#types/hex.ts'
import { encodeRlp, type RlpItem } from '#types/rlp.ts'
import {
  type BftEncoding,
  type BftExtraData,
  type BftProtocol,
  decodeBftExtraData,
  decodeBftVote,
  encodeBftExtraData,
  VANITY_BYTES,
} from './bft-extra-data.ts'

const PROTOCOLS: readonly BftProtocol[] = ['ibft2', 'qbft']
const EMPTY = new Uint8Array(0)
const RECIPIENT = new Uint8Array(20).fill(1)

const addresses = fc.uint8Array({ minLength: 20, maxLength: 20 }).map(addressFromBytes)
// fast-check creates objects without a prototype by default, which deepEqual distinguishes.
const plain = { noNullPrototype: true }
const votes = fc.record(
  { recipient: addresses, type: fc.constantFrom('add' as const, 'drop' as const) },
  plain,
)
const extraDatas: fc.Arbitrary<BftExtraData> = fc.record(
  {
    vanity: fc.uint8Array({ minLength: VANITY_BYTES, maxLength: VANITY_BYTES }),
    validators: fc.array(addresses),
    vote: fc.option(votes),
    round: fc.nat({ max: 2 ** 32 - 1 }),
    seals: fc.array(
      fc.uint8Array({ minLength: 65, maxLength: 65 }).map((seal) => seal.fill(seal[64]! & 1, 64)),
    ),
  },
  plain,
)

const genesis: BftExtraData = {
  vanity: new Uint8Array(VANITY_BYTES),
  validators: [
    parseAddress('0xbe068f726a13c8d46c44be6ce9d275600e1735a4'),
    parseAddress('0x5ff6f4b66a46a2b2310a6f3a93aaddc0d9a1c193'),
  ],
  vote: null,
  round: 0,
  seals: [],
}
const GENESIS_START = `a0${'00'.repeat(32)}ea94be068f726a13c8d46c44be6ce9d275600e1735a4945ff6f4b66a46a2b2310a6f3a93aaddc0d9a1c193`

function refuses(protocol: BftProtocol, fields: RlpItem): void {
  const bytes = encodeRlp(fields)
  assert.throws(() => decodeBftExtraData(protocol, bytes), { name: 'Fault', kind: 'INVALID_EXTRA_DATA' })
}

test('a genesis is encoded as Besu does it', () => {
  assert.equal(formatData(encodeBftExtraData('qbft', genesis)), `0xf84f${GENESIS_START}c080c0`)
  assert.equal(formatData(encodeBftExtraData('ibft2', genesis)), `0xf853${GENESIS_START}808400000000c0`)
})

test('encoded content decodes to itself', () => {
  fc.assert(
    fc.property(fc.constantFrom(...PROTOCOLS), extraDatas, (protocol, extraData) => {
      assert.deepEqual(decodeBftExtraData(protocol, encodeBftExtraData(protocol, extraData)), extraData)
    }),
  )
})

test('the signed form omits the seals, and the hashed form also omits the round', () => {
  fc.assert(
    fc.property(fc.constantFrom(...PROTOCOLS), extraDatas, extraDatas, (protocol, one, other) => {
      const encode = (content: BftExtraData, encoding: BftEncoding) =>
        formatData(encodeBftExtraData(protocol, content, encoding))
      const resealed = { ...one, seals: other.seals }
      const moved = { ...resealed, round: other.round }
      assert.equal(encode(resealed, 'withoutSeals'), encode(one, 'withoutSeals'))
      assert.equal(encode(moved, 'forHash'), encode(one, 'forHash'))
      assert.equal(encode(moved, 'withoutSeals') === encode(one, 'withoutSeals'), other.round === one.round)
    }),
  )
})

test('IBFT 2.0 drops omitted fields, QBFT empties them', () => {
  const content: BftExtraData = { ...genesis, validators: [], round: 1, seals: [new Uint8Array(65)] }
  const start = `a0${'00'.repeat(32)}c0`
  const encode = (protocol: BftProtocol, encoding: BftEncoding) =>
    formatData(encodeBftExtraData(protocol, content, encoding))
  assert.equal(encode('ibft2', 'withoutSeals'), `0xe8${start}808400000001`)
  assert.equal(encode('ibft2', 'forHash'), `0xe3${start}80`)
  assert.equal(encode('qbft', 'withoutSeals'), `0xe5${start}c001c0`)
  assert.equal(encode('qbft', 'forHash'), `0xe5${start}c080c0`)
})

test('a QBFT drop is decoded from nothing and from zero, an IBFT 2.0 drop from zero only', () => {
  const decode = (protocol: BftProtocol, round: RlpItem, type: RlpItem) =>
    decodeBftExtraData(protocol, encodeRlp([EMPTY, [], [RECIPIENT, type], round, []])).vote?.type
  for (const nothing of [EMPTY, [], Uint8Array.of(0)]) assert.equal(decode('qbft', EMPTY, nothing), 'drop')
  assert.equal(decode('ibft2', new Uint8Array(4), Uint8Array.of(0)), 'drop')
  refuses('ibft2', [EMPTY, [], [RECIPIENT, EMPTY], new Uint8Array(4), []])
})

test('an absent vote in the form of the other protocol is refused', () => {
  refuses('qbft', [EMPTY, [], EMPTY, EMPTY, []])
  refuses('ibft2', [EMPTY, [], [], new Uint8Array(4), []])
})

test('further items are ignored by QBFT and refused by IBFT 2.0', () => {
  const fields = [EMPTY, [], [], EMPTY, [], Uint8Array.of(1), [EMPTY]]
  assert.equal(decodeBftExtraData('qbft', encodeRlp(fields)).round, 0)
  refuses('ibft2', [EMPTY, [], EMPTY, new Uint8Array(4), [], EMPTY])
})

test('content of the wrong shape is refused', () => {
  const round = new Uint8Array(4)
  for (const fields of [
    EMPTY,
    [],
    [EMPTY, [], EMPTY, round],
    [[], [], EMPTY, round, []],
    [EMPTY, EMPTY, EMPTY, round, []],
    [EMPTY, [new Uint8Array(19)], EMPTY, round, []],
    [EMPTY, [], [RECIPIENT], round, []],
    [EMPTY, [], [RECIPIENT, Uint8Array.of(0xaa)], round, []],
    [EMPTY, [], EMPTY, new Uint8Array(3), []],
    [EMPTY, [], EMPTY, round, EMPTY],
    [EMPTY, [], EMPTY, round, [new Uint8Array(64)]],
    [EMPTY, [], EMPTY, round, [new Uint8Array(65).fill(2)]],
  ]) {
    refuses('ibft2', fields)
  }
  refuses('qbft', [EMPTY, [], [], Uint8Array.of(0), []])
  refuses('qbft', [EMPTY, [], [], new Uint8Array(5).fill(1), []])
})

test('empty extra data is refused with its purpose', () => {
  assert.throws(() => decodeBftExtraData('qbft', parseData('0x')), /empty, but QBFT needs it/)
})

test('extra data larger than any network needs is refused', () => {
  assert.throws(() => decodeBftExtraData('qbft', new Uint8Array(2 ** 20 + 1)), { kind: 'INVALID_EXTRA_DATA' })
})

test('the vote is found without decoding the rest', () => {
  for (const protocol of ['ibft2', 'qbft'] as const) {
    for (const vote of [null, { recipient: parseAddress('22'.repeat(20)), type: 'drop' } as const]) {
      const content = { vanity: new Uint8Array(32), validators: [], vote, round: 3, seals: [] }
      assert.deepEqual(decodeBftVote(protocol, encodeBftExtraData(protocol, content)), vote)
    }
    assert.throws(() => decodeBftVote(protocol, Uint8Array.of(0xc0)), Fault)
  }
})
