import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { packMain, packPlatform, platformHere } from '../../../scripts/pack-native.ts'
import { CHECKOUT } from '../../support/copy-checkout.ts'
import { temporaryDirectory } from '../../support/program.ts'
import { startNode } from '../../support/running-node.ts'

const platform = platformHere()
const binary = join(CHECKOUT, 'native', 'cairn_engine.node')
const skip = platform !== undefined && existsSync(binary) ? false : 'no binary is built for this platform'

test('the package runs the native engine with its platform package, and warns without it', {
  skip,
}, async (context) => {
  const packs = temporaryDirectory(context)
  const tarball = packPlatform(platform!, binary, packs)
  const main = packMain(packs, [{ platform: platform!, tarball }])
  const cwd = temporaryDirectory(context)
  const npm = (...args: string[]) =>
    execFileSync('npm', [...args, '--no-audit', '--no-fund'], { cwd, stdio: 'ignore' })
  const selected = async () => {
    const program = join(cwd, 'node_modules', 'cairn-node', 'bin', 'cairn')
    const node = await startNode(['--network=dev'], undefined, program)
    await node.stop()
    const line = node
      .output()
      .split('\n')
      .find((each) => each.includes('Selected EVM engine'))
    return (JSON.parse(line!) as { fields: { engine: string; reason: string } }).fields
  }
  npm('init', '--yes')
  // The platform packages are not published yet; npm skips optional packages that it cannot get.
  npm('install', main)
  const without = await selected()
  assert.equal(without.engine, 'js')
  assert.match(without.reason, /There is no cairn-node-/)

  npm('install', tarball)
  assert.equal((await selected()).engine, 'native')
})
