import { boolean, integer, text } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'

export const consensusOptions = defineOptions('Consensus', {
  legacyEncoding: {
    flag: '--Xbft-legacy-protocol-encoding',
    kind: boolean,
    default: false,
    hidden: true,
    help: 'Send BFT messages in the encoding of 25.12 and before; both are understood. For networks with such nodes.',
  },
  maxRoundTimeoutSeconds: {
    flag: '--bft-max-round-timeout-seconds',
    kind: integer({ min: 1 }),
    default: 60,
    help: 'No round waits longer, however often it was doubled before; a request timeout in the genesis file that is longer still holds.',
  },
  signWithoutVotes: {
    flag: '--bft-sign-without-votes',
    kind: boolean,
    default: false,
    help: 'Sign at once although the file of votes is missing or older than the chain, where a validator otherwise waits for a block that the others make after its start. Only where it is certain that this key signed nothing for the next block, as when all validators start from copies of one chain.',
  },
  minerExtraData: {
    flag: '--miner-extra-data',
    kind: text,
    label: 'DATA',
    help: 'Up to 32 bytes in hex for the free field of the blocks of this node; without it, name and version.',
  },
})
