import { address, boolean, integer, oneOf, text } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'
import { PROPOSER_ORDERS } from '#types/block/proposer-order.ts'

export const consensusOptions = defineOptions('Consensus', {
  legacyEncoding: {
    flag: '--Xbft-legacy-protocol-encoding',
    kind: boolean,
    default: false,
    hidden: true,
    help: 'Send BFT messages in the encoding of Besu 25.12 and before, for networks with such nodes. Both encodings are understood.',
  },
  proposerOrder: {
    flag: '--bft-proposer-order',
    kind: oneOf([...PROPOSER_ORDERS]),
    default: 'BYTES',
    help: 'Order in which QBFT validators propose. CHECKSUM: as GoQuorum after a restart.',
  },
  maxRoundTimeoutSeconds: {
    flag: '--bft-max-round-timeout-seconds',
    kind: integer({ min: 1 }),
    default: 60,
    help: 'Longest timeout of a round. Every round has twice the timeout of the one before, up to this; a request timeout in the genesis file that is longer is not shortened.',
  },
  signWithoutVotes: {
    flag: '--bft-sign-without-votes',
    kind: boolean,
    default: false,
    help: 'Sign at once although the file of votes is missing or older than the chain, or the data directory was restored from a backup, where a validator otherwise waits for a block that the others make after its start. Only where it is certain that this key signed nothing for the next block, as when all validators start from copies of one chain.',
  },
  devBlockPeriodSeconds: {
    flag: '--dev-block-period-seconds',
    kind: integer({ min: 0 }),
    default: 0,
    help: 'On the development network (--network=dev), seconds between two blocks, with transactions or not. With 0 a block is made at once when a transaction comes, and none without.',
  },
  minerCoinbase: {
    flag: '--miner-coinbase',
    kind: address,
    help: 'On the development network (--network=dev), who is paid for blocks: the zero address without it. Validators are paid, or whom the genesis file names (miningbeneficiary).',
  },
  minerExtraData: {
    flag: '--miner-extra-data',
    kind: text,
    label: 'DATA',
    help: 'Vanity data of the blocks of this node: up to 32 bytes in hex. Without it, name and version.',
  },
})
