import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { CHECKOUT } from '../test/support/copy-checkout.ts'

/** Builds the package's files, without types, into `place` and returns the path of its program. */
export function buildPackage(place: string): string {
  const build = [join(CHECKOUT, 'scripts', 'build.ts'), '--into', join(place, 'dist')]
  execFileSync(process.execPath, build, { stdio: 'inherit' })
  for (const name of ['bin', 'native/cairn_engine.node', 'package.json']) {
    if (existsSync(join(CHECKOUT, name))) cpSync(join(CHECKOUT, name), join(place, name), { recursive: true })
  }
  symlinkSync(join(CHECKOUT, 'node_modules'), join(place, 'node_modules'))
  return join(place, 'bin', 'cairn')
}
