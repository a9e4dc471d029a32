import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { Artifacts } from './artifacts.ts'

function emptyFolder(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-artifacts-'))
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const ARTIFACT = JSON.stringify({ abi: [], deployedBytecode: '0x6001' })

test('pipes, folders and malformed files next to an artifact are ignored', (context) => {
  const folder = emptyFolder(context)
  writeFileSync(join(folder, 'Token.json'), ARTIFACT)
  execFileSync('mkfifo', [join(folder, 'Pipe.json')])
  mkdirSync(join(folder, 'Folder.json'))
  symlinkSync('/dev/zero', join(folder, 'Device.json'))
  symlinkSync('nowhere', join(folder, 'Lost.json'))
  writeFileSync(join(folder, 'Deep.json'), '['.repeat(100_000))
  writeFileSync(join(folder, 'Odd.json'), '{"abi":[null,5,{"type":"error"}],"bytecode":5}')
  const artifacts = new Artifacts(folder)
  artifacts.refresh()
  assert.equal(artifacts.ofDeployedCode(Uint8Array.of(0x60, 0x01))?.name, 'Token')
})

test('a folder whose links lead back to it is refused', (context) => {
  const folder = emptyFolder(context)
  for (const name of ['a', 'b', 'c', 'd']) symlinkSync('.', join(folder, name))
  assert.throws(() => new Artifacts(folder), {
    kind: 'USAGE',
    message: /more than 20000 JSON files and folders/,
  })
})
