/**
 * Messages between GoQuorum validators, and with a peer. Cairn's QBFT rules judge the messages, the chains are
 * imported with full validation, and the RLPx sessions are replayed. Above round 0 GoQuorum's block digests differ
 * from Besu's (ADR 41). After a restart GoQuorum's proposer order differs, which Cairn follows with
 * --bft-proposer-order=CHECKSUM.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Lookup } from '#chain/read/lookup.ts'
import type { BftMessage } from '#consensus/bft/messages.ts'
import { createQbftRules } from '#consensus/qbft/rules.ts'
import { createQbftCodec } from '#consensus/qbft/wire/qbft-codec.ts'
import { loadCrypto } from '#evm/crypto.ts'
import { answerBodies, answerHeaders, answerReceipts } from '#sync/serve/answer-requests.ts'
import { atOnce } from '#sync/serve/serve-turns.fixture.ts'
import {
  type Asked,
  decodeAnswer,
  decodeAskedHashes,
  decodeGetBlockHeaders,
} from '#sync/wire/block-requests.ts'
import { MAX_ASKED } from '#sync/wire/eth-codes.ts'
import type { Address } from '#types/address.ts'
import { bftBlockHash } from '#types/block/bft-header-hash.ts'
import { decodeBlock } from '#types/block/block.ts'
import { decodeHeader } from '#types/block/block-header.ts'
import type { Hash } from '#types/hash.ts'
import { formatData, parseData } from '#types/hex.ts'
import { keccak256 } from '#types/keccak.ts'
import { rlpItemEnd } from '#types/rlp.ts'
import { decodeTransaction } from '#types/transaction/transaction-decode.ts'
import { type MemoryChain, openMemoryChain, parseGenesisText } from '../chains/memory-chain.ts'
import { verifyEthMessage } from '../recorded/eth-messages.ts'
import { type RecordedSession, verifySession } from '../recorded/rlpx-session.ts'
import {
  type HeightJudge,
  heightJudge,
  problemOf,
  type RecordedHeight,
  type RecordedMessage,
  readRecorded,
} from '../recorded/wire-messages.ts'
import { type Outcome, outcomeOf, type Pack, type Suite } from '../suite.ts'

const FOLDER = 'recorded/goquorum-wire'

interface RecordedBlock {
  readonly number: number
  readonly hash: string
  readonly miner: Address
  readonly stateRoot: string
  readonly transactions: number
  /** The validator set after the block. */
  readonly validators: readonly Address[]
}

interface Network {
  readonly chain: string
  readonly messages: readonly string[]
}

const NETWORKS: readonly Network[] = [
  {
    chain: `${FOLDER}/chain`,
    messages: ['normal', 'round-change', 'prepared', 'votes'].map(
      (name) => `${FOLDER}/messages-${name}.json`,
    ),
  },
  { chain: `${FOLDER}/restarted-order/chain`, messages: [`${FOLDER}/restarted-order/messages.json`] },
]

export const goquorumWire: Suite = {
  name: FOLDER,
  async *run(pack) {
    let first: MemoryChain | undefined
    for (const network of NETWORKS) {
      const memory = await openMemoryChain(parseGenesisText(pack.text(`${network.chain}/genesis.json`)))
      first ??= memory
      yield* importChain(pack, network.chain, memory)
      for (const file of network.messages) yield* judgeFile(pack, file, blocksOf(pack, network))
    }
    const transactions = `${FOLDER}/chain/transactions.json`
    const sent = pack.json(transactions) as { readonly raw: string; readonly hash: string }[]
    for (const [index, { raw, hash }] of sent.entries()) {
      yield outcomeOf(`${transactions}#${index}`, () =>
        assert.equal(decodeTransaction(parseData(raw)).hash, hash),
      )
    }
    yield* readSessions(pack, first!)
  },
}

function blocksOf(pack: Pack, { chain }: Network): readonly RecordedBlock[] {
  return pack.json(`${chain}/blocks.json`) as RecordedBlock[]
}

async function* importChain(
  pack: Pack,
  folder: string,
  memory: MemoryChain,
): AsyncGenerator<Outcome, void, undefined> {
  const blocks = pack.json(`${folder}/blocks.json`) as RecordedBlock[]
  const encoded = encodedBlocks(new Uint8Array(readFileSync(pack.path(`${folder}/blocks.bin`))))
  for (const block of blocks) {
    yield outcomeOf(`${folder}/blocks.json#${block.number}`, async () => {
      if (block.number > 0) await importBlock(memory, encoded[block.number - 1]!)
      const { head } = memory.chain
      assert.deepEqual(
        [Number(head.header.number), head.hash, head.header.stateRoot, head.header.coinbase],
        [block.number, block.hash as Hash, block.stateRoot, block.miner],
      )
    })
  }
}

async function importBlock({ chain }: MemoryChain, encoded: Uint8Array): Promise<void> {
  const verdict = await chain.importBlock(chain.receive(encoded), { validation: 'full' })
  assert.ok(verdict.ok, verdict.ok ? '' : verdict.sentence)
}

function encodedBlocks(file: Uint8Array): Uint8Array[] {
  const blocks: Uint8Array[] = []
  for (let at = 0; at < file.length; ) {
    const end = rlpItemEnd(file, at)
    blocks.push(file.slice(at, end))
    at = end
  }
  return blocks
}

