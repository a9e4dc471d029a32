/**
 * What RPC vectors are played against: a node on an imported chain, in this process or over HTTP. The vectors, and
 * what counts as met, are the same for both.
 */
import type { Pack } from '../suite.ts'
import { openHttp } from './http-target.ts'
import { openInProcess } from './in-process-target.ts'

export interface RpcReply {
  /** Of HTTP. */
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
  /** In that folder; genesis.json unless said otherwise. */
  readonly genesisFile?: string
  /** In that folder; undefined: the chain is its genesis alone. */
  readonly blocksFile?: string
  /** Blocks that are no file of the pack. */
  readonly blocks?: readonly Uint8Array[]
  /** As on the command line. */
  readonly options: readonly string[]
  /** Whether the head is marked safe and finalized, as the fork choice of another node would. */
  readonly isFinal?: boolean
}

export type OpenTarget = (pack: Pack, chain: ServedChain) => Promise<RpcTarget>

/** `--target=http` and options of its node, such as `--rpc-threads=3`; nothing: in this process. */
export function chooseTarget(flags: readonly string[]): OpenTarget {
  const nodeOptions = flags.filter((flag) => !flag.startsWith('--target='))
  if (flags.includes('--target=http')) return openHttp(nodeOptions)
  const unknown = flags.filter((flag) => flag !== '--target=in-process')
  if (unknown.length > 0) throw new Error(`${unknown.join(' ')}: options of a node need --target=http`)
  return openInProcess
}
