import { boolean, string } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { type RpcErrorKind, rpcFault } from '#jsonrpc/errors.ts'
import { type Method, Param } from '#jsonrpc/method.ts'
import type { PeerListChange } from '#p2p/maintained-peers.ts'

/** As in Besu, a value that is not text has the error of an invalid URL. */
const EnodeUrl = new Param(string().meta({ description: 'an enode URL' }), 'PARSE_ERROR')

const PROBLEMS: Readonly<Record<Extract<PeerListChange, { ok: false }>['problem'], RpcErrorKind>> = {
  syntax: 'PARSE_ERROR',
  nodeId: 'ENODE_ID_INVALID',
  hostName: 'DNS_NOT_ENABLED',
  unknownHost: 'CANT_RESOLVE_PEER_ENODE_DNS',
  notPermitted: 'NON_PERMITTED_NODE_CANNOT_BE_ADDED_AS_A_PEER',
}

function changing(change: 'add' | 'remove', summary: string): Method {
  return defineMethod({
    name: `admin_${change}Peer`,
    summary,
    needs: ['peers'],
    params: { enode: EnodeUrl },
    count: 'exact',
    changes: { what: 'peers', observe: async ({ peers }) => ({ maintained: await peers.maintained() }) },
    result: boolean(),
    run: async ({ peers }, { enode }) => {
      const verdict = await peers[change](enode)
      if (verdict === undefined) throw rpcFault('P2P_DISABLED')
      if (!verdict.ok) throw rpcFault(PROBLEMS[verdict.problem])
      return verdict.changed
    },
  })
}

export const admin_addPeer = changing(
  'add',
  'Maintains a connection to a node. False if it is already maintained, or is this node.',
)

export const admin_removePeer = changing(
  'remove',
  'Disconnects a node and no longer dials it. False if it was not maintained.',
)
