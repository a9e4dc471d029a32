/** The paths by which a block enters a node. Each takes the block as it arrives there and says whether it is valid. */

import { KnownHeaders } from '#chain/block/known-headers.ts'
import type { HeaderRules } from '#chain/rules/header-rules.ts'
import { headBlock, readBody } from '#chain/snapshot/head-block.ts'
import { HeaderCheck } from '#chain/snapshot/header-check.ts'
import type { Chain } from '#chain/write/create-chain.ts'
import { decodeProposedBlock, sealedBlock } from '#consensus/bft/wire/proposed-block.ts'
import { createHeaderRules } from '#consensus/create-header-rules.ts'
import { linkHeaders } from '#sync/catch-up/header-chain.ts'
import { decodeBftExtraData } from '#types/block/bft-extra-data.ts'
import { decodeBlock, decodeBody } from '#types/block/block.ts'
import { encodeHeader } from '#types/block/block-header.ts'
import { Fault } from '#types/fault.ts'
import { hashToBytes, ZERO_HASH } from '#types/hash.ts'
import { encodedRlpItems, encodeRlpList } from '#types/rlp.ts'
import { recoverSender } from '#types/transaction/transaction-sender.ts'
import { canonicalProblem } from './canonical.ts'
import { blockBytes, bodyBytes, headerBytes, type RawBlock, withSeals } from './items.ts'
import { requireImported, type Site } from './site.ts'

export const PATHS = [
  'proposal',
  'announced',
  'peer',
  'file',
  'sibling',
  'snapshot',
  'reuse',
  'resealed',
  'offered',
] as const
export type Path = (typeof PATHS)[number]

export interface Verdict {
  readonly ok: boolean
  /** Why it was refused. */
  readonly sentence: string
  /** The reason from the chain or the decoder. */
  readonly reason: string
  /** How the stored bytes differ from the canonical encoding. */
  readonly stored: string | undefined
  /** A sibling with this hash is stored already, in its one encoding: these bytes were neither judged nor stored. */
  readonly isKnown?: boolean
}

export interface Submission {
  /** The block with its seals. */
  readonly raw: RawBlock
  readonly receipts: Uint8Array
}

type ChainVerdict =
  | { readonly ok: true }
  | { readonly ok: false; readonly reason: string; readonly sentence: string }

/** The chains of one site, each used by paths that do not disturb each other. */
export class Paths {
  readonly #site: Site
  readonly #importing: Chain
  readonly #validating: Chain
  /** This chain has executed the honest block. */
  readonly #resealing: Chain
  /** The head of this chain is the honest block. */
  readonly #beside: Chain
  readonly #headerRules: HeaderRules
  readonly #honestProposal: Uint8Array

  private constructor(site: Site, chains: readonly Chain[]) {
    this.#site = site
    const [importing, validating, resealing, beside] = chains as [Chain, Chain, Chain, Chain]
    this.#importing = importing
    this.#validating = validating
    this.#resealing = resealing
    this.#beside = beside
    const { network, crypto, engine, clock } = site
    const headers = new KnownHeaders(importing.store)
    const findHeader = (hash: Parameters<KnownHeaders['find']>[0]) => headers.find(hash)
    this.#headerRules = createHeaderRules({ genesis: network.genesis, crypto, engine, clock, findHeader })
    this.#honestProposal = blockBytes(withSeals(site.raw, []))
  }

  static async open(site: Site): Promise<Paths> {
    const chains = await Promise.all(Array.from({ length: 4 }, () => site.openChain()))
    const paths = new Paths(site, chains)
    await requireImported(chains[3]!, site.honest)
    await paths.#executeHonest()
    return paths
  }

  async submit(path: Path, submission: Submission): Promise<Verdict> {
    try {
      return await this.#on(path, submission)
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      return { ok: false, reason: error.kind, sentence: String(error.data.sentence), stored: undefined }
    }
  }

