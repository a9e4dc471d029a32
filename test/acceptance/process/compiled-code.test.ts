import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { cachedDataVersionTag } from 'node:v8'
import { startNode } from '../../support/running-node.ts'

/** The threads that a start needs: main, the writer, a server, peers. */
const START_THREADS = 4

test('threads of a start run under the flags for which Node has compiled its own modules', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-flags-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const [preload, tags] = [join(folder, 'tag.cjs'), join(folder, 'tags')]
  // Every thread loads this file first. V8 accepts compiled code only if it has the same version tag.
  writeFileSync(
    preload,
    `const write = () => require('node:fs').appendFileSync(${JSON.stringify(tags)}, require('node:v8').cachedDataVersionTag() + ' ')
     write()
     if (require('node:worker_threads').isMainThread) process.once('exit', write)`,
  )
  const nodeFlags = [`--require=${preload}`]
  const node = await startNode(['--rpc-http-enabled'], undefined, undefined, { nodeFlags })
  await node.stop()
  const found = readFileSync(tags, 'utf8').trim().split(' ').map(Number)
  const ofExit = found.pop()
  assert.deepEqual(found, new Array(START_THREADS).fill(cachedDataVersionTag()))
  assert.notEqual(ofExit, cachedDataVersionTag(), 'a started node optimises later')
})
