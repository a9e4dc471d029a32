import { doesNotThrow, strictEqual, throws } from 'node:assert'
import { test } from 'node:test'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { DiskReserve } from './disk-reserve.ts'

const MEBIBYTE = 1024 * 1024

test('a write is refused while the disk has too little room, and not after', () => {
  let free = 10 * MEBIBYTE
  const reserve = new DiskReserve('/data', 64 * MEBIBYTE, () => free)
  throws(() => reserve.require(1), { kind: 'DISK_FULL', message: /10 MiB are left at \/data.*needs 17/ })
  free = 20 * MEBIBYTE
  doesNotThrow(() => reserve.require(1))
})

test('buffered bytes need room until they are written', () => {
  const reserve = new DiskReserve('/data', 64 * MEBIBYTE, () => 80 * MEBIBYTE)
  reserve.noteWritten(40 * MEBIBYTE)
  throws(() => reserve.require(1), { kind: 'DISK_FULL' })
  reserve.noteWritten(25 * MEBIBYTE)
  doesNotThrow(() => reserve.require(1))
})

test('a database that met a full disk must be reopened once there is room', () => {
  let free = 0
  const reserve = new DiskReserve('/data', 64 * MEBIBYTE, () => free)
  reserve.noteFull()
  throws(() => reserve.require(1), { kind: 'DISK_FULL' })
  free = 1_000 * MEBIBYTE
  throws(() => reserve.require(1), { kind: 'STORE_FAILED', message: /start the node again/ })
})

test('an ample disk is checked once a second, and again when this database may have filled it', () => {
  const clock = createFakeClock()
  let looks = 0
  let free = 10_000 * MEBIBYTE
  const look = () => {
    looks++
    return free
  }
  const reserve = new DiskReserve('/data', 64 * MEBIBYTE, look, clock)
  for (let write = 0; write < 100; write++) {
    reserve.require(MEBIBYTE)
    reserve.noteWritten(MEBIBYTE)
  }
  strictEqual(looks, 1)
  clock.advance(1_000)
  reserve.require(1)
  strictEqual(looks, 2)
  reserve.noteWritten(3_000 * MEBIBYTE)
  free = 0
  throws(() => reserve.require(1), { kind: 'DISK_FULL' })
})

test('a nearly full disk is checked before every write', () => {
  let free = 100 * MEBIBYTE
  const reserve = new DiskReserve('/data', 64 * MEBIBYTE, () => free, createFakeClock())
  doesNotThrow(() => reserve.require(1))
  free = 1 * MEBIBYTE
  throws(() => reserve.require(1), { kind: 'DISK_FULL' })
})
