import { rpcFault } from '#jsonrpc/errors.ts'
import type { SelfReport } from '#p2p/threads/peers-protocol.ts'
import type { Live } from './contracts.ts'

/** Returns this node's identity, or throws the reason why it has none. */
export async function runningSelf(peers: Live['peers']): Promise<SelfReport> {
  const self = await peers.self()
  if (self === undefined) throw rpcFault('P2P_DISABLED')
  if (self === null) throw rpcFault('P2P_NETWORK_NOT_RUNNING')
  return self
}
