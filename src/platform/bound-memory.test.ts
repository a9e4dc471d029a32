import assert from 'node:assert/strict'
import { test } from 'node:test'
import { boundGarbage, boundResident } from './bound-memory.ts'
import { createFakeClock } from './fake-clock.fixture.ts'
import { nextTurn } from './next-turn.ts'

const MIB = 1024 * 1024

/** A thread's memory: live objects, young garbage and old garbage. */
class Heap {
  livingBytes = 20 * MIB
  youngBytes = 0
  oldBytes = 0
  collections: string[] = []

  usedBytes(): number {
    return this.livingBytes + this.youngBytes + this.oldBytes
  }

  collectYoung(): void {
    this.collections.push('young')
    this.youngBytes = 0
  }

  async collectAll(): Promise<void> {
    this.collections.push('all')
    this.youngBytes = 0
    this.oldBytes = 0
  }
}

function watchedHeap(): { heap: Heap; look: () => Promise<string[]> } {
  const [heap, clock] = [new Heap(), createFakeClock()]
  boundGarbage(clock, heap)
  const look = async (): Promise<string[]> => {
    clock.advance(50)
    await nextTurn()
    return heap.collections.splice(0)
  }
  return { heap, look }
}

test('garbage below the bound is left to V8', async () => {
  const { heap, look } = watchedHeap()
  heap.youngBytes = 31 * MIB
  assert.deepEqual(await look(), [])
})

test('young garbage is collected by the cheap collection', async () => {
  const { heap, look } = watchedHeap()
  heap.youngBytes = 32 * MIB
  assert.deepEqual(await look(), ['young'])
  assert.deepEqual(await look(), [])
})

test('old garbage is collected when the cheap collection does not find it', async () => {
  const { heap, look } = watchedHeap()
  heap.oldBytes = 32 * MIB
  assert.deepEqual(await look(), ['young', 'all'])
  assert.equal(heap.usedBytes(), heap.livingBytes)
})

test('live memory triggers one collection, and another when as much was added', async () => {
  const { heap, look } = watchedHeap()
  heap.livingBytes += 40 * MIB
  assert.deepEqual(await look(), ['young', 'all'])
  heap.livingBytes += 20 * MIB
  assert.deepEqual(await look(), [])
  heap.livingBytes += 20 * MIB
  assert.deepEqual(await look(), ['young', 'all'])
})

test('after live memory shrinks, garbage is counted from the new size', async () => {
  const { heap, look } = watchedHeap()
  heap.livingBytes = 10 * MIB
  assert.deepEqual(await look(), [])
  heap.youngBytes = 32 * MIB
  assert.deepEqual(await look(), ['young'])
})

class Process {
  livingBytes = 100 * MIB
  freedBytes = 0
  times = 0
  readonly clock = createFakeClock()
  readonly bound = boundResident(
    this.clock,
    () => this.giveBack(),
    () => this.livingBytes + this.freedBytes,
  )

  async giveBack(): Promise<void> {
    this.times += 1
    this.freedBytes = 0
  }

  /** Returns how often memory was given back in this time. */
  async run(ms: number): Promise<number> {
    const before = this.times
    for (let at = 0; at < ms; at += 250) {
      this.clock.advance(250)
      await nextTurn()
    }
    return this.times - before
  }
}

test('a process that has grown returns freed memory', async () => {
  const process = new Process()
  process.livingBytes += 31 * MIB
  assert.equal(await process.run(60_000), 0)
  process.freedBytes = MIB
  assert.equal(await process.run(250), 1)
  assert.equal(process.freedBytes, 0)
})

test('a process that stays large retries every second if that helps, and less and less often otherwise', async () => {
  const process = new Process()
  process.livingBytes += 60 * MIB
  assert.equal(await process.run(250), 1)
  assert.equal(await process.run(4_000), 1)
  assert.equal(await process.run(600_000), 13)
  process.livingBytes -= 20 * MIB
  process.freedBytes = 20 * MIB
  while ((await process.run(250)) === 0);
  process.livingBytes -= 7 * MIB
  process.freedBytes = 7 * MIB
  assert.equal(await process.run(750), 0)
  assert.equal(await process.run(250), 1)
})

test('growth is answered at once, regardless of the pause', async () => {
  const process = new Process()
  process.livingBytes += 60 * MIB
  await process.run(600_000)
  process.freedBytes = 8 * MIB
  assert.equal(await process.run(250), 1)
  process.freedBytes = 8 * MIB
  assert.equal(await process.run(750), 0)
  assert.equal(await process.run(250), 1)
})

test('no collection follows if a process has shrunk to its first size, or stops', async () => {
  const process = new Process()
  process.livingBytes += 60 * MIB
  await process.run(250)
  process.livingBytes = 110 * MIB
  assert.equal(await process.run(120_000), 0)
  process.bound.cancel()
  process.livingBytes += 100 * MIB
  assert.equal(await process.run(120_000), 0)
  assert.equal(process.clock.pendingTimers, 0)
})
