import assert from 'node:assert/strict'
import { equalBytes } from '#types/bytes.ts'
import { parseData } from '#types/hex.ts'
import { decodeRlp, encodeRlp } from '#types/rlp.ts'
import type { FuzzTarget } from './target.ts'

const long = new Uint8Array(300).fill(0xaa)
const transaction = parseData(
  '0xf86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a76400008025a0' +
    '28ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276a067cbe9d8997f761aecb703304b' +
    '3800ccf555c9f3dc64214b297fb1966a3b6d83',
)

const target: FuzzTarget = {
  name: 'rlp',
  seeds: () => [
    encodeRlp([]),
    encodeRlp([new Uint8Array(0), [Uint8Array.of(1), [long, []]], new Uint8Array(56)]),
    encodeRlp([[[[[[[[[[]]]]]]]]]]),
    encodeRlp(Array.from({ length: 100 }, (_, index) => Uint8Array.of(index))),
    encodeRlp([[decodeRlp(transaction), decodeRlp(transaction)], []]),
    transaction,
  ],
  run(input) {
    const encoded = encodeRlp(decodeRlp(input))
    assert.ok(equalBytes(encoded, input), 'The decoded item encodes to different bytes.')
  },
}

export default target
