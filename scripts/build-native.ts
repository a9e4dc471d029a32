/**
 * Builds the native engine (npm run build:native) with the cargo of this machine, into a cache folder outside the
 * checkout, so that a machine builds the same sources once; and copies it to where src/evm/native/load-addon.ts looks.
 *
 *   node scripts/build-native.ts [--target aarch64-unknown-linux-gnu]
 *
 * With a target the binary is left in the cache folder, whose path is printed: this machine cannot load it.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'

const root = join(import.meta.dirname, '..')
const crate = join(root, 'native')
const BINARY = 'cairn_engine.node'
/** What cargo names a library, by platform. */
const LIBRARY: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: 'libcairn_engine.dylib',
  win32: 'cairn_engine.dll',
}
const UNIX_LIBRARY = 'libcairn_engine.so'

/** What decides about the binary: sources, versions, settings, and the compiler. */
export function sourceFiles(folder = crate): string[] {
  const isSource = (path: string) => /\.(rs|toml|lock)$/.test(path) && !path.startsWith('target')
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(isSource).sort()
}

export function hashOfSources(compiler: string, target = ''): string {
  const hash = createHash('sha256').update(`${compiler}\n${target}\n`)
  for (const file of sourceFiles()) hash.update(`${file}\n`).update(readFileSync(join(crate, file)))
  return hash.digest('hex').slice(0, 16)
}

function cacheFolder(): string {
  const base = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
  return join(base, 'cairn')
}

function build(target: string | undefined): void {
  const compiler = run('rustc', ['--version', '--verbose'])
  const folder = join(cacheFolder(), `native-${hashOfSources(compiler, target)}`)
  const binary = join(folder, BINARY)
  if (!existsSync(binary)) compile(folder, binary, target)
  if (target !== undefined) {
    console.log(binary)
    return
  }
  // In two steps: a process that runs keeps the file it has mapped.
  const place = join(crate, BINARY)
  copyFileSync(binary, `${place}.new`)
  renameSync(`${place}.new`, place)
  console.log(`${relative(process.cwd(), place)} from ${folder}`)
}

function compile(folder: string, binary: string, target: string | undefined): void {
  mkdirSync(folder, { recursive: true })
  const targetFolder = join(folder, 'target')
  const args = ['build', '--release', '--locked', '--manifest-path', join(crate, 'Cargo.toml')]
  execFileSync('cargo', [...args, ...(target === undefined ? [] : ['--target', target])], {
    stdio: 'inherit',
    env: { ...process.env, CARGO_TARGET_DIR: targetFolder },
  })
  const library = target === undefined ? (LIBRARY[process.platform] ?? UNIX_LIBRARY) : UNIX_LIBRARY
  copyFileSync(join(targetFolder, target ?? '', 'release', library), `${binary}.new`)
  renameSync(`${binary}.new`, binary)
  // Half a gigabyte that nobody needs again: the next build has other sources, and another folder.
  rmSync(targetFolder, { recursive: true, force: true })
}

function run(command: string, args: readonly string[]): string {
  try {
    return execFileSync(command, args, { encoding: 'utf8' })
  } catch (cause) {
    const sentence = `${command} is missing or fails; install Rust (https://rustup.rs) or run with CAIRN_ENGINE=js.`
    throw new Error(sentence, { cause })
  }
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { target: { type: 'string' } } })
  build(values.target)
}
