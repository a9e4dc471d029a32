/** Geth's programs from Go's module proxy, kept in a cache folder outside the checkout. */
import { execFileSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cacheFolder } from '../../scripts/build-native.ts'
import { findGo, findGoProgram } from './go-program.ts'

/** The older one tests eth/67 and eth/68 over a chain from proof of work to Cancun. */
export type GethVersion = 'v1.17.0' | 'v1.15.11'

/** Undefined if Go is missing; CI has it. */
export function findGethProgram(
  name: 'evm' | 'devp2p' | 'geth',
  version: GethVersion = 'v1.17.0',
): string | undefined {
  const from = `github.com/ethereum/go-ethereum/cmd/${name}`
  return findGoProgram({ name, from, version }, join(cacheFolder(), `geth-${name}-${version}`))
}

export interface GethChain {
  readonly folder: string
  readonly genesisFile: string
  /** The blocks as RLP. */
  readonly chainFile: string
  readonly networkId: string
}

/** The chain of geth's own peer tests, from geth's module; undefined if Go is missing. */
export function findGethChain(version: GethVersion = 'v1.17.0'): GethChain | undefined {
  const go = findGo()
  if (go === undefined) return undefined
  const module = `github.com/ethereum/go-ethereum@${version}`
  const download = execFileSync(go, ['mod', 'download', '-json', module], { encoding: 'utf8', cwd: tmpdir() })
  const { Dir } = JSON.parse(download) as { readonly Dir: string }
  const folder = join(Dir, 'cmd', 'devp2p', 'internal', 'ethtest', 'testdata')
  return {
    folder,
    genesisFile: join(folder, 'genesis.json'),
    chainFile: join(folder, 'chain.rlp'),
    networkId: '3503995874084926',
  }
}
