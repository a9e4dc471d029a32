import assert from 'node:assert/strict'
import { test } from 'node:test'
import { watchMachine } from '../../../support/busy-machine.ts'
import { cairn, PROGRAM } from '../../../support/program.ts'

test('the version is printed in under 300 ms', (t) => {
  const machine = watchMachine()
  const milliseconds = (args: string[]) => {
    const samples = Array.from({ length: 7 }, () => {
      const start = performance.now()
      const { code } = cairn(args.slice(1), { program: args[0]! })
      assert.equal(code, 0)
      return performance.now() - start
    })
    return Math.min(...samples)
  }
  const version = milliseconds([PROGRAM, '--version'])
  const bare = milliseconds(['-e', '0'])
  console.log(`cairn --version: ${version.toFixed(0)} ms; node -e 0: ${bare.toFixed(0)} ms (best of 7)`)
  assert.ok(version < 300 || machine.isBusy(t), `${version} ms`)
})
