/**
 * Packs a release as tarballs in dist-native/ (npm run pack:native): the package itself, and one package per platform that
 * contains only the compiled engine. npm installs the one that fits the machine (the convention of napi-rs).
 *
 * zig links the binaries against the oldest C library that Node supports, so they load on every machine that runs Node, and
 * one machine can build for other processors. zig is installed through Python; Rust must have the targets
 * (`rustup target add aarch64-unknown-linux-gnu`).
 *
 *   node scripts/pack-native.ts                        for the platform of this machine
 *   node scripts/pack-native.ts --only linux-arm64-gnu  for another
 *   node scripts/pack-native.ts --all                  for every platform of a release
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { BINARY, build, crossBuild } from './build-native.ts'
import { installPinned, type PinnedPackage } from './python-programs.ts'
import { type Lockfile, SHRINKWRAP } from './shrinkwrap.ts'

const root = join(import.meta.dirname, '..')
const GLIBC = '2.28'
const ELF_MACHINE = 18
const ZIG: readonly PinnedPackage[] = [
  {
    requirement: 'ziglang==0.17.0',
    sha256: [
      '97079827064a7492cce5541ceb438ae8003ce1e54e399676da2d62fb7a5dc08b', // Linux, x64
      'd2804f94f54f7fcf8169f4b212a619ad688a4e2e6592e976f0cf2e58e2cd8af3', // Linux, arm64
      '87274af689c4128051b26c80f6f676757e0a81c2fdc137fd8b5679e928e4bc4f', // macOS, arm64
    ],
  },
  {
    requirement: 'cargo-zigbuild==0.24.0',
    sha256: [
      '484412e39e4c6039474535ce97ee75a22bab22d58233056f8ec8a8f9034bb957', // Linux, x64
      '6942e4320f7b05d8fb29e0a8ce5670bcbb3d254275100b85b5b7c86552f9a744', // Linux, arm64
      'b576e8b95ff199eedee0e57afcdbaff7579744916261483280d350b9a35711fd', // macOS
    ],
  },
]

interface Platform {
  readonly name: string
  readonly cpu: 'x64' | 'arm64'
  readonly target: string
  /** The machine number in the header of its programs. */
  readonly machine: number
}

const PLATFORMS: readonly Platform[] = [
  { name: 'linux-x64-gnu', cpu: 'x64', target: 'x86_64-unknown-linux-gnu', machine: 62 },
  { name: 'linux-arm64-gnu', cpu: 'arm64', target: 'aarch64-unknown-linux-gnu', machine: 183 },
]

interface Manifest {
  readonly name: string
  readonly version: string
  readonly license: string
  readonly engines: object
  readonly scripts: object
}

const DESTINATION = join(root, 'dist-native')

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest
const packageName = ({ name }: Platform): string => `${manifest.name}-${name}`

/** The path at which main() puts a platform's tarball. */
export function packedPlatform(name: string): string {
  return join(DESTINATION, `${manifest.name}-${name}-${manifest.version}.tgz`)
}

const fits = ({ cpu }: Platform) => ({ os: ['linux'], cpu: [cpu], libc: ['glibc'] })

