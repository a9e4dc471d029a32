/**
 * A copy of the checkout for changes: the files that git knows or would add, the native engine, and the same
 * node_modules.
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'

export const CHECKOUT = join(import.meta.dirname, '..', '..')
const NATIVE_ENGINE = join('native', 'cairn_engine.node')

export function copyCheckout(copy: string): string {
  const list = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: CHECKOUT,
    encoding: 'utf8',
    maxBuffer: 16 * 1024 * 1024,
  })
  const files = list.split('\0').filter((file) => file !== '' && existsSync(join(CHECKOUT, file)))
  if (existsSync(join(CHECKOUT, NATIVE_ENGINE))) files.push(NATIVE_ENGINE)
  for (const file of files) {
    mkdirSync(dirname(join(copy, file)), { recursive: true })
    copyFileSync(join(CHECKOUT, file), join(copy, file))
  }
  symlinkSync(join(CHECKOUT, 'node_modules'), join(copy, 'node_modules'))
  return copy
}
