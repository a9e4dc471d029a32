import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BACKLOG_MAX_BYTES, Backlog } from './websocket-outbox.ts'

const KIB = 1024

test('the bytes that ws holds for all clients together are limited, however many clients there are', () => {
  const backlog = new Backlog()
  assert.equal(backlog.handedOverMaxBytes, 256 * KIB)
  for (let clients = 1; clients <= 10_000; clients++) {
    backlog.enter()
    if (clients <= 256) assert.equal(backlog.handedOverMaxBytes, 256 * KIB)
    else assert.ok(backlog.handedOverMaxBytes * clients <= Math.max(BACKLOG_MAX_BYTES, clients * 8 * KIB))
  }
  assert.equal(backlog.handedOverMaxBytes, 8 * KIB)
})
