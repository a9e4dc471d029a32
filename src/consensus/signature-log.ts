/**
 * The signature log of this validator, a file next to the database: a header with network and validator, then entries, of which
 * the last counts (docs/internals/wire/signature-log.md). An entry is on disk before anything in it is signed. A torn last
 * entry was never signed and is skipped; any other damage means that the file cannot be trusted.
 */
import type { LoadedLog, SignatureEntry } from '#consensus/bft/events.ts'
import type { MessageCodec } from '#consensus/bft/messages.ts'
import { createAppendFile, openAppendFile } from '#platform/files/append-file.ts'
import { kindOfPath, readFileBounded } from '#platform/files/files.ts'
import { SerialQueue } from '#platform/serial-queue.ts'
import { type Address, addressToBytes } from '#types/address.ts'
import { concatBytes, equalBytes } from '#types/bytes.ts'
import { Fault } from '#types/fault.ts'
import { type Hash, hashToBytes } from '#types/hash.ts'
import type { Keccak } from '#types/keccak.ts'
import { consensusFault } from './faults.ts'
import { decodeSignatureEntry, encodeSignatureEntry } from './signature-entry.ts'
import {
  CHECKSUM_BYTES,
  checksumOf,
  encodeLogEntry,
  entryAt,
  isTornWrite,
  MAX_ENTRY_BYTES,
} from './signature-log-entries.ts'

export interface SignatureLogOptions {
  readonly path: string
  /** A network may migrate from one protocol to another. */
  readonly codecAt: (height: number) => MessageCodec
  readonly keccak: Keccak
  readonly address: Address
  readonly genesis: Hash
}

export interface SignatureLog {
  readonly loaded: LoadedLog
  /** Resolves when the entry is durable; entries become durable in order. */
  save(entry: SignatureEntry): Promise<void>
  close(): Promise<void>
}

const MAGIC = new TextEncoder().encode('CAIRNVOT')
/** The start of the file that `cairn backup restore` writes instead of a signature log. */
const RESTORED_MAGIC = new TextEncoder().encode('CAIRNRST')
const VERSION = 1
/** A larger file is replaced by the current entry, which may itself have the maximum size. */
export const MAX_GROWN_BYTES = 4 * 1024 * 1024
const MAX_FILE_BYTES = MAX_GROWN_BYTES + 2 * MAX_ENTRY_BYTES

export async function openSignatureLog(options: SignatureLogOptions): Promise<SignatureLog> {
  const { path, codecAt, keccak } = options
  const head = fileHead(options)
  const found = kindOfPath(path) === undefined ? undefined : readFileBounded(path, MAX_FILE_BYTES)
  // Every write begins with the header, so an empty file never contained an entry and counts as missing.
  const existing = found?.length === 0 ? undefined : found
  const { loaded, goodBytes } = existing ? readLog(existing, head, options) : NOTHING_THERE
  const isKnown = loaded === undefined || typeof loaded === 'object'
  // A lost file is kept until something is signed, so another start before that finds it lost as well.
  const file =
    existing === undefined
      ? await createAppendFile(path, head)
      : await openAppendFile(path, isKnown ? goodBytes : existing.length)
  let mustReplace = !isKnown
  const writes = new SerialQueue()
  const write = async (entry: Uint8Array): Promise<void> => {
    const replaces = mustReplace || file.sizeBytes > MAX_GROWN_BYTES
    // After a failure the content of the disk is unknown, and an appended entry might follow a broken one.
    mustReplace = true
    await (replaces ? file.replace(concatBytes(head, entry)) : file.append(entry))
    mustReplace = false
  }
  return {
    loaded,
    save: (entry) => {
      const encoded = encodeLogEntry(encodeSignatureEntry(entry, codecAt(entry.height)), keccak)
      return writes.run(() => write(encoded))
    },
    close: async () => {
      await writes.run(() => file.close())
    },
  }
}

interface ReadLog {
  readonly loaded: SignatureLog['loaded']
  /** The header and all complete entries. */
  readonly goodBytes: number
}

const NOTHING_THERE: ReadLog = { loaded: undefined, goodBytes: 0 }
const LOST: ReadLog = { loaded: 'lost', goodBytes: 0 }
const RESTORED: ReadLog = { loaded: 'restored', goodBytes: 0 }

/**
 * The complete file of a node restored from a backup. What its key signed since the backup is unknown, and a log from the
 * backup could not tell; the key is not known here either.
 */
export function restoredLog(genesis: Hash): Uint8Array {
  return concatBytes(RESTORED_MAGIC, Uint8Array.of(VERSION), hashToBytes(genesis))
}

function readLog(bytes: Uint8Array, head: Uint8Array, options: SignatureLogOptions): ReadLog {
  if (equalBytes(bytes.subarray(0, RESTORED_MAGIC.length), RESTORED_MAGIC)) {
    if (!equalBytes(bytes, restoredLog(options.genesis))) throw otherNetwork(options.path)
    return RESTORED
  }
  const found = bytes.subarray(0, head.length)
  if (found.length < head.length || !hasChecksum(found, options.keccak)) return LOST
  if (!equalBytes(found.subarray(0, NETWORK_END), head.subarray(0, NETWORK_END)))
    throw otherNetwork(options.path)
  // The file belongs to another key, so nothing is known about this key's signatures.
  if (!equalBytes(found, head)) return LOST
  let loaded: SignatureEntry | undefined
  let offset = head.length
  for (;;) {
    const next = entryAt(bytes, offset, options.keccak)
    if (next === undefined) break
    try {
      loaded = decodeSignatureEntry(next.entry, options.codecAt, options.keccak)
    } catch (error) {
      if (error instanceof Fault) return LOST
      throw error
    }
    offset = next.end
  }
  return isTornWrite(bytes, offset, options.keccak) ? { loaded, goodBytes: offset } : LOST
}

const NETWORK_END = MAGIC.length + 1 + 32

function fileHead({ genesis, address, keccak }: SignatureLogOptions): Uint8Array {
  const content = concatBytes(MAGIC, Uint8Array.of(VERSION), hashToBytes(genesis), addressToBytes(address))
  return concatBytes(content, checksumOf(content, keccak))
}

function hasChecksum(head: Uint8Array, keccak: Keccak): boolean {
  const end = head.length - CHECKSUM_BYTES
  return equalBytes(head.subarray(end), checksumOf(head.subarray(0, end), keccak))
}

function otherNetwork(path: string): Fault {
  const sentence = `${path} holds the votes of a validator on another network, or of a later version of Cairn. Give this node the data directory that belongs to its genesis file.`
  return consensusFault('FOREIGN_VOTES_FILE', { sentence, path })
}
