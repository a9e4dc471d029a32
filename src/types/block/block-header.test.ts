import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashFromBytes, parseHash } from '#types/hash.ts'
import { keccak256 } from '#types/keccak.ts'
import { decodeRlp, encodeRlp, type RlpItem } from '#types/rlp.ts'
import { FULL_HEADER, PLAIN_HEADER } from './block.fixture.ts'
import { type BlockHeader, decodeHeader, encodeHeader, hashHeader } from './block-header.ts'

const OPTIONAL = [
  'baseFeePerGas',
  'withdrawalsRoot',
  'blobGasUsed',
  'excessBlobGas',
  'parentBeaconBlockRoot',
  'requestsHash',
  'blockAccessListHash',
  'slotNumber',
] as const satisfies readonly (keyof BlockHeader)[]

/** The full header with this many fields. */
function headerOf(fields: number): BlockHeader {
  const absent = OPTIONAL.slice(fields - 15)
  return { ...FULL_HEADER, ...Object.fromEntries(absent.map((field) => [field, undefined])) }
}

test('a header of 15 to 23 fields survives its encoding', () => {
  for (let fields = 15; fields <= 23; fields++) {
    const encoded = encodeHeader(headerOf(fields))
    assert.equal((decodeRlp(encoded) as RlpItem[]).length, fields)
    assert.deepEqual(decodeHeader(encoded), headerOf(fields))
  }
})

test('block 1 of mainnet has its known hash', () => {
  const header: BlockHeader = {
    ...PLAIN_HEADER,
    parentHash: parseHash('0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3'),
    coinbase: '0x05a56e2d52c817161883f50c441c3228cfe54d9f' as BlockHeader['coinbase'],
    stateRoot: parseHash('0xd67e4d450343046425ae4271474353857ab860dbc0a1dde64b41b5cd3a532bf3'),
    difficulty: 17_171_480_576n,
    number: 1n,
    gasLimit: 5_000n,
    timestamp: 1_438_269_988n,
    extraData: new TextEncoder().encode('Geth/v1.0.0/linux/go1.4.2'),
    mixHash: parseHash('0x969b900de27b6ac6a67742365dd65f55a0526c41fd18e1b16f1a1215c2e66f59'),
    nonce: 0x539bd4979fef1ec4n,
  }
  assert.equal(hashHeader(header), '0x88e96d4537bea4d9c05d12549907b32561d3bf31f45aae734cdc119f13406cb6')
})

test('the hash covers the encoded header', () => {
  assert.equal(hashHeader(FULL_HEADER), hashFromBytes(keccak256(encodeHeader(FULL_HEADER))))
})

test('a header with a gap in its fields is a bug', () => {
  assert.throws(() => encodeHeader({ ...FULL_HEADER, blobGasUsed: undefined }), { name: 'AssertionFailure' })
})

test('a header with other fields is refused', () => {
  const fields = decodeRlp(encodeHeader(FULL_HEADER)) as RlpItem[]
  const refuses = (items: RlpItem): void =>
    assert.throws(() => decodeHeader(encodeRlp(items)), { name: 'Fault', kind: 'INVALID_HEADER' })
  refuses(fields.slice(0, 14))
  refuses([...fields, new Uint8Array(0)])
  refuses(new Uint8Array(0))
  refuses([])
  for (const [at, item] of [
    [0, new Uint8Array(31)],
    [2, new Uint8Array(32)],
    [6, new Uint8Array(255)],
    [7, new Uint8Array(33).fill(1)],
    [8, new Uint8Array(9).fill(1)],
    [11, Uint8Array.of(0)],
    [12, []],
    [14, new Uint8Array(7)],
    [16, new Uint8Array(0)],
    [22, new Uint8Array(9).fill(1)],
  ] as const) {
    refuses(fields.with(at, item))
  }
})
