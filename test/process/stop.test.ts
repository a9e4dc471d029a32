import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { GENESIS_TEXT } from '#chain/chain.fixture.ts'
import { PROGRAM, temporaryDirectory } from './program.ts'

test('a signal that comes while the node is still starting stops it in order', {
  timeout: 120_000,
}, async (context) => {
  const cwd = temporaryDirectory(context)
  writeFileSync(join(cwd, 'genesis.json'), GENESIS_TEXT)
  const child = spawn(
    process.execPath,
    [PROGRAM, '--data-path=data', '--genesis-file=genesis.json', '--p2p-port=0'],
    {
      cwd,
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  )
  let output = ''
  child.stderr.on('data', (text: Buffer) => {
    const wasStarting = output.includes('Starting')
    output += text
    if (!wasStarting && output.includes('Starting')) child.kill('SIGTERM')
  })
  const [code, signal] = await once(child, 'close')
  assert.deepEqual({ code, signal }, { code: 0, signal: null }, output)
  assert.match(output, /Received SIGTERM[\s\S]*Cairn has stopped/)
})
