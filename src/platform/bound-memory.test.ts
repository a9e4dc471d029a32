import assert from 'node:assert/strict'
import { test } from 'node:test'
import { boundGarbage, boundResident } from './bound-memory.ts'
import { createFakeClock } from './fake-clock.ts'
import { nextTurn } from './next-turn.ts'

const MIB = 1024 * 1024

/** A thread's memory: what lives, what died young and what died old. */
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

test('what died young is collected cheaply', async () => {
  const { heap, look } = watchedHeap()
  heap.youngBytes = 32 * MIB
  assert.deepEqual(await look(), ['young'])
  assert.deepEqual(await look(), [])
})

test('what grew old before it died is collected when the cheap way does not find it', async () => {
  const { heap, look } = watchedHeap()
  heap.oldBytes = 32 * MIB
  assert.deepEqual(await look(), ['young', 'all'])
  assert.equal(heap.usedBytes(), heap.livingBytes)
})

test('what lives is looked at once, and again when as much was added', async () => {
  const { heap, look } = watchedHeap()
  heap.livingBytes += 40 * MIB
  assert.deepEqual(await look(), ['young', 'all'])
  heap.livingBytes += 20 * MIB
  assert.deepEqual(await look(), [])
  heap.livingBytes += 20 * MIB
  assert.deepEqual(await look(), ['young', 'all'])
})

test('when what lived is gone, garbage is counted from there', async () => {
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

  /** How often it gave back meanwhile. */
  async run(ms: number): Promise<number> {
    const before = this.times
    for (let at = 0; at < ms; at += 250) {
      this.clock.advance(250)
      await nextTurn()
    }
    return this.times - before
  }
}

test('a process that has grown gives back what it freed', async () => {
  const process = new Process()
  process.livingBytes += 31 * MIB
  assert.equal(await process.run(60_000), 0)
  process.freedBytes = MIB
  assert.equal(await process.run(250), 1)
  assert.equal(process.freedBytes, 0)
})

test('while it stays large it tries again, every second where that helps and less and less often where not', async () => {
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

test('growth is answered at once, however long the pause is', async () => {
  const process = new Process()
  process.livingBytes += 60 * MIB
  await process.run(600_000)
  process.freedBytes = 8 * MIB
  assert.equal(await process.run(250), 1)
  process.freedBytes = 8 * MIB
  assert.equal(await process.run(750), 0)
  assert.equal(await process.run(250), 1)
})

test('a process that is back where it was, or stops, is left alone', async () => {
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