async function* judgeFile(
  pack: Pack,
  file: string,
  blocks: readonly RecordedBlock[],
): AsyncGenerator<Outcome, void, undefined> {
  const codec = createQbftCodec(await loadCrypto(), 'legacy')
  const rules = createQbftRules({ maxRoundTimeoutMs: 60_000 })
  const restarted = createQbftRules({ maxRoundTimeoutMs: 60_000, proposerOrder: 'CHECKSUM' })
  const { heights } = pack.json(file) as { readonly heights: readonly RecordedHeight[] }
  for (const recorded of heights) {
    const parent = blocks[recorded.height - 1]!
    const known = { validators: parent.validators.toSorted(), parentAuthor: parent.miner }
    const judges = [rules, restarted].map((each) => heightJudge(codec, each, recorded, known))
    for (const [index, message] of recorded.messages.entries()) {
      yield outcomeOf(`${file}#${recorded.height}/${index}-${message.type}`, () =>
        judgeMessage(judges as [HeightJudge, HeightJudge], message),
      )
    }
    const { block } = recorded
    if (block === null) continue
    yield outcomeOf(`${file}#${recorded.height}/block`, () => {
      const { header } = decodeBlock(parseData(block.rlp))
      assert.equal(header.number, BigInt(recorded.height))
      assert.equal(block.hash, blocks[recorded.height]?.hash)
    })
  }
}

/** A proposal that is in turn only by a restarted node's order is judged as with --bft-proposer-order=CHECKSUM. */
function judgeMessage(
  [judge, restarted]: readonly [HeightJudge, HeightJudge],
  recorded: RecordedMessage,
): void {
  const message = readRecorded(judge, recorded)
  const counted = isTurnOf(message, judge.context.proposerOf) ? judge : restarted
  assert.equal(problemOf(counted, message), undefined)
}

function isTurnOf({ kind, signed }: BftMessage, proposer: (round: number) => Address): boolean {
  return kind !== 'proposal' || signed.author === proposer(signed.payload.round)
}

interface RecordedExchange {
  readonly dir: 'in' | 'out'
  readonly cap: string
  readonly name: string
  readonly wireCode: number
  readonly data: string
}

interface RecordedSessions {
  readonly sessions: readonly (Omit<RecordedSession, 'receivedMessages'> & {
    readonly name: string
    readonly messages: readonly RecordedExchange[]
  })[]
  readonly betweenValidators: readonly Omit<RecordedExchange, 'dir'>[]
}

async function* readSessions(pack: Pack, { chain }: MemoryChain): AsyncGenerator<Outcome, void, undefined> {
  const file = `${FOLDER}/p2p-session.json`
  const { sessions, betweenValidators } = pack.json(file) as RecordedSessions
  for (const session of sessions) {
    const receivedMessages = session.messages
      .filter(({ dir }) => dir === 'in')
      .map(({ wireCode, data }) => ({ code: wireCode, plain: data.slice(2) }))
    const unit = `${file}#${session.name}`
    yield outcomeOf(unit, () => verifySession({ ...session, receivedMessages }))
    const ofEth = session.messages.filter(({ cap }) => cap === 'eth/66')
    for (const [index, { name, data }] of ofEth.entries()) {
      yield outcomeOf(`${unit}/${index}-${name}`, () => verifyEthMessage(name, 66, parseData(data)))
    }
    for (const [index, { dir, name, data }] of ofEth.entries()) {
      const answer = ofEth[index + 1]
      if (dir === 'out' && answer?.dir === 'in' && name in OUR_ANSWERS) {
        yield outcomeOf(`${unit}/${index}-${name}-answered`, () =>
          verifyAnswer(chain, name, parseData(data), parseData(answer.data)),
        )
      }
    }
  }
  const between = betweenValidators.filter(({ cap }) => cap === 'eth/66')
  for (const [index, { name, data }] of between.entries()) {
    yield outcomeOf(`${file}#between/${index}-${name}`, () => verifyEthMessage(name, 66, parseData(data)))
  }
}

type Served = Parameters<typeof answerReceipts>[0]

/** Our answers to the same requests on the same chain. */
const OUR_ANSWERS: Readonly<
  Record<string, (served: Served, data: Uint8Array) => Asked<readonly Uint8Array[]>>
> = {
  GetBlockHeaders: (served, data) => {
    const { id, what } = decodeGetBlockHeaders(data)
    return { id, what: atOnce(answerHeaders(served, what)) }
  },
  GetBlockBodies: (served, data) => {
    const { id, what } = decodeAskedHashes('GetBlockBodies', data, MAX_ASKED)
    return { id, what: atOnce(answerBodies(served, what)) }
  },
  GetReceipts: (served, data) => {
    const { id, what } = decodeAskedHashes('GetReceipts', data, MAX_ASKED)
    return { id, what: atOnce(answerReceipts(served, 66, what)) }
  },
}

function verifyAnswer(
  chain: MemoryChain['chain'],
  name: string,
  asked: Uint8Array,
  recorded: Uint8Array,
): void {
  const ours = OUR_ANSWERS[name]!({ lookup: new Lookup(chain.store), keccak: keccak256 }, asked)
  const theirs = decodeAnswer(name, recorded, MAX_ASKED)
  assert.equal(ours.id, theirs.id)
  // Each node stores different seals in its headers; the hash does not cover them.
  const named = (items: readonly Uint8Array[]) =>
    items.map((item) =>
      name === 'GetBlockHeaders' ? bftBlockHash('qbft', decodeHeader(item), keccak256) : formatData(item),
    )
  assert.deepEqual(named(ours.what), named(theirs.what))
}
