/** Checks of this node against its network, by its genesis file and by another node's answers. */
import { ForkIds } from '#chain/read/fork-id.ts'
import { consensusOptions } from '#consensus/options.ts'
import { nodeOptions } from '#node/options.ts'
import { peerOptions } from '#p2p/options.ts'
import { readNamedNodes } from '#p2p/read-nodes.ts'
import { decodeBftExtraData } from '#types/block/bft-extra-data.ts'
import { addressFromPublicKey } from '#types/curve.ts'
import { votingProtocols } from '#types/genesis/genesis-consensus.ts'
import { type Check, error, type Patient, type Problem, warning } from './check.ts'

const CURRENT = 'current'
const LEGACY = 'legacy'

export const NETWORK_CHECKS: readonly Check[] = [
  {
    id: 'validator',
    looksAt: 'whether this node is a validator, by the other node or by the genesis file',
    run: (patient) => {
      const { publicKey } = patient
      const validators = validatorsOf(patient)
      if (publicKey === undefined || validators === undefined || validators.length === 0) return []
      const address = addressFromPublicKey(publicKey)
      if (validators.includes(address)) return []
      const advice =
        'To make it one, give it the right key, or vote it in (cairn network add, or qbft_proposeValidatorVote by a majority).'
      if (patient.other?.validators === undefined) {
        return warning(
          `The address of this node, ${address}, is not among the ${validators.length} validators of the genesis file: unless it was voted in since, it is an observer.`,
          `Compare with a running node by --against. ${advice}`,
        )
      }
      return warning(
        `The address of this node, ${address}, is not among the ${validators.length} validators: it is an observer.`,
        advice,
      )
    },
  },
  {
    id: 'peers',
    looksAt: 'whether a node of a multi-validator network knows another node',
    run: async (patient) => {
      const { settings } = patient
      const validators = validatorsOf(patient) ?? []
      if (validators.length < 2) return []
      if (!settings.get(peerOptions.enabled)) {
        return warning(
          `${peerOptions.enabled.flag} is false on a network of ${validators.length} validators.`,
          'Remove it: without peers this node neither receives blocks nor votes.',
        )
      }
      const named = await readNamedNodes(settings).catch(() => undefined)
      if (named === undefined || named.bootnodes.length + named.staticNodes.length > 0) return []
      return warning(
        'No other node is named: this node waits until others find it.',
        `Name some in static-nodes.json, or with ${peerOptions.bootnodes.flag}.`,
      )
    },
  },
  {
    id: 'other-node',
    looksAt: 'whether the node of --against answers, and as nodes do',
    run: ({ other }) => [
      ...(other?.failure === undefined
        ? []
        : error(
            `The other node at ${other.url} does not answer: ${other.failure}`,
            'Correct the URL or the login (--against-user, --against-token-file), start that node, or let it be called from here.',
          )),
      ...(other === undefined || other.notPermitted.length === 0
        ? []
        : warning(
            `The login of --against may not call ${other.notPermitted.join(', ')} on the other node; some checks were skipped.`,
            'Give the user the permissions for these methods, or log in as another.',
          )),
      ...(other?.malformed ?? []).flatMap((method) =>
        error(
          `The other node answered ${method} with something that is not a result of this method.`,
          'Compare with a node that you trust: this one is broken or hostile, or it is another program.',
        ),
      ),
    ],
  },
  {
    id: 'same-genesis',
    looksAt: 'whether the other node has the same block 0',
    run: ({ network, other }) => {
      const theirs = other?.genesisHash
      if (network === undefined || theirs === undefined || theirs === network.genesisHash) return []
      return error(
        `The other node has block 0 ${theirs}, this genesis file ${network.genesisHash}.`,
        'Copy the genesis file of the network; every byte of alloc, extraData and gas limit counts.',
      )
    },
  },
  {
    id: 'same-network-id',
    looksAt: 'whether the other node has the same network id',
    run: ({ network, other }) => {
      const theirs = other?.networkId
      if (network === undefined || theirs === undefined || theirs === `${network.networkId}`) return []
      return error(
        `The other node has network id ${theirs}, this node ${network.networkId}: they disconnect at once.`,
        `Give both the same ${nodeOptions.networkId.flag}, or none.`,
      )
    },
  },
  {
    id: 'same-forks',
    looksAt: 'whether the other node has the same forks, passed and to come',
    run: checkForks,
  },
  {
    id: 'wire-generation',
    looksAt: 'whether validators send messages in the encoding that this node sends',
    run: ({ settings, other }) => {
      const heard = other?.encodings ?? []
      const { legacyEncoding } = consensusOptions
      const own = settings.get(legacyEncoding) ? LEGACY : CURRENT
      const others = heard.filter((each) => each !== own)
      if (others.length === 0) return []
      return warning(
        `${others.length} of ${heard.length} validators send the ${others[0]} encoding, and this node would send the ${own} one, which older programs do not understand.`,
        own === CURRENT
          ? `Give ${legacyEncoding.flag} until all validators are upgraded.`
          : `Take ${legacyEncoding.flag} out once all validators are upgraded.`,
      )
    },
  },
  {
    id: 'clock',
    looksAt: 'the clock of this machine against the newest block of the other node',
    run: ({ clock, limits, other, network }) => {
      const head = other?.head
      if (head === undefined || head.number === 0n || network === undefined) return []
      const aheadMs = Number(head.timestamp) * 1_000 - clock.wallMs()
      if (aheadMs > limits.clockMs) {
        return error(
          `The newest block of the other node is ${seconds(aheadMs)} in the future of this clock.`,
          'Set the clock, and keep it set by NTP (chrony, systemd-timesyncd): blocks from the future are refused.',
        )
      }
      const quietMs = STALE_MS + limits.clockMs
      if (-aheadMs <= quietMs) return []
      return warning(
        `The newest block of the other node is ${seconds(-aheadMs)} old by this clock: the chain is stalled, or this clock is ahead.`,
        'Compare the clocks of both machines; ask bft_status why the chain does not move.',
      )
    },
  },
]

/** Longer than the block period of most networks. */
const STALE_MS = 60_000

function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`
}

/** The current validators of the other node, or those of block 0; undefined without BFT, or if a contract names them. */
function validatorsOf(patient: Patient): readonly string[] | undefined {
  const present = patient.other?.validators
  if (present !== undefined || patient.network === undefined) return present
  const { config, header } = patient.network.genesis
  const protocol = votingProtocols(config.consensus)[0]
  return protocol && decodeBftExtraData(protocol, header.extraData).validators
}

function checkForks({ network, other, clock }: Patient): readonly Problem[] {
  if (network === undefined || other?.forks === undefined || other.head === undefined) return []
  const { genesis, genesisHash } = network
  // Another block 0 makes all checksums differ, and is already reported.
  if (other.genesisHash !== genesisHash) return []
  const timestamp = BigInt(Math.floor(clock.wallMs() / 1_000))
  const forks = new ForkIds(genesisHash, genesis.header.timestamp, genesis.config.forks)
  const own = forks.at({ number: other.head.number + 1n, timestamp })
  const remedy =
    'Compare the config sections of both genesis files, and give all nodes the same before the fork.'
  if (own.hash !== other.forks.hash) {
    return error(`The other node has fork hash ${other.forks.hash}, this genesis file ${own.hash}.`, remedy)
  }
  const { next } = other.forks
  return next === own.next
    ? []
    : error(
        `The next fork of the other node is at ${next || 'no time'}, the next fork of this genesis file at ${own.next || 'no time'}.`,
        remedy,
      )
}
