import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DataPending, whenFetched } from './data-pending.ts'

test('a stream whose second start needs data again is started a third time', async () => {
  let starts = 0
  const work = (): AsyncIterable<string> => {
    const start = ++starts
    if (start === 2) throw new DataPending(Promise.resolve())
    return (async function* () {
      if (start === 1) throw new DataPending(Promise.resolve())
      yield 'answer'
    })()
  }
  assert.deepEqual(await Array.fromAsync(await whenFetched(work)), ['answer'])
  assert.equal(starts, 3)
})
