/**
 * The checksum of LevelDB's files and of Snappy's frames: CRC-32C (Castagnoli), rotated and offset, because the CRC of data
 * that contains its own CRC is the same for all data.
 */

const POLYNOMIAL = 0x82f63b78
const MASK_DELTA = 0xa282ead8
/** Bytes processed at once, each with its own table. */
const LANES = 4

const TABLES = Array.from({ length: LANES }, () => new Int32Array(256))
for (let byte = 0; byte < 256; byte++) {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? POLYNOMIAL : 0)
  TABLES[0]![byte] = crc
}
for (let lane = 1; lane < LANES; lane++) {
  for (let byte = 0; byte < 256; byte++) {
    const before = TABLES[lane - 1]![byte]!
    TABLES[lane]![byte] = (before >>> 8) ^ TABLES[0]![before & 0xff]!
  }
}
const [T0, T1, T2, T3] = TABLES as [Int32Array, Int32Array, Int32Array, Int32Array]

export function maskedCrc32c(bytes: Uint8Array, start: number, end: number): number {
  let crc = -1
  let at = start
  for (const last = end - LANES; at <= last; at += LANES) {
    const word = crc ^ (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24))
    crc = T3[word & 0xff]! ^ T2[(word >>> 8) & 0xff]! ^ T1[(word >>> 16) & 0xff]! ^ T0[word >>> 24]!
  }
  for (; at < end; at++) crc = (crc >>> 8) ^ T0[(crc ^ bytes[at]!) & 0xff]!
  crc = ~crc >>> 0
  return (((crc >>> 15) | (crc << 17)) + MASK_DELTA) >>> 0
}
