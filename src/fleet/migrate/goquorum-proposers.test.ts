import { deepStrictEqual, match } from 'node:assert'
import { test } from 'node:test'
import { addressToBytes, parseAddress } from '#types/address.ts'
import { encodeGenesisExtraData } from '#types/block/bft-extra-data.ts'
import { concatBytes } from '#types/bytes.ts'
import { formatData } from '#types/hex.ts'
import { JsonObject } from '#types/json/json-value.ts'
import { encodeRlp } from '#types/rlp.ts'
import { adviseProposerOrder } from './goquorum-proposers.ts'

const ALIKE = ['11', '22', '33', '44'].map((byte) => parseAddress(byte.repeat(20)))
const DIFFERENT = [
  ...ALIKE,
  parseAddress('a5cc3c03994db5b0d9a5eedd10cabab0813678ac'),
  parseAddress('cc'.repeat(20)),
]
const LINE = 'bft-proposer-order = "CHECKSUM"'

function genesisOf(extraData: Uint8Array): JsonObject {
  return new JsonObject([['extraData', formatData(extraData)]])
}

test("GoQuorum's order is advised only for validators whose orders differ", () => {
  deepStrictEqual(adviseProposerOrder(genesisOf(encodeGenesisExtraData('qbft', ALIKE)), undefined).config, [])
  const { config, note } = adviseProposerOrder(
    genesisOf(encodeGenesisExtraData('qbft', DIFFERENT)),
    undefined,
  )
  deepStrictEqual(config.at(-1), LINE)
  match(note[2], /differs for these 6 validators; set bft-proposer-order = "CHECKSUM" on every Cairn node/)
})

test('IBFT extra data is read too', () => {
  const list = encodeRlp([DIFFERENT.map(addressToBytes), new Uint8Array(0), []])
  deepStrictEqual(
    adviseProposerOrder(genesisOf(concatBytes(new Uint8Array(32), list)), undefined).config.at(-1),
    LINE,
  )
})

test('the last block counts more than the genesis file', () => {
  const genesis = genesisOf(encodeGenesisExtraData('qbft', ALIKE))
  deepStrictEqual(adviseProposerOrder(genesis, encodeGenesisExtraData('qbft', DIFFERENT)).config.at(-1), LINE)
})

test('the line is a comment if the validators are unknown', () => {
  for (const extraData of [encodeGenesisExtraData('qbft', []), new Uint8Array(3), new Uint8Array(0)]) {
    deepStrictEqual(adviseProposerOrder(genesisOf(extraData), undefined).config.at(-1), `# ${LINE}`)
  }
  deepStrictEqual(adviseProposerOrder(new JsonObject(), undefined).note[1], 'ignored')
})
