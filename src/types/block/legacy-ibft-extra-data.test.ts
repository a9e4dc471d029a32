import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseAddress } from '#types/address.ts'
import { concatBytes } from '#types/bytes.ts'
import { parseData } from '#types/hex.ts'
import { encodeRlp } from '#types/rlp.ts'
import {
  decodeLegacyIbftExtraData,
  encodeLegacyIbftExtraData,
  withoutCommitSeals,
} from './legacy-ibft-extra-data.ts'

const VANITY = new Uint8Array(32)
const EMPTY = new Uint8Array(0)
const SEAL = new Uint8Array(65).fill(1)

test('the extra data of a genesis file names the validators and has no seals', () => {
  const bytes = parseData(
    `0x${'00'.repeat(32)}f86df86994a18182ee8ca476f2f0fb8170a1d4620edb39c5e194065541903bf3bb8c088a18046b441f5d286288c9` +
      '94d1e106d68cac92668b100f6f43791ddcb2c7588094d156777a1e1539fe654fc82266f41fd5d4aa548494efbbd8900222d7' +
      'b2f75d081c3e7446a1f4fe10ce80c0',
  )
  const content = decodeLegacyIbftExtraData(bytes)
  assert.equal(content.validators.length, 5)
  assert.equal(content.validators[0], '0xa18182ee8ca476f2f0fb8170a1d4620edb39c5e1')
  assert.deepEqual([content.proposerSeal.length, content.commitSeals.length], [0, 0])
  assert.deepEqual(encodeLegacyIbftExtraData(content), bytes)
})

test('without commit seals everything else stays', () => {
  const content = {
    vanity: VANITY.with(0, 9),
    validators: [parseAddress('11'.repeat(20))],
    proposerSeal: SEAL,
    commitSeals: [SEAL, SEAL],
  }
  const bytes = encodeLegacyIbftExtraData(content)
  assert.deepEqual(decodeLegacyIbftExtraData(bytes), content)
  assert.deepEqual(decodeLegacyIbftExtraData(withoutCommitSeals(bytes)), { ...content, commitSeals: [] })
})

test('other bytes are refused', () => {
  for (const bytes of [
    EMPTY,
    VANITY,
    concatBytes(VANITY, encodeRlp([])),
    concatBytes(VANITY, encodeRlp([[], EMPTY])),
    concatBytes(VANITY, encodeRlp([[VANITY], EMPTY, []])),
    concatBytes(VANITY, encodeRlp([[], VANITY, []])),
    concatBytes(VANITY, encodeRlp([[], [], []])),
    concatBytes(VANITY, encodeRlp([[], EMPTY, [VANITY]])),
    concatBytes(VANITY, encodeRlp([[], EMPTY, []]), EMPTY.subarray(0), Uint8Array.of(1)),
  ]) {
    assert.throws(() => decodeLegacyIbftExtraData(bytes), { name: 'Fault', kind: 'INVALID_EXTRA_DATA' })
  }
})
