import assert from 'node:assert/strict'
import { MessageBench } from '#consensus/bft/messages.fixture.ts'
import { createIbft2Codec } from '#consensus/ibft2/wire/ibft2-codec.ts'
import { createQbftCodec } from '#consensus/qbft/wire/qbft-codec.ts'
import { loadCrypto } from '#evm/crypto.ts'
import type { BftProtocol } from '#types/block/bft-extra-data.ts'
import { concatBytes, equalBytes } from '#types/bytes.ts'
import type { FuzzTarget } from './target.ts'

/** Messages of a protocol in both encodings, each after its code. */
export async function messageTarget(protocol: BftProtocol): Promise<FuzzTarget> {
  const createCodec = protocol === 'qbft' ? createQbftCodec : createIbft2Codec
  const codec = createCodec(await loadCrypto(), 'current')
  const seeds: Uint8Array[] = []
  for (const generation of ['legacy', 'current'] as const) {
    for (const message of await new MessageBench(protocol, generation).samples()) {
      const { code, data } = codec.encode(message)
      seeds.push(concatBytes(Uint8Array.of(code), data))
    }
  }
  return {
    name: `${protocol}-message`,
    seeds: () => seeds,
    run(input) {
      const data = input.subarray(1)
      const encoded = codec.encode(codec.decode(input[0] ?? 0, data))
      assert.ok(
        encoded.code === input[0] && equalBytes(encoded.data, data),
        'The decoded message encodes to different bytes.',
      )
    },
  }
}
