/** The `evm` of geth, from the module proxy of Go, kept in a cache folder outside the checkout. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { cacheFolder } from '../../scripts/build-native.ts'

const VERSION = 'v1.17.0'

/** undefined where Go is missing; CI has it. */
export function findGethEvm(): string | undefined {
  const folder = join(cacheFolder(), `geth-evm-${VERSION}`)
  const program = join(folder, 'evm')
  if (existsSync(program)) return program
  try {
    execFileSync('go', ['version'], { stdio: 'ignore' })
  } catch (cause) {
    if (process.env.CI === 'true') throw new Error('Go is missing: geth cannot be asked.', { cause })
    return undefined
  }
  console.log(`Building geth's evm ${VERSION}, once on this machine.`)
  execFileSync('go', ['install', `github.com/ethereum/go-ethereum/cmd/evm@${VERSION}`], {
    stdio: 'inherit',
    env: { ...process.env, GOBIN: folder, CGO_ENABLED: '0' },
  })
  return program
}
