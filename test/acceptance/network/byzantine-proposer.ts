/**
 * Plays one of the four validators with its own key. In its turn it sends several mutated blocks to each of
 * the others. A validator judges the first block and counts the rest as equivocation.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ProposalMessage, ProposedBlock } from '#consensus/bft/messages.ts'
import { proposerOf } from '#consensus/bft/proposer.ts'
import { decodeProposedBlock } from '#consensus/bft/wire/proposed-block.ts'
import { createQbftCodec } from '#consensus/qbft/wire/qbft-codec.ts'
import { type Crypto, loadCrypto } from '#evm/crypto.ts'
import { testPeers } from '#p2p/peers/peers.fixture.ts'
import type { PeerLink, PeerProtocol } from '#p2p/peers/protocol.ts'
import { testNode } from '#p2p/rlpx/handshake.fixture.ts'
import type { Random } from '#platform/random.ts'
import { systemRandom } from '#platform/random.ts'
import { messageCount } from '#sync/wire/eth-codes.ts'
import { decodeStatus, encodeStatus } from '#sync/wire/status.ts'
import type { Address } from '#types/address.ts'
import { decodeBftExtraData, encodeBftExtraData, VANITY_BYTES } from '#types/block/bft-extra-data.ts'
import { bftBlockHash } from '#types/block/bft-header-hash.ts'
import { type Block, encodeBlock } from '#types/block/block.ts'
import { type BlockHeader, decodeHeader } from '#types/block/block-header.ts'
import { EMPTY_OMMERS_HASH, receiptsRoot, transactionsRoot } from '#types/block/block-roots.ts'
import { emptyBloom } from '#types/block/bloom.ts'
import { parseEnode } from '#types/enode.ts'
import { Fault } from '#types/fault.ts'
import { parseData } from '#types/hex.ts'
import { MUTATIONS } from '../../adversarial/block-mutator/catalogue.ts'
import { blockBytes, withSeals } from '../../adversarial/block-mutator/items.ts'
import { NETWORKS } from '../../adversarial/block-mutator/networks.ts'
import { repair } from '../../adversarial/block-mutator/repair.ts'
import { type Place, rawOf } from '../../adversarial/block-mutator/site.ts'
import { transactionsOf } from '../../adversarial/block-mutator/transactions.ts'
import type { Member } from './member.ts'

/** Mutated blocks for each validator at one height. */
const BLOCKS_EACH = 4
const ETH_VERSION = 69
const LOOK_EVERY_MS = 20
const MAX_MESSAGE = { maxBytes: 16 * 1024 * 1024 - 2, perSecond: 1_000_000 }
const BASE_FEE_DIVISOR = 8n
/** The rules of the lab's genesis file. */
const NETWORK = NETWORKS.find(({ name }) => name === 'qbft shanghai market')!
/**
 * Leaves out mutations of seals, which the proposer does not write, and large bodies, which would measure the
 * loopback interface.
 */
const USED = MUTATIONS.filter(
  ({ isOfSeals, value }) => !isOfSeals && !/oversized|megabyte|thousand/.test(value),
)

export class ByzantineProposer {
  /** Number of mutated blocks sent, each to one validator. */
  sent = 0
  readonly #address: Address
  readonly #key: Uint8Array
  readonly #crypto: Crypto
  readonly #random: Random
  readonly #links = new Set<PeerLink>()
  #stop: () => Promise<void> = async () => {}
  #isStopped = false

  private constructor({ network }: Member, crypto: Crypto, random: Random) {
    this.#address = network.validator
    this.#key = parseData(keyOf(network))
    this.#crypto = crypto
    this.#random = random
  }

