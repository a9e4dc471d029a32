/** Checks a validator's disk: one block per height with its seal, and a complete signature log. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { genesisHashOf } from '#chain/write/commit-genesis.ts'
import type { MessageCodec } from '#consensus/bft/messages.ts'
import { createIbft2Codec } from '#consensus/ibft2/wire/ibft2-codec.ts'
import { createQbftCodec } from '#consensus/qbft/wire/qbft-codec.ts'
import { openSignatureLog } from '#consensus/signature-log.ts'
import { loadCrypto } from '#evm/crypto.ts'
import { decodeBlob } from '#store/kv/blob.ts'
import { TABLE } from '#store/kv/keys.ts'
import { openLevelKv } from '#store/kv/kv.ts'
import { type BftProtocol, decodeBftExtraData } from '#types/block/bft-extra-data.ts'
import { bftCommittedSealHash } from '#types/block/bft-header-hash.ts'
import { decodeHeader } from '#types/block/block-header.ts'
import { addressFromPublicKey, recoverPublicKey } from '#types/curve.ts'
import { hashToBytes } from '#types/hash.ts'
import { parseGenesisText } from '../conformance/chains/memory-chain.ts'
import type { ValidatorNetwork } from './validator-network.ts'

/** Reads all stored headers, canonical or not: no height was ever decided twice. */
export async function requireOneSealedBlockPerHeight(
  { data, validator }: ValidatorNetwork,
  protocol: BftProtocol,
  head: number,
): Promise<void> {
  const kv = await openLevelKv(join(data, 'database'), { createIfMissing: false })
  const numbers: number[] = []
  const range = { gte: Uint8Array.of(TABLE.header), lt: Uint8Array.of(TABLE.header + 1), limit: head + 2 }
  for await (const [, value] of kv.range(range)) {
    const header = decodeHeader(decodeBlob(value))
    numbers.push(Number(header.number))
    if (header.number === 0n) continue
    const digest = hashToBytes(bftCommittedSealHash(protocol, header))
    const { seals } = decodeBftExtraData(protocol, header.extraData)
    const authors = seals.map((seal) => addressFromPublicKey(recoverPublicKey(digest, seal)))
    assert.deepEqual(authors, [validator], `seals of block ${header.number}`)
  }
  await kv.close()
  assert.deepEqual(
    numbers,
    Array.from({ length: head + 1 }, (_, number) => number),
  )
}

export async function requireSignatureLog(
  { data, folder, validator }: ValidatorNetwork,
  protocol: BftProtocol,
  head: number,
) {
  const crypto = await loadCrypto()
  const genesis = parseGenesisText(readFileSync(join(folder, 'genesis.json'), 'utf8'))
  const codec: MessageCodec = (protocol === 'qbft' ? createQbftCodec : createIbft2Codec)(crypto, 'current')
  const file = await openSignatureLog({
    path: join(data, 'votes'),
    codecAt: () => codec,
    keccak: crypto.keccak,
    address: validator,
    genesis: genesisHashOf(genesis, crypto.keccak),
  })
  await file.close()
  const { loaded } = file
  assert.ok(typeof loaded === 'object', 'the signature log is damaged')
  assert.ok(loaded.height === head || loaded.height === head + 1, `${loaded.height} at head ${head}`)
}
