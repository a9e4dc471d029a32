import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { BENCHES } from './bench.ts'
import { NIGHTLY } from './nightly.ts'

const root = join(import.meta.dirname, '..')

for (const [script, programs] of Object.entries({ bench: BENCHES, nightly: NIGHTLY })) {
  test(`every program of npm run ${script} exists`, () => {
    for (const [name, { args }] of Object.entries(programs)) {
      const file = args.find((arg) => arg.endsWith('.ts'))
      assert.notDeepEqual(globSync(file ?? '', { cwd: root }), [], name)
    }
  })

  test(`npm run ${script} lists its names when it is given a wrong one`, () => {
    const { status, stderr } = spawnSync(process.execPath, [`scripts/${script}.ts`, 'constructor'], {
      cwd: root,
      encoding: 'utf8',
    })
    assert.equal(status, 2)
    assert.match(stderr, /'constructor' is not a name/)
    for (const [name, { does }] of Object.entries(programs))
      assert(stderr.includes(name) && stderr.includes(does))
  })
}
