import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type EmbeddedNode, embedNode, type NodeOptions } from '#node/create-node.ts'
import type { ValidatorNetwork } from '../../support/validator-network.ts'

/** An embedded node of the network that accepts connections and logs nothing. */
export function embedPeer(
  { folder, data }: Pick<ValidatorNetwork, 'folder' | 'data'>,
  options: NonNullable<NodeOptions['options']>,
): Promise<EmbeddedNode> {
  return embedNode({
    dataPath: data,
    genesisText: readFileSync(join(folder, 'genesis.json'), 'utf8'),
    options: {
      'p2p-enabled': true,
      'p2p-port': 0,
      'p2p-interface': '127.0.0.1',
      'discovery-enabled': false,
      'rpc-engine-threads': 0,
      logging: 'OFF',
      ...options,
    },
  })
}
