/**
 * Keccak in WebAssembly, 8 times as fast as the pure form in `types` and the same in every answer. It stands here
 * because it takes a moment to load and `types` is pure, and because `store` and `evm` both need it.
 */
import { createKeccak } from 'hash-wasm'
import { type Keccak, keccak256 } from '#types/keccak.ts'

let loaded: Promise<Keccak> | undefined

/** Once per thread. */
export function loadFastKeccak(): Promise<Keccak> {
  loaded ??= load()
  return loaded
}

async function load(): Promise<Keccak> {
  // A platform without WebAssembly still runs, more slowly.
  if (!('WebAssembly' in globalThis)) return keccak256
  const hasher = await createKeccak(256)
  return (bytes) => hasher.init().update(bytes).digest('binary')
}
