import assert from 'node:assert/strict'
import { test } from 'node:test'
import { boundGarbage } from './bound-memory.ts'
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