/** Packs the tarball of one platform from its binary. */
export function packPlatform(platform: Platform, binary: string, destination: string): string {
  const { version, license, engines } = manifest
  const folder = mkdtempSync(join(tmpdir(), 'cairn-pack-'))
  const description = `The native engine of ${manifest.name} for ${platform.name}`
  const content = {
    name: packageName(platform),
    version,
    description,
    license,
    engines,
    ...fits(platform),
    main: BINARY,
  }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ ...content, files: [BINARY] }, null, 2)}\n`)
  copyFileSync(binary, join(folder, BINARY))
  return pack(folder, destination)
}

/** Packs the package itself, which depends on the platform packages and pins the packed ones. */
export function packMain(destination: string, packed: readonly Packed[] = []): string {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-pack-'))
  execFileSync('tar', ['xzf', pack(root, folder), '-C', folder])
  const content = join(folder, 'package')
  const optionalDependencies = Object.fromEntries(
    PLATFORMS.map((each) => [packageName(each), manifest.version]),
  )
  const write = (name: string, value: object) =>
    writeFileSync(join(content, name), `${JSON.stringify(value, null, 2)}\n`)
  // It is already built, so it needs no scripts.
  write('package.json', { ...manifest, scripts: {}, optionalDependencies })
  const pinned = JSON.parse(readFileSync(join(content, SHRINKWRAP), 'utf8')) as Lockfile
  const itself = { ...pinned.packages[''], optionalDependencies }
  const platforms = packed.map(({ platform, tarball }) => [
    `node_modules/${packageName(platform)}`,
    { version: manifest.version, integrity: integrityOf(tarball), optional: true, ...fits(platform) },
  ])
  write(SHRINKWRAP, {
    ...pinned,
    packages: { ...pinned.packages, '': itself, ...Object.fromEntries(platforms) },
  })
  return pack(content, destination)
}

export interface Packed {
  readonly platform: Platform
  readonly tarball: string
}

/** The hash in npm's format: the published tarball must have these bytes. */
function integrityOf(tarball: string): string {
  return `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`
}

export function platformHere(): Platform | undefined {
  return PLATFORMS.find(({ cpu }) => process.platform === 'linux' && process.arch === cpu)
}

function pack(folder: string, destination: string): string {
  const args = ['pack', '--silent', `--pack-destination=${destination}`]
  const name = execFileSync('npm', args, { cwd: folder, encoding: 'utf8' }).trim().split('\n').at(-1)!
  return join(destination, name)
}

/** Rust's standard library for another processor is not part of every installation. */
function requireTarget(target: string): void {
  const args = ['--print', 'target-libdir', '--target', target]
  const folder = execFileSync('rustc', args, { encoding: 'utf8' }).trim()
  if (!existsSync(folder)) throw new Error(`Rust lacks ${target}; run \`rustup target add ${target}\`.`)
}

/** The binary of another processor cannot run here, so its header and its C library version are checked. */
function inspect({ name, machine }: Platform, binary: string): string {
  const bytes = readFileSync(binary)
  const found = bytes.readUInt16LE(ELF_MACHINE)
  if (found !== machine) throw new Error(`${binary} is for machine ${found} and not for ${name}.`)
  const minors = [...bytes.toString('latin1').matchAll(/GLIBC_2\.(\d+)/g)].map(([, minor]) => Number(minor))
  const glibc = `2.${Math.max(...minors)}`
  if (Math.max(...minors) > Number(GLIBC.slice(2))) throw new Error(`${binary} needs glibc ${glibc}.`)
  return `${name}: ${megabytes(binary)}, needs glibc ${glibc}`
}

const megabytes = (file: string): string => `${(statSync(file).size / 1e6).toFixed(1)} MB`

export interface Choice {
  readonly all?: boolean | undefined
  readonly only?: string | undefined
}

/** The platforms to pack; by default the platform of this machine. */
export function choosePlatforms(
  { all = false, only }: Choice,
  here: Platform | undefined,
): readonly Platform[] {
  const names = PLATFORMS.map(({ name }) => name).join(', ')
  if (all && only !== undefined) throw new Error('Give either --all or --only.')
  if (all) return PLATFORMS
  const chosen = only === undefined ? here : PLATFORMS.find(({ name }) => name === only)
  if (chosen !== undefined) return [chosen]
  throw new Error(
    only === undefined
      ? `There is no package for this machine; name one of ${names} with --only, or give --all.`
      : `There is no platform ${only}; there are ${names}.`,
  )
}

function main(choice: Choice): void {
  const platforms = choosePlatforms(choice, platformHere())
  for (const { target } of platforms) requireTarget(target)
  const zig = installPinned(ZIG)
  rmSync(DESTINATION, { recursive: true, force: true })
  mkdirSync(DESTINATION)
  const made = platforms.map((platform) => {
    const binary = build(crossBuild(platform.target, GLIBC, zig))
    console.log(inspect(platform, binary))
    return { platform, tarball: packPlatform(platform, binary, DESTINATION) }
  })
  const tarballs = [...made.map(({ tarball }) => tarball), packMain(DESTINATION, made)]
  for (const tarball of tarballs) console.log(`${tarball}: ${megabytes(tarball)}`)
}

if (import.meta.main) {
  main(parseArgs({ options: { all: { type: 'boolean' }, only: { type: 'string' } } }).values)
}
