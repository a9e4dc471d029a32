/**
 * Builds the native engine (npm run build:native) with this machine's cargo, in a cache folder outside the checkout, so a
 * machine builds the same sources once. Copies it to the path that src/evm/native/load-addon.ts reads.
 *
 *   node scripts/build-native.ts            the engine, for this machine
 *   node scripts/build-native.ts --cached   the same, if it was built before; otherwise nothing changes
 *   node scripts/build-native.ts --bench    native/benches/bare.rs; prints its path and leaves it in the cache
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { parseArgs } from 'node:util'

const root = join(import.meta.dirname, '..')
const crate = join(root, 'native')
export const BINARY = 'cairn_engine.node'
/** The file name of a library that cargo builds, by platform. */
const LIBRARY: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: 'libcairn_engine.dylib',
  win32: 'cairn_engine.dll',
}
const UNIX_LIBRARY = 'libcairn_engine.so'

export interface Build {
  /** The files of the crate that affect the result. */
  readonly sources: RegExp
  /** The arguments of `cargo`. */
  readonly args: readonly string[]
  /** The path of the result in cargo's target folder. */
  readonly made: string
  /** The name in the cache folder. */
  readonly name: string
  readonly env?: NodeJS.ProcessEnv
}

const ADDON_SOURCES = /^(src\/.*|build)\.rs$|^Cargo\.(toml|lock)$/

const ADDON: Build = {
  sources: ADDON_SOURCES,
  args: ['build', '--release', '--lib'],
  made: join('release', LIBRARY[process.platform] ?? UNIX_LIBRARY),
  name: BINARY,
}

const BARE: Build = {
  sources: /^benches\/.*\.rs$|^Cargo\.(toml|lock)$/,
  args: ['build', '--release', '--example', 'bare'],
  made: join('release', 'examples', 'bare'),
  name: 'bare',
}

/** The engine for another processor, or for older systems; `zig` is a folder with cargo-zigbuild and zig. */
export function crossBuild(target: string, glibc: string, zig: string): Build {
  return {
    sources: ADDON_SOURCES,
    args: ['zigbuild', '--release', '--lib', '--target', `${target}.${glibc}`],
    made: join(target, 'release', UNIX_LIBRARY),
    name: BINARY,
    env: { PATH: `${zig}:${process.env.PATH}` },
  }
}

export function cacheFolder(): string {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'cairn')
}

/** Returns the path of the result, built now or before. */
export function build(what: Build): string {
  const result = placeOf(what)
  if (!existsSync(result)) compile(what, dirname(result), result)
  return result
}

function placeOf(what: Build): string {
  return join(cacheFolder(), `native-${hashOfSources(what)}`, what.name)
}

/** Hashes sources, versions, settings and the compiler. */
function hashOfSources({ sources, args }: Build): string {
  const hash = createHash('sha256').update(`${compilerVersion()}\n${args.join(' ')}\n`)
  const files = readdirSync(crate, { recursive: true, encoding: 'utf8' }).filter((path) => sources.test(path))
  for (const file of files.sort()) hash.update(`${file}\n`).update(readFileSync(join(crate, file)))
  return hash.digest('hex').slice(0, 16)
}

function compile({ args, made, env }: Build, folder: string, result: string): void {
  mkdirSync(folder, { recursive: true })
  const targetFolder = join(folder, 'target')
  execFileSync('cargo', [...args, '--locked', '--manifest-path', join(crate, 'Cargo.toml')], {
    // Standard output is only for the path of the result.
    stdio: ['ignore', 2, 2],
    env: { ...process.env, ...env, CARGO_TARGET_DIR: targetFolder },
  })
  copyFileSync(join(targetFolder, made), `${result}.new`)
  renameSync(`${result}.new`, result)
  // Removes half a gigabyte that is not needed again: the next build has other sources and another folder.
  rmSync(targetFolder, { recursive: true, force: true })
}

function compilerVersion(): string {
  try {
    return execFileSync('rustc', ['--version', '--verbose'], { encoding: 'utf8' })
  } catch (cause) {
    const sentence =
      'rustc is missing or fails; install Rust (https://rustup.rs) or run with CAIRN_ENGINE=js.'
    throw new Error(sentence, { cause })
  }
}

function install(binary: string): void {
  const place = join(crate, BINARY)
  // Copied in two steps, because a running process keeps the file that it has mapped.
  copyFileSync(binary, `${place}.new`)
  renameSync(`${place}.new`, place)
  console.log(`${relative(process.cwd(), place)} from ${binary}`)
}

/** After an update of the sources, the installed engine may be of others, so `npm run check` starts with this. */
function installCached(): void {
  if (spawnSync('rustc', ['--version'], { stdio: 'ignore' }).status !== 0) return
  const binary = placeOf(ADDON)
  if (existsSync(binary)) install(binary)
  else console.log('The native engine of these sources is not built; npm run build:native does it.')
}

if (import.meta.main) {
  const flag = { type: 'boolean', default: false } as const
  const { values } = parseArgs({ options: { bench: flag, cached: flag } })
  if (values.bench) console.log(build(BARE))
  else if (values.cached) installCached()
  else install(build(ADDON))
}
