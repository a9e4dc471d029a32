/** Takes trace records from the addon, which fills one buffer again and again. */
import { CHUNK_BYTES } from '#evm/trace/records.ts'
import { concatBytes } from '#types/bytes.ts'

export interface RecordSink {
  readonly buffer: Uint8Array
  readonly onRecords: (length: number, isEnd: number) => number
}

/** For one session: blocks are traced transaction by transaction, and most have few records. */
export function createRecordBuffer(): Uint8Array {
  return new Uint8Array(CHUNK_BYTES)
}

/** A record that is longer than the buffer comes in pieces and is put together. */
export function createRecordSink(buffer: Uint8Array, onRecords: (chunk: Uint8Array) => void): RecordSink {
  let pieces: Uint8Array[] = []
  return {
    buffer,
    onRecords: (length, isEnd) => {
      const piece = buffer.subarray(0, length)
      if (isEnd === 0) pieces.push(piece.slice())
      else if (pieces.length === 0) onRecords(piece)
      else {
        const whole = concatBytes(...pieces, piece)
        pieces = []
        onRecords(whole)
      }
      return 0
    },
  }
}
