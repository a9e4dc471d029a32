import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { findings } from './troubleshooting.ts'

const doctor = join(import.meta.dirname, '..', 'src', 'doctor')
/** Texts of other rooms, which doctor only passes on. */
const PASSED_ON = ['sentence', 'exposure']

test('troubleshooting has every problem that doctor words itself', () => {
  const calls = ['file-checks.ts', 'machine-checks.ts', 'network-checks.ts'].flatMap((file) =>
    [...readFileSync(join(doctor, file), 'utf8').matchAll(/\b(?:error|warning)\(\s*(\w*)/g)].map(
      ([, name]) => name!,
    ),
  )
  const own = calls.filter((name) => !PASSED_ON.includes(name))
  assert.equal(findings().length, own.length)
  assert.ok(own.includes('problem'), 'a problem in a constant is found too')
})
