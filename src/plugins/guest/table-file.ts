/**
 * A plugin's storage: a map in memory and the file that it is read from. The file grows by records with checksums; a torn
 * record at its end, left by a killed thread or a power cut, is cut off. The file is rewritten when most of it is
 * obsolete.
 */
import { crc32 } from 'node:zlib'
import { type AppendFile, openAppendFile } from '#platform/files/append-file.ts'
import { kindOfPath, readFileBounded } from '#platform/files/files.ts'
import { concatBytes } from '#types/bytes.ts'
import { Fault } from '#types/fault.ts'

export interface TableLimits {
  /** Total size of keys and values. */
  readonly maxBytes: number
}

const MAX_TABLE_BYTES = 64 * 1024 * 1024
const MAX_KEY_BYTES = 1_024
const MAX_VALUE_BYTES = 1024 * 1024
/** A shorter file is not rewritten. */
const LEAST_REWRITTEN_BYTES = 256 * 1024
/** Length and checksum of the payload. */
const HEAD_BYTES = 8
const KEY_LENGTH_BYTES = 2
const DELETED = 0
const PUT = 1

export class TableFile {
  /** Bytes cut off at the end of the file, because they were not a complete record. */
  readonly cutBytes: number
  readonly #rows = new Map<string, Uint8Array>()
  readonly #file: AppendFile
  readonly #limits: TableLimits
  #liveBytes = 0
  #waiting: { readonly record: Uint8Array; readonly done: PromiseWithResolvers<void> }[] = []
  #writing: Promise<void> | undefined

  static async open(path: string, limits: TableLimits = { maxBytes: MAX_TABLE_BYTES }): Promise<TableFile> {
    const mostOnDisk = 4 * limits.maxBytes + LEAST_REWRITTEN_BYTES
    const bytes = kindOfPath(path) === 'file' ? readFileBounded(path, mostOnDisk) : new Uint8Array(0)
    const rows = new Map<string, Uint8Array>()
    const kept = readRecords(bytes, (key, value) => {
      if (value === undefined) rows.delete(key)
      else rows.set(key, value)
    })
    return new TableFile(await openAppendFile(path, kept), rows, limits, bytes.length - kept)
  }

  private constructor(
    file: AppendFile,
    rows: ReadonlyMap<string, Uint8Array>,
    limits: TableLimits,
    cutBytes: number,
  ) {
    this.cutBytes = cutBytes
    this.#file = file
    this.#limits = limits
    for (const [key, value] of rows) this.#set(key, value)
  }

  get(key: string): Uint8Array | undefined {
    const value = this.#rows.get(key)
    return value && Uint8Array.from(value)
  }

  keys(): readonly string[] {
    return [...this.#rows.keys()]
  }

  /** Durable when it resolves. Concurrent writes share a batch. */
  async put(key: string, value: Uint8Array): Promise<void> {
    if (!(value instanceof Uint8Array)) throw refusal('A value is a Uint8Array.')
    const keyBytes = Buffer.from(key)
    if (keyBytes.length === 0 || keyBytes.length > MAX_KEY_BYTES || value.length > MAX_VALUE_BYTES) {
      throw refusal(
        `A key has 1 to ${MAX_KEY_BYTES} bytes and a value at most ${MAX_VALUE_BYTES}; this key has ${keyBytes.length}, its value ${value.length}.`,
      )
    }
    const before = this.#rows.get(key)?.length
    const grows = before === undefined ? keyBytes.length + value.length : value.length - before
    if (this.#liveBytes + grows > this.#limits.maxBytes) {
      throw refusal(`The storage of the plugin is full: it holds ${this.#limits.maxBytes} bytes.`)
    }
    const copy = Uint8Array.from(value)
    this.#set(key, copy)
    await this.#append(recordOf(keyBytes, copy))
  }

  async delete(key: string): Promise<void> {
    const value = this.#rows.get(key)
    if (value === undefined) return
    this.#rows.delete(key)
    this.#liveBytes -= Buffer.byteLength(key) + value.length
    await this.#append(recordOf(Buffer.from(key), undefined))
  }

  async close(): Promise<void> {
    await this.#writing?.catch(() => undefined)
    await this.#file.close()
  }

  #set(key: string, value: Uint8Array): void {
    const before = this.#rows.get(key)
    this.#liveBytes += before === undefined ? Buffer.byteLength(key) : -before.length
    this.#liveBytes += value.length
    this.#rows.set(key, value)
  }

  #append(record: Uint8Array): Promise<void> {
    const done = Promise.withResolvers<void>()
    this.#waiting.push({ record, done })
    this.#writing ??= this.#write()
    return done.promise
  }

  async #write(): Promise<void> {
    // Writes of the same turn share a batch.
    await Promise.resolve()
    while (this.#waiting.length > 0) {
      const batch = this.#waiting
      this.#waiting = []
      try {
        await this.#writeBatch(batch.map(({ record }) => record))
        for (const { done } of batch) done.resolve()
      } catch (error) {
        for (const { done } of batch) done.reject(error)
      }
    }
    this.#writing = undefined
  }

  async #writeBatch(records: readonly Uint8Array[]): Promise<void> {
    const added = records.reduce((sum, { length }) => sum + length, 0)
    const mostBytes = Math.max(LEAST_REWRITTEN_BYTES, 2 * this.#liveBytes)
    // The rows include the batch, so a rewritten file contains it too.
    if (this.#file.sizeBytes + added > mostBytes) await this.#file.replace(this.#all())
    else {
      try {
        await this.#file.append(concatBytes(...records))
      } catch {
        await this.#file.replace(this.#all())
      }
    }
  }

  #all(): Uint8Array {
    return concatBytes(...[...this.#rows].map(([key, value]) => recordOf(Buffer.from(key), value)))
  }
}

function recordOf(key: Uint8Array, value: Uint8Array | undefined): Uint8Array {
  const payloadBytes = KEY_LENGTH_BYTES + key.length + 1 + (value?.length ?? 0)
  const record = new Uint8Array(HEAD_BYTES + payloadBytes)
  const view = new DataView(record.buffer)
  view.setUint16(HEAD_BYTES, key.length)
  record.set(key, HEAD_BYTES + KEY_LENGTH_BYTES)
  const flagAt = HEAD_BYTES + KEY_LENGTH_BYTES + key.length
  record[flagAt] = value === undefined ? DELETED : PUT
  if (value !== undefined) record.set(value, flagAt + 1)
  view.setUint32(0, payloadBytes)
  view.setUint32(4, crc32(record.subarray(HEAD_BYTES)))
  return record
}

/** Returns the number of bytes in complete records. */
function readRecords(
  bytes: Uint8Array,
  onRecord: (key: string, value: Uint8Array | undefined) => void,
): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = 0
  while (at + HEAD_BYTES <= bytes.length) {
    const end = at + HEAD_BYTES + view.getUint32(at)
    if (end > bytes.length) break
    const payload = bytes.subarray(at + HEAD_BYTES, end)
    if (payload.length < KEY_LENGTH_BYTES + 1 || crc32(payload) !== view.getUint32(at + 4)) break
    const keyEnd = KEY_LENGTH_BYTES + view.getUint16(at + HEAD_BYTES)
    if (keyEnd >= payload.length) break
    const key = Buffer.from(payload.subarray(KEY_LENGTH_BYTES, keyEnd)).toString()
    onRecord(key, payload[keyEnd] === PUT ? payload.slice(keyEnd + 1) : undefined)
    at = end
  }
  return at
}

function refusal(sentence: string): Fault {
  return new Fault('PLUGIN_STORAGE', { sentence })
}
