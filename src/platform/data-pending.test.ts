import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DataPending, whenFetched } from './data-pending.ts'

const SMALL_BYTES = 1_000

function pending(name: string, bytes = SMALL_BYTES): DataPending {
  return new DataPending({ name, bytes }, Promise.resolve())
}

test('a stream whose second start needs data again is started a third time', async () => {
  let starts = 0
  const work = (): AsyncIterable<string> => {
    const start = ++starts
    if (start === 2) throw pending('a part')
    return (async function* () {
      if (start === 1) throw pending('a part')
      yield 'answer'
    })()
  }
  assert.deepEqual(await Array.fromAsync(await whenFetched(work)), ['answer'])
  assert.equal(starts, 3)
})

test('a request goes on if each repetition fetches something new, and something again', async () => {
  const here = new Set<string>()
  const work = (): string => {
    for (let part = 0; part < 1_000; part++) {
      const names = [`${part}`, `${part} again`]
      const missing = names.find((name) => !here.has(name))
      if (missing === undefined) continue
      here.add(missing)
      throw pending(`${part}`)
    }
    return 'answer'
  }
  assert.equal(await whenFetched(work), 'answer')
})

test('a request that evicts its own data ends with the remedy, also before the first piece of a stream', async () => {
  let fetches = 0
  const endless = () => {
    fetches++
    throw pending(`${fetches % 20}`, 1024 * 1024)
  }
  const stream = async function* () {
    yield endless()
  }
  for (const run of [
    () => whenFetched(endless),
    () => Array.fromAsync(whenFetched(stream) as AsyncIterable<never>),
  ]) {
    fetches = 0
    await assert.rejects(async () => run(), {
      kind: 'READS_TOO_MUCH',
      message: /raise --history-cache-bytes/,
    })
    // 20 MiB for the first time, as many again, and 32 MiB more.
    assert.equal(fetches, 73)
  }
})