  /** Takes the place of `member`, which must be stopped. */
  static async open(member: Member, others: readonly Member[], random: Random): Promise<ByzantineProposer> {
    const proposer = new ByzantineProposer(member, await loadCrypto(), random)
    const { parts } = await testNode(systemRandom, keyOf(member.network))
    const { network } = await testPeers([ethProtocol(), proposer.#protocol()], {}, { handshake: parts })
    proposer.#stop = () => network.stop()
    for (const { enode } of others) network.maintain(parseEnode(enode, { allowHostNames: false }))
    return proposer
  }

  /** Runs until `count` mutated blocks are sent, and follows the chain of the node `heads`. */
  async run(count: number, heads: Member): Promise<void> {
    let proposed = 0n
    while (this.sent < count && !this.#isStopped) {
      const parent = decodeHeader(parseData((await heads.ask('debug_getRawHeader', 'latest')) as string))
      const { validators } = decodeBftExtraData('qbft', parent.extraData)
      const isTurn = proposerOf(parent.coinbase, validators, 0) === this.#address
      if (isTurn && parent.number >= proposed) {
        proposed = parent.number + 1n
        for (const link of this.#links) await this.#attack(link, parent, validators)
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
    }
  }

  async close(): Promise<void> {
    this.#isStopped = true
    await this.#stop()
  }

  async #attack(link: PeerLink, parent: BlockHeader, validators: readonly Address[]): Promise<void> {
    for (let sent = 0; sent < BLOCKS_EACH; ) {
      const block = await this.#mutated(this.#honest(parent, validators), parent)
      if (block === undefined) continue
      const message = await this.#encode(block, Number(parent.number) + 1)
      link.send(message.code, message.data, 'urgent')
      this.sent++
      sent++
    }
  }

  /** The empty block that an honest validator would propose. */
  #honest(parent: BlockHeader, validators: readonly Address[]): Block {
    const seconds = Math.max(Number(parent.timestamp), Math.floor(Date.now() / 1_000))
    const { baseFeePerGas = 0n } = parent
    const content = { vanity: new Uint8Array(VANITY_BYTES), validators, vote: null, round: 0, seals: [] }
    const header = {
      ...parent,
      parentHash: bftBlockHash('qbft', parent, this.#crypto.keccak),
      number: parent.number + 1n,
      coinbase: this.#address,
      timestamp: BigInt(seconds),
      ommersHash: EMPTY_OMMERS_HASH,
      transactionsRoot: transactionsRoot([]),
      receiptsRoot: receiptsRoot([]),
      logsBloom: emptyBloom(),
      gasUsed: 0n,
      baseFeePerGas: baseFeePerGas - baseFeePerGas / BASE_FEE_DIVISOR,
      extraData: encodeBftExtraData('qbft', content),
    }
    return { header, transactions: [], ommers: [], withdrawals: [] }
  }

  /** Returns undefined if the mutation cannot be sent as a proposal. */
  async #mutated(honest: Block, parent: BlockHeader): Promise<ProposedBlock | undefined> {
    const mutation = USED[this.#random.randomBelow(USED.length)]!
    const { keccak } = this.#crypto
    const place: Place = {
      network: NETWORK,
      filling: 'empty',
      crypto: this.#crypto,
      parent: { hash: honest.header.parentHash, header: parent },
      grandparent: parent,
      honestBlock: honest,
      transactions: transactionsOf(NETWORK, 0),
    }
    const changed = mutation.change(rawOf(encodeBlock(honest)), place)
    if (changed === undefined) return undefined
    const { raw } = await repair(changed, mutation, { ...place, execute: async () => undefined })
    try {
      return decodeProposedBlock('qbft', blockBytes(withSeals(raw, [])), undefined, keccak)
    } catch (error) {
      if (error instanceof Fault) return undefined
      throw error
    }
  }

  async #encode(
    block: ProposedBlock,
    height: number,
  ): Promise<{ readonly code: number; readonly data: Uint8Array }> {
    const codec = createQbftCodec(this.#crypto, 'current')
    const draft = { kind: 'proposal', height, round: 0, block } as const
    const signDigest = async (digest: Uint8Array) => this.#crypto.sign(this.#key, digest)
    const signed = (await codec.sign(draft, this.#address, signDigest)) as ProposalMessage['signed']
    return codec.encode({
      kind: 'proposal',
      signed,
      block,
      roundChanges: [],
      prepares: [],
      generation: 'current',
    })
  }

  #protocol(): PeerProtocol {
    return {
      name: 'istanbul',
      version: 100,
      messageCount: 22,
      limitOf: () => MAX_MESSAGE,
      connect: (link) => {
        this.#links.add(link)
        return { onMessage: () => {}, onClose: () => void this.#links.delete(link) }
      },
    }
  }
}

/** Claims the peer's own head and answers no request. */
function ethProtocol(): PeerProtocol {
  return {
    name: 'eth',
    version: ETH_VERSION,
    messageCount: messageCount(ETH_VERSION),
    limitOf: () => MAX_MESSAGE,
    connect: (link) => ({
      onMessage: (code, data) => {
        if (code === 0) link.send(0, encodeStatus(decodeStatus(ETH_VERSION, data)), 'bulk')
      },
    }),
  }
}

function keyOf({ folder, validator }: Member['network']): string {
  return readFileSync(join(folder, 'keys', validator, 'key.priv'), 'utf8').trim()
}
