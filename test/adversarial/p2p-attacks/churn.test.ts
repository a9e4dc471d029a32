/* The short form of `npm run nightly -- soak-peers`. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { churn } from './churn.ts'
import { startTarget } from './start-target.ts'

const target = await startTarget('127.0.0.1', ['--expose-gc'])
after(target.end)

test('connections that come and go leave nothing open and nothing in memory', async () => {
  const before = await churn(target, 30)
  const { sockets, peers, handles, heapBytes } = await churn(target, 60)
  assert.deepEqual({ sockets, peers, handles }, { sockets: 0, peers: 0, handles: before.handles })
  const growth = (heapBytes - before.heapBytes) / 1e6
  assert.ok(growth < 3, `the heap grew by ${growth.toFixed(1)} MB`)
})
