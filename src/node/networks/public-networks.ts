/** The public networks that --network names, except the development network. */
import { hoodiGenesisText } from './hoodi.ts'
import { mainnetGenesisText } from './mainnet.ts'
import { sepoliaGenesisText } from './sepolia.ts'

export interface PublicNetwork {
  readonly title: string
  readonly genesisText: () => string
}

export const PUBLIC_NETWORKS: ReadonlyMap<string, PublicNetwork> = new Map([
  ['MAINNET', { title: 'Mainnet', genesisText: mainnetGenesisText }],
  ['SEPOLIA', { title: 'Sepolia', genesisText: sepoliaGenesisText }],
  ['HOODI', { title: 'Hoodi', genesisText: hoodiGenesisText }],
])
