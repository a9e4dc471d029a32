/** What admin_addPeer and admin_removePeer have in common. */
import { string } from 'zod'
import type { PeerListChange } from '#p2p/maintained-peers.ts'
import type { Live } from '#rpc/contracts.ts'
import { type RpcErrorKind, rpcFault } from './errors.ts'
import { Param } from './param.ts'

/** What is no text cannot be parsed, as Besu says it. */
export const EnodeUrl = new Param(string().meta({ description: 'an enode URL' }), 'PARSE_ERROR')

/** For the audit log: peers that are dialled until they are there. */
export const PEER_CHANGES = {
  what: 'peers',
  observe: async ({ peers }: Pick<Live, 'peers'>) => ({ maintained: await peers.maintained() }),
} as const

type PeerProblem = Extract<PeerListChange, { ok: false }>['problem']

const PROBLEMS: Readonly<Record<PeerProblem, RpcErrorKind>> = {
  syntax: 'PARSE_ERROR',
  nodeId: 'ENODE_ID_INVALID',
  hostName: 'DNS_NOT_ENABLED',
  unknownHost: 'CANT_RESOLVE_PEER_ENODE_DNS',
  notPermitted: 'NON_PERMITTED_NODE_CANNOT_BE_ADDED_AS_A_PEER',
}

/** Whether something changed. */
export function presentPeerChange(change: PeerListChange | undefined): boolean {
  if (change === undefined) throw rpcFault('P2P_DISABLED')
  if (!change.ok) throw rpcFault(PROBLEMS[change.problem])
  return change.changed
}
