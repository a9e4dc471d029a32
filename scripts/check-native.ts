/**
 * What CI asks of the crate native/: its form, clippy, where its crates come from, and that the engine that was built
 * loads. Clippy reads the sources once more, so its folder is kept in the cache too.
 *
 *   node scripts/check-native.ts
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createNativeEngine } from '#evm/engine-native.ts'
import { cacheFolder } from './build-native.ts'

const crate = join(import.meta.dirname, '..', 'native')
const CRATES_IO = 'registry+https://github.com/rust-lang/crates.io-index'

function cargo(...args: string[]): void {
  execFileSync('cargo', args, {
    cwd: crate,
    stdio: 'inherit',
    env: { ...process.env, CARGO_TARGET_DIR: join(cacheFolder(), 'clippy') },
  })
}

/** cargo-deny knows licences too, but takes minutes to install; it runs where somebody has it. */
function checkSources(): void {
  const lock = readFileSync(join(crate, 'Cargo.lock'), 'utf8')
  const foreign = [...lock.matchAll(/^source = "(.*)"$/gm)].filter(([, source]) => source !== CRATES_IO)
  if (foreign.length > 0) throw new Error(`Cargo.lock has a crate from ${foreign[0]![1]}.`)
  try {
    execFileSync('cargo-deny', ['--version'], { stdio: 'ignore' })
  } catch {
    console.log('cargo-deny is not installed: licences are not checked (cargo install cargo-deny).')
    return
  }
  cargo('deny', '--offline', 'check', 'bans', 'licenses', 'sources')
}

cargo('fmt', '--check')
cargo('clippy', '--locked', '--all-targets', '--quiet', '--', '--deny', 'warnings')
checkSources()
const native = createNativeEngine()
if (!native.ok) throw new Error(`The native engine does not load: ${native.sentence}`)
console.log(`The native engine loads from ${native.path}.`)
