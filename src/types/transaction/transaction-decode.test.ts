import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { concatBytes } from '#types/bytes.ts'
import type { Fault } from '#types/fault.ts'
import { parseData } from '#types/hex.ts'
import { decodeRlp, encodeRlp, type RlpItem } from '#types/rlp.ts'
import { anySignature, anyTransaction, PLAIN_TRANSACTIONS } from './transaction.fixture.ts'
import { decodeTransaction } from './transaction-decode.ts'
import { completeTransaction } from './transaction-encode.ts'

/** The example of EIP-155, signed. */
const EIP_155 = parseData(
  '0xf86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a76400008025a0' +
    '28ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276a067cbe9d8997f761aecb703304b' +
    '3800ccf555c9f3dc64214b297fb1966a3b6d83',
)
const SIGNATURE = { yParity: 1, r: 1n, s: 2n } as const
const EMPTY = new Uint8Array(0)

function refuses(bytes: Uint8Array, sentence: RegExp): void {
  assert.throws(
    () => decodeTransaction(bytes),
    (fault: Fault) => fault.kind === 'INVALID_TRANSACTION' && sentence.test(fault.data.sentence),
  )
}

/** The plain transaction of a type, with one item of its list replaced. */
function withItem(type: number, at: number, item: RlpItem): Uint8Array {
  const { encoded } = completeTransaction(PLAIN_TRANSACTIONS[type]!, SIGNATURE)
  const fields = [...(decodeRlp(type === 0 ? encoded : encoded.subarray(1)) as RlpItem[])]
  fields[at] = item
  return type === 0 ? encodeRlp(fields) : concatBytes(Uint8Array.of(type), encodeRlp(fields))
}

test('the example of EIP-155 has its known hash and fields', () => {
  const transaction = decodeTransaction(EIP_155)
  assert.equal(transaction.hash, '0x33469b22e9f636356c4160a87eb19df52b7412e8eac32a4a55ffe88ea8350788')
  assert.deepEqual(transaction, {
    ...PLAIN_TRANSACTIONS[0],
    yParity: 0,
    r: 0x28ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276n,
    s: 0x67cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83n,
    hash: transaction.hash,
    encoded: EIP_155,
  })
})

test('an encoded transaction decodes to itself', () => {
  fc.assert(
    fc.property(anyTransaction, anySignature, (unsigned, signature) => {
      const transaction = completeTransaction(unsigned, signature)
      assert.deepEqual(decodeTransaction(transaction.encoded), transaction)
    }),
  )
})

test('the hash is computed by the given function', () => {
  const transaction = decodeTransaction(EIP_155, () => new Uint8Array(32).fill(7))
  assert.equal(transaction.hash, `0x${'07'.repeat(32)}`)
})

test('bytes of no known type are refused', () => {
  refuses(EMPTY, /first byte/)
  refuses(Uint8Array.of(0), /first byte/)
  refuses(concatBytes(Uint8Array.of(5), EIP_155), /first byte/)
  refuses(encodeRlp(EIP_155), /first byte/)
})

test('a transaction with too few, too many or trailing bytes is refused', () => {
  refuses(EIP_155.subarray(0, -1), /RLP/)
  refuses(concatBytes(EIP_155, Uint8Array.of(0)), /bytes follow/)
  refuses(encodeRlp((decodeRlp(EIP_155) as RlpItem[]).slice(1)), /a list of 9 items/)
  for (const type of [1, 2, 3, 4])
    refuses(concatBytes(Uint8Array.of(type), EIP_155), /a list of 1[1-4] items/)
})

test('the v of a legacy transaction is 27, 28, or at least 37', () => {
  for (const v of [0, 1, 26, 29, 34, 35, 36]) {
    refuses(withItem(0, 6, v === 0 ? EMPTY : Uint8Array.of(v)), /neither 27 or 28/)
  }
  const decoded = [27, 28, 37, 38, 39].map((v) => decodeTransaction(withItem(0, 6, Uint8Array.of(v))))
  assert.deepEqual(
    decoded.map(({ chainId, yParity }) => [chainId, yParity]),
    [
      [null, 0],
      [null, 1],
      [1n, 0],
      [1n, 1],
      [2n, 0],
    ],
  )
})

test('the parity of other types is 0 or 1', () => {
  refuses(withItem(1, 8, Uint8Array.of(2)), /parity/)
  refuses(withItem(2, 9, Uint8Array.of(27)), /parity/)
  assert.equal(decodeTransaction(withItem(2, 9, EMPTY)).yParity, 0)
})

test('numbers have no leading zeros and fit in their bits', () => {
  refuses(withItem(0, 0, Uint8Array.of(0)), /leading zeros/)
  refuses(withItem(0, 0, new Uint8Array(9).fill(1)), /at most 8 bytes/)
  refuses(withItem(0, 2, new Uint8Array(9).fill(1)), /at most 8 bytes/)
  refuses(withItem(0, 4, new Uint8Array(33).fill(1)), /at most 32 bytes/)
  refuses(withItem(2, 3, new Uint8Array(33).fill(1)), /at most 32 bytes/)
})

test('a recipient has 20 bytes, or none if a contract may be created', () => {
  for (const [type, at] of [
    [0, 3],
    [1, 4],
    [2, 5],
  ] as const) {
    assert.equal(decodeTransaction(withItem(type, at, EMPTY)).to, null)
    refuses(withItem(type, at, new Uint8Array(19)), /20 bytes/)
    refuses(withItem(type, at, []), /byte string/)
  }
  refuses(withItem(3, 5, EMPTY), /20 bytes/)
  refuses(withItem(4, 5, EMPTY), /20 bytes/)
})

test('lists have entries of the right shape', () => {
  const address = new Uint8Array(20)
  const key = new Uint8Array(32)
  for (const list of [EMPTY, [address], [[address]], [[address, key]], [[key, []]], [[address, [address]]]]) {
    refuses(withItem(1, 7, list), /RLP/)
    refuses(withItem(4, 8, list), /RLP/)
  }
  for (const list of [EMPTY, [address], [[key]]]) refuses(withItem(3, 10, list), /RLP/)
  const authorization = [EMPTY, address, EMPTY, EMPTY, EMPTY]
  for (const list of [[address], [authorization], [[...authorization, key]], [[...authorization, [EMPTY]]]]) {
    refuses(withItem(4, 9, list), /RLP/)
  }
  assert.ok(decodeTransaction(withItem(4, 9, [[...authorization, EMPTY]])))
})
