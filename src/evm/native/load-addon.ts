/** Finds the compiled crate of native/: the package for this platform, or the build of a checkout. */
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { PROGRAM_ROOT } from '#platform/thread/own-modules.ts'

/** Session operations that may read state. docs/internals/wire/engine-native.md describes their two arguments. */
export const OPERATION = { run: 0, systemCall: 1, credit: 2, sweep: 3, hasCode: 4 } as const
export type AddonOperation = (typeof OPERATION)[keyof typeof OPERATION]

/**
 * Takes one call at a time and keeps no argument after it. A numeric result is a number of bytes in the scratch
 * buffer.
 */
export interface AddonSession {
  call(
    operation: AddonOperation,
    scratch: Uint8Array,
    lookup: (kind: never) => number,
    cancel: Int32Array | undefined,
    first: Uint8Array,
    second: Uint8Array,
    /** The buffer for trace events, and a callback with the number of bytes and 1 if the last event is complete. */
    events?: Uint8Array,
    onEvents?: (length: number, isEnd: number) => number,
  ): Uint8Array | number
  checkpoint(): number
  revert(checkpoint: number): void
  changes(): Uint8Array
  finish(): Uint8Array
}

export interface Addon {
  readonly INTERFACE_VERSION: number
  readonly NativeSession: new (settings: Uint8Array) => AddonSession
  recoverSenders(questions: Uint8Array): Promise<Uint8Array>
  /** Returns the public key of 64 bytes, or nothing if the signature is impossible or a length is wrong. */
  recoverKey(digest: Uint8Array, signature: Uint8Array): Uint8Array
  /** Returns a signature of 65 bytes, or nothing for an invalid key or digest. Older binaries lack it. */
  signDigest?(privateKey: Uint8Array, digest: Uint8Array): Uint8Array
  /** Returns freed memory of the complete process, on another thread. Older binaries lack it. */
  giveBackMemory?(): Promise<void>
  /** Whether commitments and proofs belong to blobs. `proofs` has one proof per blob, or one per cell. Older binaries lack it. */
  verifyBlobs?(blobs: Uint8Array, commitments: Uint8Array, proofs: Uint8Array): Promise<boolean>
  /** For each blob its commitment, its proof and its cell proofs. Fails if a blob has an invalid field element. */
  computeBlobProofs?(blobs: Uint8Array): Promise<Uint8Array>
  /** Makes the next call panic. */
  panicNextForTest(): void
}

export type LoadedAddon =
  | { readonly ok: true; readonly addon: Addon; readonly path: string }
  | { readonly ok: false; readonly sentence: string }

/** Must equal the value in native/src/lib.rs. */
const INTERFACE_VERSION = 5
/** The output of scripts/build-native.ts; absent from the package. */
const BUILT_HERE = '../native/cairn_engine.node'
/** The packages of scripts/pack-native.ts, by the naming convention of napi-rs. */
const PACKAGE = `cairn-node-${process.platform}-${process.arch}${process.platform === 'linux' ? '-gnu' : ''}`

/** `path` replaces the default places. */
export function loadAddon(path?: string): LoadedAddon {
  const places = path === undefined ? [PACKAGE, fileURLToPath(new URL(BUILT_HERE, PROGRAM_ROOT))] : [path]
  const problems: string[] = []
  for (const place of places) {
    const loaded = tryPlace(place)
    if (loaded.ok) return loaded
    problems.push(loaded.sentence)
  }
  return { ok: false, sentence: problems.join(' ') }
}

function tryPlace(place: string): LoadedAddon {
  try {
    const addon = createRequire(import.meta.url)(place) as Addon
    if (addon.INTERFACE_VERSION === INTERFACE_VERSION) return { ok: true, addon, path: place }
    return { ok: false, sentence: `${place} is of another version; build it again.` }
  } catch (error) {
    const isAbsent = (error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND'
    const sentence = isAbsent
      ? `There is no ${place}.`
      : `${place} cannot be loaded: ${(error as Error).message}.`
    return { ok: false, sentence }
  }
}
