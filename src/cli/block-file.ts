/** Block files: the encoded blocks one after another, as `blocks export` writes them. */
import { closeSync, readSync } from 'node:fs'
import { MAX_BLOCK_BYTES } from '#types/block/block.ts'
import { Fault } from '#types/fault.ts'
import { openToRead } from './read-text.ts'

const READ_BYTES = 4 * 1024 * 1024

/** Yields each block in its own bytes, for files of any size. */
export function* readBlockFile(path: string): Generator<Uint8Array, void, undefined> {
  const fd = openToRead(path)
  let rest: Uint8Array = new Uint8Array(0)
  try {
    for (;;) {
      const end = blockEnd(rest, path)
      if (end !== undefined && end <= rest.length) {
        yield rest.slice(0, end)
        rest = rest.subarray(end)
        continue
      }
      const more = readMore(fd, rest)
      if (more.length === rest.length) break
      rest = more
    }
    if (rest.length > 0) throw damaged(path, 'it ends within a block')
  } finally {
    closeSync(fd)
  }
}

/** Undefined if more bytes are needed. */
function blockEnd(bytes: Uint8Array, path: string): number | undefined {
  if (bytes.length === 0) return undefined
  const first = bytes[0]!
  if (first < 0xc0) throw damaged(path, 'it holds bytes that are not a block')
  const lengthBytes = first > 0xf7 ? first - 0xf7 : 0
  if (bytes.length < 1 + lengthBytes) return undefined
  let length = first - 0xc0
  if (lengthBytes > 0) {
    length = 0
    for (let at = 1; at <= lengthBytes; at++) length = length * 256 + bytes[at]!
  }
  if (length > MAX_BLOCK_BYTES) throw damaged(path, `it holds a block of ${length} bytes`)
  return 1 + lengthBytes + length
}

function readMore(fd: number, rest: Uint8Array): Uint8Array {
  const grown = new Uint8Array(rest.length + READ_BYTES)
  grown.set(rest)
  const count = readSync(fd, grown, rest.length, READ_BYTES, null)
  return grown.subarray(0, rest.length + count)
}

function damaged(path: string, what: string) {
  return new Fault('BLOCKS_FILE_INVALID', { sentence: `${path} is not a block file: ${what}.` })
}
