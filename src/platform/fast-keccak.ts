/**
 * Keccak in WebAssembly: many times as fast as the pure version in `types`, with the same results. It is in `platform`
 * because a platform may have no WebAssembly while `types` is pure, and because `store` and `evm` both need it.
 */
import { createRunningKeccak, type Keccak, keccak256, type RunningKeccak } from '#types/keccak.ts'
import {
  INPUT_AT,
  INPUT_BYTES,
  type KeccakExports,
  keccakModule,
  RATE,
  STATE_BYTES,
} from './keccak-module.ts'

const HASH_BYTES = 32

interface FastKeccak {
  readonly hash: Keccak
  readonly createRunning: () => RunningKeccak
}

/** The part of WebAssembly that is used here; Node's types do not have it. */
interface WasmGlobal {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object) => { readonly exports: KeccakExports }
}

let loaded: FastKeccak | undefined

/** Loads once per thread. */
export function loadFastKeccak(): Keccak {
  loaded ??= load()
  return loaded.hash
}

/** Loads a factory for incremental hashes, once per thread. They share one instance: each costs a few hundred bytes. */
export function loadRunningKeccak(): () => RunningKeccak {
  loaded ??= load()
  return loaded.createRunning
}

function load(): FastKeccak {
  const { WebAssembly: wasm } = globalThis as { readonly WebAssembly?: WasmGlobal }
  // A platform without WebAssembly still runs, more slowly.
  if (wasm === undefined) return { hash: keccak256, createRunning: createRunningKeccak }
  const { memory, hash, absorb, end } = new wasm.Instance(new wasm.Module(keccakModule())).exports
  const input = new Uint8Array(memory.buffer, INPUT_AT, INPUT_BYTES)
  const state = new Uint8Array(memory.buffer, 0, STATE_BYTES)
  const digest = new Uint8Array(memory.buffer, 0, HASH_BYTES)
  /** Absorbs the complete blocks of a long message into the state, and returns the bytes after them. */
  const absorbBlocks = (bytes: Uint8Array): Uint8Array => {
    let rest = bytes
    while (rest.length >= RATE) {
      const length = Math.min(rest.length - (rest.length % RATE), INPUT_BYTES)
      input.set(rest.subarray(0, length))
      absorb(length)
      rest = rest.subarray(length)
    }
    return rest
  }
  return {
    hash: (bytes) => {
      if (bytes.length < INPUT_BYTES) {
        input.set(bytes)
        hash(bytes.length)
      } else {
        state.fill(0)
        const rest = absorbBlocks(bytes)
        input.set(rest)
        end(rest.length)
      }
      return digest.slice()
    },
    createRunning: () => {
      const own = new Uint8Array(STATE_BYTES)
      const block = new Uint8Array(RATE)
      let filled = 0
      return {
        update: (bytes) => {
          let rest = bytes
          if (filled + rest.length >= RATE) {
            state.set(own)
            if (filled > 0) {
              block.set(rest.subarray(0, RATE - filled), filled)
              rest = rest.subarray(RATE - filled)
              absorbBlocks(block)
            }
            rest = absorbBlocks(rest)
            own.set(state)
            filled = 0
          }
          block.set(rest, filled)
          filled += rest.length
        },
        digest: () => {
          state.set(own)
          input.set(block.subarray(0, filled))
          end(filled)
          return digest.slice()
        },
      }
    },
  }
}
