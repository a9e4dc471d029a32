/** The public networks that --network names, except the development network. */
import { EPHEMERY_OTHER_PERIOD, ephemeryGenesisText } from './ephemery.ts'
import { hoodiGenesisText } from './hoodi.ts'
import { mainnetGenesisText } from './mainnet.ts'
import { sepoliaGenesisText } from './sepolia.ts'

export interface PublicNetwork {
  readonly title: string
  readonly genesisText: (nowMs: number) => string
  /** The remedy if the database has another block 0; undefined if the block never changes. */
  readonly otherGenesisRemedy?: string
}

export const PUBLIC_NETWORKS: ReadonlyMap<string, PublicNetwork> = new Map<string, PublicNetwork>([
  ['MAINNET', { title: 'Mainnet', genesisText: mainnetGenesisText }],
  ['SEPOLIA', { title: 'Sepolia', genesisText: sepoliaGenesisText }],
  ['HOODI', { title: 'Hoodi', genesisText: hoodiGenesisText }],
  [
    'EPHEMERY',
    { title: 'Ephemery', genesisText: ephemeryGenesisText, otherGenesisRemedy: EPHEMERY_OTHER_PERIOD },
  ],
])