  #on(path: Path, submission: Submission): Promise<Verdict> {
    const encoded = blockBytes(submission.raw)
    switch (path) {
      case 'proposal':
        return this.#propose(submission, false)
      case 'reuse':
        return this.#propose(submission, true)
      case 'announced':
        return this.#import(this.#importing, (chain) => chain.importBlock(chain.receive(encoded)))
      case 'peer':
        return this.#import(this.#importing, (chain) => this.#catchUp(chain, submission.raw))
      case 'file':
        return this.#import(this.#importing, (chain) => this.#importFile(chain, encoded))
      case 'sibling':
        return this.#importSibling(encoded)
      case 'resealed':
        return this.#reseal(encoded)
      case 'snapshot':
        return this.#readSnapshot(submission)
      case 'offered':
        return this.#import(this.#importing, (chain) => this.#offer(chain, encoded))
    }
  }

  /** The light validation of a proposal and, if asked, the import of the same block with the seals that validators add. */
  async #propose({ raw }: Submission, isImported: boolean): Promise<Verdict> {
    const { network, crypto } = this.#site
    const chain = this.#validating
    const encoded = blockBytes(withSeals(raw, []))
    const proposed = decodeProposedBlock(network.protocol, encoded, undefined, crypto.keccak)
    const verdict = await chain.validate(chain.receive(encoded), { validation: 'light' })
    if (!verdict.ok) return verdictOf(verdict)
    if (!isImported) {
      await this.#forgetExecuted(chain)
      return verdictOf(verdict)
    }
    const { seals } = decodeBftExtraData(
      network.protocol,
      decodeBlock(blockBytes(raw), crypto.keccak).header.extraData,
    )
    const sealed = sealedBlock(network.protocol, proposed, seals)
    const imported = await this.#import(chain, (each) => each.importBlock(each.receive(sealed)))
    if (!imported.ok) await this.#forgetExecuted(chain)
    return imported
  }

  /** A block with the honest block's hash, which was executed, may have a different header. */
  async #reseal(encoded: Uint8Array): Promise<Verdict> {
    const verdict = await this.#import(this.#resealing, (chain) => chain.importBlock(chain.receive(encoded)))
    if (verdict.ok) await this.#executeHonest()
    return verdict
  }

  async #executeHonest(): Promise<void> {
    const chain = this.#resealing
    const verdict = await chain.validate(chain.receive(this.#honestProposal), { validation: 'light' })
    if (!verdict.ok) throw new Error(`The honest proposal was refused: ${verdict.sentence}`)
  }

  async #catchUp(chain: Chain, raw: RawBlock): Promise<ChainVerdict> {
    const { parent, crypto } = this.#site
    const tip = { number: Number(parent.header.number), ...parent }
    const linked = linkHeaders([headerBytes(raw)], tip, chain.hashBlock)
    if (!linked.ok) return { ok: false, reason: 'INVALID_HEADER', sentence: linked.sentence }
    const body = bodyBytes(raw)
    decodeBody(body, crypto.keccak)
    const joined = encodeRlpList([linked.headers[0]!.encoded, ...encodedRlpItems(body)])
    return chain.importMany([chain.receive(raw.wrap?.(joined) ?? joined)])
  }

  async #importFile(chain: Chain, encoded: Uint8Array): Promise<ChainVerdict> {
    const { recover, keccak } = this.#site.crypto
    const { transactions } = decodeBlock(encoded, keccak)
    const senders = transactions.map((each) => recoverSender(each, recover, keccak))
    return chain.importMany([chain.receive(encoded)], { sendersOf: () => senders })
  }

  /** Offers and chooses the block, as a consensus client does. */
  async #offer(chain: Chain, encoded: Uint8Array): Promise<ChainVerdict> {
    const offered = await chain.offer(chain.receive(encoded))
    if (!offered.ok) return offered
    const chosen = await chain.choose({ head: offered.hash, safe: ZERO_HASH, finalized: ZERO_HASH })
    return chosen.ok ? chosen : { sentence: 'The block cannot be chosen.', ...chosen }
  }

  /** Imports, reads the stored bytes, and removes the block again. */
  async #import(chain: Chain, run: (chain: Chain) => Promise<ChainVerdict>): Promise<Verdict> {
    const verdict = await run(chain)
    if (!verdict.ok) return verdictOf(verdict)
    const { hash } = chain.head
    const stored = this.#problemOfStored(chain, hash)
    await chain.unwind(Number(this.#site.parent.header.number))
    return { ...verdictOf(verdict), stored }
  }

  async #importSibling(encoded: Uint8Array): Promise<Verdict> {
    const chain = this.#beside
    const received = chain.receive(encoded)
    const verdict = await chain.importBlock(received)
    if (!verdict.ok) return verdictOf(verdict)
    const isKnown = verdict.status === 'known'
    return { ...verdictOf(verdict), isKnown, stored: this.#problemOfStored(chain, received.hash) }
  }

  async #readSnapshot({ raw, receipts }: Submission): Promise<Verdict> {
    const { network, parent, crypto } = this.#site
    const { genesis } = network
    const encoded = headerBytes(raw)
    if (raw.wrap !== undefined) decodeBlock(blockBytes(raw), crypto.keccak)
    const { hashBlock, store } = this.#importing
    const { header, ...body } = decodeBlock(
      encodeRlpList([encoded, ...encodedRlpItems(bodyBytes(raw))]),
      crypto.keccak,
    )
    const head = {
      genesisHash: parent.hash,
      number: Number(parent.header.number) + 1,
      hash: hashBlock(header),
    }
    const headers = new KnownHeaders(store)
    const parts = {
      genesis,
      headerRules: this.#headerRules,
      hashBlock,
      headers,
      head,
      trustedHash: undefined,
      startsAfterMerge: false,
    }
    const known = await new HeaderCheck(parts, parent).add(encoded)
    const block = readBody(genesis, known, bodyBytes(raw), crypto)
    headBlock({ hash: known.hash, block }, receipts, crypto)
    const stored = canonicalProblem(network.protocol, encodeHeader(known.header), bodyBytes(raw), body)
    return { ok: true, reason: '', sentence: '', stored }
  }

  #problemOfStored(chain: Chain, hash: Parameters<typeof hashToBytes>[0]): string | undefined {
    const number = Number(this.#site.parent.header.number) + 1
    const [header, body] = (['header', 'body'] as const).map((table) =>
      chain.store.read(table, number, hashToBytes(hash)),
    ) as [Uint8Array, Uint8Array]
    return canonicalProblem(
      this.#site.network.protocol,
      header,
      body,
      decodeBody(body, this.#site.crypto.keccak),
    )
  }

  /** An unwind forgets the blocks that were executed and not imported. */
  async #forgetExecuted(chain: Chain): Promise<void> {
    await requireImported(chain, this.#site.honest)
    await chain.unwind(Number(this.#site.parent.header.number))
  }
}

function verdictOf(verdict: ChainVerdict): Verdict {
  if (verdict.ok) return { ok: true, reason: '', sentence: '', stored: undefined }
  return { ok: false, reason: verdict.reason, sentence: verdict.sentence, stored: undefined }
}
