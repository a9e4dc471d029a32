import { arch, platform } from 'node:os'
import { fileURLToPath } from 'node:url'
import { readTextBounded } from '#platform/files/files.ts'
import { PROGRAM_ROOT } from '#platform/thread/own-modules.ts'

const PRODUCT = 'cairn'
const MAX_MANIFEST_BYTES = 64 * 1024

/** Besu's names of systems and processors, for tools that split the version. */
const SYSTEMS: Partial<Record<string, string>> = { darwin: 'osx', win32: 'windows' }
const PROCESSORS: Partial<Record<string, string>> = { x64: 'x86_64', arm64: 'aarch_64' }

/** The version in package.json, which is next to the folder of the program's modules. */
export function packageVersion(): string {
  const manifest = readTextBounded(
    fileURLToPath(new URL('../package.json', PROGRAM_ROOT)),
    MAX_MANIFEST_BYTES,
  )
  return (JSON.parse(manifest) as { version: string }).version
}

/** `cairn/v1.2.3/linux-x86_64/node-v24`; with an identity, `cairn/<identity>/v1.2.3/…`. */
export function clientVersion(identity?: string): string {
  const system = `${SYSTEMS[platform()] ?? platform()}-${PROCESSORS[arch()] ?? arch()}`
  const runtime = `node-v${process.versions.node.split('.')[0]}`
  return [PRODUCT, ...(identity ? [identity] : []), `v${packageVersion()}`, system, runtime].join('/')
}
