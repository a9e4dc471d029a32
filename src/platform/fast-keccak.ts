/**
 * Keccak in WebAssembly: eight times as fast as the pure version in `types`, with the same results. It is in `platform`
 * because loading it is asynchronous while `types` is pure, and because `store` and `evm` both need it.
 */
import { createKeccak } from 'hash-wasm'
import { createRunningKeccak, type Keccak, keccak256, type RunningKeccak } from '#types/keccak.ts'

let loaded: Promise<Keccak> | undefined

/** Loads once per thread. */
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

let loadedRunning: Promise<() => RunningKeccak> | undefined

/** Loads a factory for incremental hashes, once per thread. They share one instance: each costs a few hundred bytes. */
export function loadRunningKeccak(): Promise<() => RunningKeccak> {
  loadedRunning ??= loadRunning()
  return loadedRunning
}

async function loadRunning(): Promise<() => RunningKeccak> {
  if (!('WebAssembly' in globalThis)) return createRunningKeccak
  const hasher = await createKeccak(256)
  const empty = hasher.init().save()
  return () => {
    let state = empty
    return {
      update(bytes) {
        state = hasher.load(state).update(bytes).save()
      },
      digest: () => hasher.load(state).digest('binary'),
    }
  }
}
