/** `cairn db` on a database that other processes hold, and killed while it rewrites tables. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createSeededRandom } from '#platform/random.fixture.ts'
import { TABLE } from '#store/kv/keys.ts'
import { openLevelKv } from '#store/kv/kv.ts'
import { META, schemaVersionOf } from '#store/meta.ts'
import { cairn, PROGRAM, temporaryDirectory } from '../../support/program.ts'

const ENTRIES = 4_000
const VALUE_BYTES = 3_000
const ROUNDS = 3
const SMALL = { cacheBytes: 1024 * 1024, writeBufferBytes: 1024 * 1024 }

function keyOf(index: number): Uint8Array {
  return Uint8Array.of(TABLE.body, index >> 8, index & 255)
}

test('a database becomes smaller, is complete after every kill, and is not changed while it is open', {
  timeout: 120_000,
}, async (context) => {
  const folder = temporaryDirectory(context)
  const path = join(folder, 'database')
  const data = `--data-path=${folder}`
  const random = createSeededRandom(60)
  const kv = await openLevelKv(path, { createIfMissing: true, ...SMALL })
  for (let round = 0; round < ROUNDS; round++) {
    const batch = kv.batch()
    META.identity.write(batch, { schemaVersion: schemaVersionOf('FOREST', false), format: 'FOREST' })
    for (let index = 0; index < ENTRIES; index++) {
      const value = Buffer.from(random.randomBytes(VALUE_BYTES))
      value.writeUInt32BE(index)
      batch.put(keyOf(index), value)
    }
    await batch.write({ sync: true })
  }
  const drop = kv.batch()
  for (let index = 0; index < ENTRIES / 2; index++) drop.delete(keyOf(index))
  await drop.write({ sync: true })
  for (const name of ['stats', 'compact']) {
    const held = cairn([data, 'db', name])
    assert.equal(held.code, 1)
    assert.match(held.stderr, /is in use by another process\. Stop that node/)
  }
  await kv.close()

  for (const afterMs of [500, 650]) {
    const child = spawn(process.execPath, [PROGRAM, data, 'db', 'compact'], { stdio: 'ignore' })
    const exited = once(child, 'exit')
    await Promise.race([pause(afterMs), exited])
    child.kill('SIGKILL')
    await exited
    const found = await openLevelKv(path, { createIfMissing: false, ...SMALL })
    for (let index = 0; index < ENTRIES; index++) {
      const value = found.get(keyOf(index))
      if (index < ENTRIES / 2) assert.equal(value, undefined)
      else assert.equal(Buffer.from(value!).readUInt32BE(), index)
    }
    await found.close()
  }
  const compacted = cairn([data, 'db', 'compact'])
  assert.equal(compacted.code, 0, compacted.stderr)
  assert.match(compacted.stdout, /^The files had [\d.]+ MiB and have [\d.]+ MiB\.\n$/)
  const stats = cairn([data, 'db', 'stats', '--json'])
  assert.equal(stats.code, 0, stats.stderr)
  const { tables, fileBytes } = JSON.parse(stats.stdout)
  const body = tables.find(({ table }: { table: string }) => table === 'body')
  assert.deepEqual([body.rows, body.bytes], [ENTRIES / 2, (ENTRIES / 2) * (VALUE_BYTES + 3)])
  assert.ok(fileBytes < body.bytes * 1.2, `${fileBytes}`)
  assert.match(cairn([data, 'db', 'stats']).stdout, /^Table +rows +bytes\n.*^body +2000 +5\.7 MiB$/ms)
  assert.match(cairn([data, 'db', 'prune']).stderr, /Nothing is to be removed: give --keep-states/)
})
