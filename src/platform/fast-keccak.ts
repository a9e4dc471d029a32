/**
 * Keccak in WebAssembly, 8 times as fast as the pure form in `types` and the same in every answer. It stands here
 * because it takes a moment to load and `types` is pure, and because `store` and `evm` both need it.
 */
import { createKeccak } from 'hash-wasm'
import { createRunningKeccak, type Keccak, keccak256, type RunningKeccak } from '#types/keccak.ts'

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

let loadedRunning: Promise<() => RunningKeccak> | undefined

/** Makes hashes that go on. Once per thread: all of them share one instance, so that each costs some hundred bytes. */
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
