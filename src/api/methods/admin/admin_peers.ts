import { array, boolean, number, object, record, string } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { QuantityText } from '#api/schema/values.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import type { PeerReport } from '#p2p/peers/peer-network.ts'
import { formatEnode } from '#types/enode.ts'
import { formatQuantity } from '#types/hex.ts'

const P2P_VERSION = '0x5'

const Peer = object({
  version: QuantityText,
  name: string(),
  caps: array(string()).meta({ description: 'capabilities of the peer' }),
  network: object({ localAddress: string(), remoteAddress: string(), inbound: boolean() }),
  port: QuantityText.meta({ description: 'the port that the peer listens on; 0x0 if it does not' }),
  id: string(),
  protocols: record(
    string(),
    object({
      difficulty: QuantityText.optional().meta({
        description: 'of eth: up to its head, if that block is known here',
      }),
      head: string().optional().meta({ description: 'of eth: the hash of its latest block' }),
      latestBlock: number().optional().meta({ description: 'of eth: the number of that block' }),
      version: number(),
    }),
  ).meta({ description: 'what both speak' }),
  enode: string(),
  why: string().meta({ description: 'why it is connected: maintained, discovered or dialled us' }),
  connectedSeconds: number(),
  bytesIn: number(),
  bytesOut: number(),
  messagesIn: number(),
  messagesOut: number(),
  queuedBytes: number().meta({ description: 'bytes waiting to be sent to the peer' }),
})

export default defineMethod({
  name: 'admin_peers',
  summary: 'The connected peers, why each is connected, and its traffic.',
  needs: ['peers'],
  params: {},
  result: array(Peer),
  run: async ({ peers }) => {
    const all = await peers.all()
    if (all === undefined) throw rpcFault('P2P_DISABLED')
    return all.map(presentPeer)
  },
})

function presentPeer(peer: PeerReport) {
  const { enode, protocols, localAddress, remoteAddress, isInbound } = peer
  return {
    version: P2P_VERSION,
    name: peer.clientId,
    caps: peer.capabilities.map(({ name, version }) => `${name}/${version}`),
    network: { localAddress, remoteAddress, inbound: isInbound },
    port: formatQuantity(enode.tcpPort ?? 0),
    id: `0x${enode.id}`,
    protocols: Object.fromEntries(protocols.map(({ name, version, facts }) => [name, { ...facts, version }])),
    enode: formatEnode(enode),
    why: peer.why,
    connectedSeconds: Math.floor(peer.connectedMs / 1_000),
    bytesIn: peer.bytesIn,
    bytesOut: peer.bytesOut,
    messagesIn: peer.messagesIn,
    messagesOut: peer.messagesOut,
    queuedBytes: peer.queuedBytes,
  }
}
