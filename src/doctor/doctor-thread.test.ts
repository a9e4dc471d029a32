import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { systemClock } from '#platform/clock.ts'
import { createLog } from '#platform/log/log.ts'
import { genesisOf } from './doctor.fixture.ts'
import { Doctor } from './doctor-thread.ts'

const parts = { clock: systemClock, log: createLog({ level: 'OFF' }) }

function argsOf(context: TestContext): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-doctor-'))
  context.after(() => rmSync(folder, { recursive: true }))
  const [genesis, key] = [join(folder, 'genesis.json'), join(folder, 'key')]
  writeFileSync(genesis, genesisOf({}))
  writeFileSync(key, '<b>not a key</b>', { mode: 0o644 })
  return [
    `--data-path=${folder}/data`,
    `--genesis-file=${genesis}`,
    `--node-private-key-file=${key}`,
    '--p2p-enabled=false',
  ]
}

test('callers share the findings of one run, which does not read the key', async (context) => {
  const doctor = new Doctor({ args: argsOf(context), environment: {} }, parts)
  context.after(() => doctor.stop())
  const [one, other] = await Promise.all([doctor.report(), doctor.report()])
  assert.equal(one, other)
  assert.equal(await doctor.report(), one)
  assert.ok(one.checks > 20)
  const ids = one.findings.map(({ id }) => id)
  assert.ok(ids.includes('secret-modes'), ids.join())
  assert.ok(!ids.includes('node-key'), ids.join())
})

test('options that are wrong now are an error, and the next report tries again', async () => {
  const doctor = new Doctor({ args: ['--data-path'], environment: {} }, parts)
  const first = doctor.report()
  await assert.rejects(first)
  const second = doctor.report()
  assert.notEqual(first, second)
  await assert.rejects(second)
})

test('a stop ends a run that has begun', async (context) => {
  const doctor = new Doctor({ args: argsOf(context), environment: {} }, parts)
  const report = doctor.report()
  await doctor.stop()
  await assert.rejects(report)
})
