import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { packMain, packPlatform, platformHere } from '../../scripts/pack-native.ts'
import { CHECKOUT } from '../copy-checkout.ts'
import { temporaryDirectory } from './program.ts'

const platform = platformHere()
const binary = join(CHECKOUT, 'native', 'cairn_engine.node')
const skip = platform !== undefined && existsSync(binary) ? false : 'there is no binary for this platform'

const PROGRAM = `
const { createNativeEngine } = await import('./node_modules/cairn-node/dist/evm/engine-native.js')
const { ok, path, sentence } = createNativeEngine()
console.log(JSON.stringify({ ok, path, sentence }))
`

test('the package with that of its platform runs the native engine, and without it says so', {
  skip,
}, (context) => {
  const packs = temporaryDirectory(context)
  const tarball = packPlatform(platform!, binary, packs)
  const main = packMain(packs, [{ platform: platform!, tarball }])
  const cwd = temporaryDirectory(context)
  const npm = (...args: string[]) =>
    execFileSync('npm', [...args, '--no-audit', '--no-fund'], { cwd, stdio: 'ignore' })
  const run = () =>
    JSON.parse(
      execFileSync(process.execPath, ['--input-type=module', '-e', PROGRAM], { cwd, encoding: 'utf8' }),
    )
  npm('init', '--yes')
  // The packages of the platforms are nowhere yet: one that cannot be had is left out.
  npm('install', main)
  const without = run()
  assert.equal(without.ok, false)
  assert.match(without.sentence, /There is no cairn-node-/)

  npm('install', tarball)
  assert.deepEqual(run(), { ok: true, path: `cairn-node-${platform!.name}` })
})
