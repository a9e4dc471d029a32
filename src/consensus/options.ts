import { address, boolean, integer, oneOf, path, text } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'
import { PROPOSER_ORDERS } from '#types/block/proposer-order.ts'

export const consensusOptions = defineOptions('Consensus', {
  legacyEncoding: {
    flag: '--Xbft-legacy-protocol-encoding',
    kind: boolean,
    default: false,
    hidden: true,
    help: 'Send BFT messages in the encoding of Besu up to 25.12.',
    details: 'For networks with such nodes. Both encodings are understood.',
  },
  proposerOrder: {
    flag: '--bft-proposer-order',
    kind: oneOf([...PROPOSER_ORDERS]),
    default: 'BYTES',
    help: 'Proposer order of QBFT validators; CHECKSUM for restarted GoQuorum nodes.',
  },
  maxRoundTimeoutSeconds: {
    flag: '--bft-max-round-timeout-seconds',
    kind: integer({ min: 1 }),
    default: 60,
    help: 'Maximum round timeout in seconds.',
    details:
      'Every round doubles the timeout up to this value. A longer request timeout in the genesis file is not shortened.',
  },
  signWithoutVotes: {
    flag: '--bft-sign-without-votes',
    kind: boolean,
    default: false,
    help: 'Sign at once despite a missing or outdated votes file.',
    details:
      'Also after a restore from a backup. Otherwise the validator waits until the others have produced a block after its start. Only use it if this key certainly signed nothing for the next block, for example if all validators start from copies of one chain.',
  },
  devBlockPeriodSeconds: {
    flag: '--dev-block-period-seconds',
    kind: integer({ min: 0 }),
    default: 0,
    help: 'Seconds between blocks of the development network.',
    details: 'With 0, every transaction gets a block at once, and there are no empty blocks.',
  },
  devArtifacts: {
    flag: '--dev-artifacts',
    kind: path,
    label: 'DIRECTORY',
    help: "Foundry's out or Hardhat's artifacts folder, for the log's names.",
    details:
      'The development network logs the call tree of a failed transaction, with the names of contracts, functions and errors. Changed files are read again.',
  },
  devMnemonic: {
    flag: '--dev-mnemonic',
    kind: text,
    label: 'WORDS',
    help: 'Mnemonic of ten funded accounts of the development network.',
    details:
      'The node signs for them and logs their keys: never use a mnemonic with real funds. The accounts are part of the genesis block, so another mnemonic needs another data directory.',
    defaultText: 'the one of anvil and Hardhat',
  },
  devIdentifyAs: {
    flag: '--dev-identify-as',
    kind: oneOf(['ANVIL', 'HARDHAT']),
    help: 'Name before the version in web3_clientVersion, on the development network.',
    details:
      'Tools such as hardhat-network-helpers refuse networks with other names. With HARDHAT, evm_setIntervalMining counts milliseconds, as in Hardhat.',
  },
  minerCoinbase: {
    flag: '--miner-coinbase',
    kind: address,
    help: 'Coinbase of blocks on the development network.',
    details:
      'Without it, the zero address. On BFT networks validators are paid, or the miningbeneficiary of the genesis file.',
  },
  minerExtraData: {
    flag: '--miner-extra-data',
    kind: text,
    label: 'DATA',
    help: 'Vanity data of own blocks, up to 32 bytes in hex.',
    details: 'Without it, name and version.',
  },
})
