import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openPack, packFolder } from './pack.ts'
import { regressions } from './ratchet.ts'
import { PLAYED } from './suites.ts'
import { forgottenFiles } from './waiting.ts'

const MAIN = join(import.meta.dirname, 'main.ts')

function run(suite: string, pack: string) {
  const env = { ...process.env, CAIRN_CONFORMANCE: pack }
  const { status, stdout } = spawnSync(process.execPath, [MAIN, suite], { env, encoding: 'utf8' })
  const [, met] = stdout.match(new RegExp(`^${suite}: (\\d+)/`, 'm')) ?? []
  return { status, met: Number(met) }
}

test('one changed value in a copy of the pack makes the count drop by one', (context) => {
  const copy = mkdtempSync(join(tmpdir(), 'cairn-pack-'))
  context.after(() => rmSync(copy, { recursive: true }))
  cpSync(join(packFolder(), 'bft'), join(copy, 'bft'), { recursive: true })
  execFileSync('chmod', ['-R', 'u+w', copy])
  const whole = run('bft', copy)
  assert.equal(whole.status, 0)

  const file = join(copy, 'bft', 'extra-data-vectors.json')
  const text = readFileSync(file, 'utf8')
  const changed = text.replace('"round": 16702650', '"round": 16702651')
  assert.notEqual(changed, text)
  writeFileSync(file, changed)
  assert.deepEqual(run('bft', copy), { status: 1, met: whole.met - 1 })
})

test('without the pack the run is a visible skip, and in CI a failure', () => {
  const nowhere = { ...process.env, CAIRN_CONFORMANCE: '/nowhere' }
  const skipped = spawnSync(process.execPath, [MAIN, 'all'], {
    env: { ...nowhere, CI: '' },
    encoding: 'utf8',
  })
  assert.equal(skipped.status, 0)
  assert.match(skipped.stdout, /^SKIPPED/)
  const failed = spawnSync(process.execPath, [MAIN, 'all'], {
    env: { ...nowhere, CI: 'true' },
    encoding: 'utf8',
  })
  assert.equal(failed.status, 1)
})

test('a lower count, a lost unit and a new reason are regressions', () => {
  const before = { total: 3, met: 2, unmet: { c: 'waits: later' } }
  const judge = (now: typeof before, newReasonsAllowed = false) =>
    regressions('s', before, now, { newReasonsAllowed })
  assert.deepEqual(judge(before), [])
  assert.equal(judge({ ...before, met: 1 }).length, 1)
  assert.equal(judge({ ...before, total: 2 }).length, 1)
  assert.equal(judge({ ...before, unmet: { c: 'waits: never' } }).length, 1)
  assert.equal(judge({ ...before, unmet: { c: 'waits: never' } }, true).length, 0)
  assert.equal(judge({ ...before, unmet: { c: 'FAILED: wrong' } }, true).length, 1)
})

test('every file of the pack is played, waits by name, or is a fact to read', () => {
  const pack = openPack()!
  const names = PLAYED.map(({ name }) => name)
  assert.deepEqual(forgottenFiles(pack, names), [])
  const planted = { ...pack, files: () => [...pack.files('.'), 'txpool/vectors.json'] }
  assert.deepEqual(forgottenFiles(planted, names), ['txpool/vectors.json'])
})
