import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'

/** Runs in its own process, because the hooks stay registered. Returns the value of the last expression. */
function run(script: string): string {
  const finder = import.meta.resolve('./own-modules.ts')
  const whole = `import * as path from 'node:path'
    const early = await import('${import.meta.resolve('#types/hex.ts')}')
    const { findOwnModulesByName } = await import('${finder}')
    findOwnModulesByName()
    ${script}`
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '--eval', whole], {
    encoding: 'utf8',
    timeout: 30_000,
  })
  assert.equal(status, 0, stderr)
  return stdout.trim()
}

test('a module found by its name is the one that Node finds, also if both loaded it', () => {
  const entry = import.meta.resolve('#types/rlp.ts')
  const found = run(
    `const { Fault } = await import('${import.meta.resolve('#types/fault.ts')}')
     try { early.parseData('no hex') } catch (error) { console.log(error instanceof Fault) }
     await import('${entry}')
     console.log((await import('${import.meta.resolve('#types/hex.ts')}')) === early)`,
  )
  assert.equal(found, 'true\ntrue')
})

test('foreign imports and other kinds of imports resolve as usual', () => {
  const found = run(
    `const outside = 'data:text/javascript,export { default as x } from "node:path"'
     console.log((await import(outside)).x === path.default)
     const stranger = 'data:text/javascript,import "%23types/hex.ts"'
     await import(stranger).catch(({ code }) => console.log(code))
     await import('${import.meta.resolve('#platform/fast-keccak.ts')}').then(() => console.log('packages too'))`,
  )
  assert.equal(found, 'true\nERR_UNSUPPORTED_RESOLVE_REQUEST\npackages too')
})
