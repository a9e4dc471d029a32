import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { array } from 'zod'
import { blockOf } from '#api/engine-port/payload-block.ts'
import { AttributesWire, attributesOf, PayloadWire } from '#api/schema/payload.ts'
import { HashWire } from '#api/schema/values.ts'
import { decodeHeaderIn } from '#types/block/block.ts'
import { hashHeader } from '#types/block/block-header.ts'
import { keccak256 } from '#types/keccak.ts'
import type { FuzzTarget } from './target.ts'

const folder = join(import.meta.dirname, '../../../src/api/engine-port/methods')

/** The parameters of a request, as far as they are well-formed. */
function run(input: Uint8Array): void {
  let params: unknown
  try {
    params = JSON.parse(Buffer.from(input).toString('utf8'))
  } catch {
    return
  }
  if (!Array.isArray(params)) return
  const attributes = AttributesWire.safeParse(params[1])
  if (attributes.success) attributesOf(attributes.data)
  const payload = PayloadWire.safeParse(params[0])
  if (!payload.success) return
  const hashes = array(HashWire).safeParse(params[1])
  const root = HashWire.safeParse(params[2])
  const { withdrawals, blobGasUsed, excessBlobGas } = payload.data
  // The methods require the members of the block's fork before they use them.
  const hasBlobs = blobGasUsed != null && excessBlobGas != null && withdrawals != null
  if (!hasBlobs && (blobGasUsed != null || excessBlobGas != null)) return
  const sides = hasBlobs ? { versionedHashes: hashes.data, parentBeaconBlockRoot: root.data } : {}
  const { hash, encoded } = blockOf(payload.data, sides, keccak256)
  assert.equal(hashHeader(decodeHeaderIn(encoded), keccak256), hash)
}

/** Payloads of consensus clients: JSON texts that become blocks. */
const target: FuzzTarget = {
  name: 'payload',
  seeds: () =>
    readdirSync(folder)
      .filter((name) => /^engine_(newPayload|forkchoiceUpdated).*\.io$/.test(name))
      .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'))
      .filter((line) => line.startsWith('>> '))
      .map((line) => JSON.parse(line.slice(3)).params)
      .filter((params) => params !== undefined)
      .map((params) => new Uint8Array(Buffer.from(JSON.stringify(params)))),
  run,
}

export default target
