/**
 * The CI checks of the crate native/: format, clippy, sources and licences of its crates, and that the built engine
 * loads. Clippy compiles the sources again, so its folder is in the cache too.
 *
 *   node scripts/check-native.ts
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'smol-toml'
import { createNativeEngine } from '#evm/engine-native.ts'
import { cacheFolder } from './build-native.ts'
import { findForbidden, TREE } from './crates.ts'

const crate = join(import.meta.dirname, '..', 'native')

function cargo(...args: string[]): void {
  execFileSync('cargo', args, {
    cwd: crate,
    stdio: 'inherit',
    env: { ...process.env, CARGO_TARGET_DIR: join(cacheFolder(), 'clippy') },
  })
}

/** Not every Rust distribution has these two. The build itself is never skipped. */
function cargoIfThere(subcommand: string, ...args: string[]): void {
  const isThere = spawnSync('cargo', [subcommand, '--version'], { stdio: 'ignore' }).status === 0
  if (isThere) cargo(subcommand, ...args)
  else
    console.log(
      `SKIPPED: there is no \`cargo ${subcommand}\`; install it (rustup component add, or apt-get).`,
    )
}

/**
 * Equivalent to `cargo deny check bans licenses sources` with the same file; docs/internals/dependencies.md explains why
 * it is not used.
 */
function checkCrates(): void {
  const tree = execFileSync('cargo', ['tree', '--locked', ...TREE], { cwd: crate, encoding: 'utf8' })
  const rules = parse(readFileSync(join(crate, 'deny.toml'), 'utf8')) as { licenses: { allow: string[] } }
  const forbidden = findForbidden(readFileSync(join(crate, 'Cargo.lock'), 'utf8'), tree, rules.licenses.allow)
  if (forbidden.length > 0) throw new Error(forbidden.join('\n'))
}

cargoIfThere('fmt', '--check')
cargoIfThere('clippy', '--locked', '--all-targets', '--quiet', '--', '--deny', 'warnings')
checkCrates()
const native = createNativeEngine()
if (!native.ok) throw new Error(`The native engine does not load: ${native.sentence}`)
console.log(`The native engine loads from ${native.path}.`)
