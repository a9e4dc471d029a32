import assert from 'node:assert/strict'
import { TestNetwork } from '#consensus/bft/core/test-network.fixture.ts'
import { createIbft2Codec } from '#consensus/ibft2/wire/ibft2-codec.ts'
import { createQbftCodec } from '#consensus/qbft/wire/qbft-codec.ts'
import { decodeSignatureEntry, encodeSignatureEntry } from '#consensus/signature-entry.ts'
import { loadCrypto } from '#evm/crypto.ts'
import type { BftProtocol } from '#types/block/bft-extra-data.ts'
import { concatBytes, equalBytes } from '#types/bytes.ts'
import type { FuzzTarget } from './target.ts'

const crypto = await loadCrypto()

/** An entry of a validator that prepared a block, with its certificate. */
async function sampleOf(protocol: BftProtocol) {
  const network = new TestNetwork({ protocol, validators: 4, isDelivered: ({ kind }) => kind !== 'commit' })
  await network.start()
  await network.advance(3_000)
  const { entry } = network.nodes[3]!
  assert.ok(entry?.certificate !== undefined)
  return { entry, codec: (protocol === 'qbft' ? createQbftCodec : createIbft2Codec)(crypto, 'current') }
}

const samples = [await sampleOf('qbft'), await sampleOf('ibft2')] as const

/** The first byte of an input selects the protocol. */
const target: FuzzTarget = {
  name: 'signature-entry',
  seeds: () =>
    samples.map(({ entry, codec }, index) =>
      concatBytes(Uint8Array.of(index), encodeSignatureEntry(entry, codec)),
    ),
  run(input) {
    const { codec } = samples[(input[0] ?? 0) % 2]!
    const decode = (encoded: Uint8Array) => decodeSignatureEntry(encoded, () => codec, crypto.keccak)
    const encoded = encodeSignatureEntry(decode(input.subarray(1)), codec)
    assert.ok(
      equalBytes(encodeSignatureEntry(decode(encoded), codec), encoded),
      'The decoded entry encodes to different bytes.',
    )
  },
}

export default target
