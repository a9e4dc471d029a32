/**
 * The target of RPC vectors: a node on an imported chain, in this process or over HTTP. Both use the same vectors and
 * the same criteria.
 */
import type { Pack } from '../suite.ts'
import { openHttp } from './http-target.ts'
import { openInProcess } from './in-process-target.ts'

export interface RpcReply {
  /** The HTTP status. */
  readonly status: number
  readonly body: string
}

export interface RpcTarget {
  ask(request: string): Promise<RpcReply>
  stop(): Promise<void>
}

/** A chain of the pack and the options of the node that serves it. */
export interface ServedChain {
  /** Folder in the pack. */
  readonly folder: string
  /** Path in that folder; genesis.json by default. */
  readonly genesisFile?: string
  /** Path in that folder; if undefined, the chain has only its genesis block. */
  readonly blocksFile?: string
  /** Blocks that are not in a file of the pack. */
  readonly blocks?: readonly Uint8Array[]
  /** Options as on the command line. */
  readonly options: readonly string[]
  /** True if the head is marked safe and finalized, as another node's fork choice would do. */
  readonly isFinal?: boolean
}

export type OpenTarget = (pack: Pack, chain: ServedChain) => Promise<RpcTarget>

/** Parses `--target=http` and the options of its node, such as `--rpc-threads=3`; in this process by default. */
export function chooseTarget(flags: readonly string[]): OpenTarget {
  const nodeOptions = flags.filter((flag) => !flag.startsWith('--target='))
  if (flags.includes('--target=http')) return openHttp(nodeOptions)
  const unknown = flags.filter((flag) => flag !== '--target=in-process')
  if (unknown.length > 0) throw new Error(`${unknown.join(' ')}: options of a node need --target=http`)
  return openInProcess
}
