import { doesNotThrow, throws } from 'node:assert'
import { it } from 'node:test'
import { DiskReserve } from './disk-reserve.ts'

const MEBIBYTE = 1024 * 1024

it('a write is refused while the disk has too little room, and not after', () => {
  let free = 10 * MEBIBYTE
  const reserve = new DiskReserve('/data', 64 * MEBIBYTE, () => free)
  throws(() => reserve.require(1), { kind: 'DISK_FULL', message: /10 MiB are left at \/data.*needs 17/ })
  free = 20 * MEBIBYTE
  doesNotThrow(() => reserve.require(1))
})

it('what is collected in memory needs room until it was written', () => {
  const reserve = new DiskReserve('/data', 64 * MEBIBYTE, () => 80 * MEBIBYTE)
  reserve.noteWritten(40 * MEBIBYTE)
  throws(() => reserve.require(1), { kind: 'DISK_FULL' })
  reserve.noteWritten(25 * MEBIBYTE)
  doesNotThrow(() => reserve.require(1))
})

it('a database that met the end of the disk is to be opened anew, once there is room', () => {
  let free = 0
  const reserve = new DiskReserve('/data', 64 * MEBIBYTE, () => free)
  reserve.noteFull()
  throws(() => reserve.require(1), { kind: 'DISK_FULL' })
  free = 1_000 * MEBIBYTE
  throws(() => reserve.require(1), { kind: 'STORE_FAILED', message: /start the node again/ })
})
