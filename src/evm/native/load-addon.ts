/** Finds the compiled crate of native/: the package for this platform, or what a checkout built. */
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

/** What a session does that may ask for state. docs/wire/engine-native.md says what the two arguments are. */
export const OPERATION = { run: 0, systemCall: 1, credit: 2, sweep: 3, hasCode: 4 } as const
export type AddonOperation = (typeof OPERATION)[keyof typeof OPERATION]

/** One call at a time; what it is handed is used only until it returns. A number: so many bytes of the scratch buffer. */
export interface AddonSession {
  call(
    operation: AddonOperation,
    scratch: Uint8Array,
    lookup: (kind: never) => number,
    cancel: Int32Array | undefined,
    first: Uint8Array,
    second: Uint8Array,
    /** Where trace records are put, and who is told how many bytes, and 1 if they end there. */
    records?: Uint8Array,
    onRecords?: (length: number, isEnd: number) => number,
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
  /** The public key of 64 bytes that made a signature of 65; none where no key can have, or lengths are wrong. */
  recoverKey(digest: Uint8Array, signature: Uint8Array): Uint8Array
  /** A signature of 65 bytes; none where that is no key or no digest. Absent from binaries that were built before it. */
  signDigest?(privateKey: Uint8Array, digest: Uint8Array): Uint8Array
  /** Of what the whole process has freed; beside the thread that asks. Absent from binaries that were built before it. */
  giveBackMemory?(): Promise<void>
  /** The next call panics. */
  panicNextForTest(): void
}

export type LoadedAddon =
  | { readonly ok: true; readonly addon: Addon; readonly path: string }
  | { readonly ok: false; readonly sentence: string }

/** The same as in native/src/lib.rs. */
const INTERFACE_VERSION = 5
/** Where scripts/build-native.ts puts it; no such file exists in the package. */
const BUILT_HERE = '../../../native/cairn_engine.node'
/** The packages of scripts/pack-native.ts, by the naming convention of napi-rs. */
const PACKAGE = `cairn-node-${process.platform}-${process.arch}${process.platform === 'linux' ? '-gnu' : ''}`

/** `path`: this file and no other. */
export function loadAddon(path?: string): LoadedAddon {
  const places = path === undefined ? [PACKAGE, fileURLToPath(new URL(BUILT_HERE, import.meta.url))] : [path]
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
