import type { SelfReport } from '#p2p/threads/peers-protocol.ts'
import type { Live } from '#rpc/contracts.ts'
import { rpcFault } from './errors.ts'

/** What this node is to others, or the error that says why it is nothing to them. */
export async function runningSelf(peers: Live['peers']): Promise<SelfReport> {
  const self = await peers.self()
  if (self === undefined) throw rpcFault('P2P_DISABLED')
  if (self === null) throw rpcFault('P2P_NETWORK_NOT_RUNNING')
  return self
}
