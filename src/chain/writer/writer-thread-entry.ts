/* Entry of the writer thread, which runs the engine, computes roots and is the only writer of the store. */

import type { KnownHeader, ReceivedBlock } from '#chain/block/stages.ts'
import { type Candidate, decodeCandidates, type SelectionTerms } from '#chain/build/candidates.ts'
import { createChainMetrics } from '#chain/chain-metrics.ts'
import { createChainView } from '#chain/read/create-chain-view.ts'
import { loadHeaderRules } from '#chain/rules/header-rules.ts'
import { requireMergedHead } from '#chain/rules/merged-head.ts'
import type { KnownSenders } from '#chain/write/chain-parts.ts'
import { genesisHashOf } from '#chain/write/commit-genesis.ts'
import { type Chain, createChain } from '#chain/write/create-chain.ts'
import { type NextValidators, nextValidatorsOf } from '#chain/write/head-change.ts'
import { decodeSenders, encodeSenderQuestion, MAX_ASKED_SENDERS } from '#chain/write/known-senders.ts'
import { HistoryMover } from '#chain/write/move-history.ts'
import { chooseEngine } from '#evm/choose-engine.ts'
import { loadCrypto } from '#evm/crypto.ts'
import { systemClock } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import { nextTurn } from '#platform/next-turn.ts'
import { ownBytes } from '#platform/share-bytes.ts'
import type { StarterChannel } from '#platform/thread/define-thread.ts'
import { runReportingThread } from '#platform/thread/reporting-thread.ts'
import { openStore } from '#store/open-store.ts'
import { SEGMENT_BLOCKS } from '#store/segments/past-blocks.ts'
import type { Address } from '#types/address.ts'
import { assert } from '#types/assert.ts'
import { concatBytes } from '#types/bytes.ts'
import { Fault } from '#types/fault.ts'
import { type Genesis, parseGenesis } from '#types/genesis/genesis.ts'
import { hashToBytes } from '#types/hash.ts'
import type { Keccak } from '#types/keccak.ts'
import { type BuildAnswer, buildAnswerOf } from './build-answer.ts'
import { answerImportLine, type BulkAnswer, type PeerBlocks } from './import-line.ts'
import type { BuildRequest, BulkRequest, ImportRequest, WRITER, WriterConfig } from './writer-protocol.ts'

type Owner = StarterChannel<typeof WRITER>

export default runReportingThread<typeof WRITER>(
  async ({ data: config, log: rootLog, metrics, connect, fail }) => {
    const log = rootLog.child('chain')
    const { keccak } = await loadCrypto()
    const { chain, genesis } = await openChain(config, log)
    const view = createChainView({ store: chain.store, genesis, keccak })
    const orEnd = <Value>(work: Promise<Value>): Promise<Value> => endIfUnwritable(work, fail)
    const importBlock = ({ block, known, ...options }: ImportRequest & { readonly known?: KnownHeader }) =>
      orEnd(chain.importBlock(chain.receive(ownBytes(block), known), { ...options, sendersOf }))
    const main: Owner = connect(
      {
        requests: {
          head: () => chain.announcedHead,
          importBlock,
          importBlocks: (request) => importBlocks(chain, request),
          validate: ({ block, ...options }) =>
            chain.validate(chain.receive(ownBytes(block)), { ...options, sendersOf }),
          keccak: (pieces) => keccak(concatBytes(...pieces)),
          build: (request) => build(chain, request, main, config),
          unwind: ({ to }) => nothingAfter(chain.unwind(to)),
          edit: (edits) => nothingAfter(chain.edit(edits)),
          snapshot: () => chain.snapshot(),
          revert: ({ id }) => chain.revert(id),
          reset: () => nothingAfter(chain.reset()),
          setHead: ({ hash, ...options }) => chain.setHead(hash, options),
          offer: ({ block, ...options }) =>
            orEnd(chain.offer(chain.receive(ownBytes(block)), { ...options, sendersOf })),
          choose: ({ head, safe, finalized, ...options }) =>
            orEnd(chain.choose({ head, safe, finalized }, options)),
          badBlocks: () => chain.badBlocks.all(),
          nextValidators: () => nextValidators(chain),
          openImportLine: (line) => {
            answerImportLine(line, {
              clock: systemClock,
              log,
              importBlock: (request) => importBlock({ ...request, validation: 'full' }),
              importBlocks: (request) => importBlocks(chain, { ...request, validation: 'full' }),
              report: (outcome) => void main.publish('peersImported', outcome),
            })
            return null
          },
        },
      },
      createChainMetrics(chain, view, metrics),
    )
    const sendersOf = (received: ReceivedBlock) => sendersFrom(main, received)
    chain.headMoved.subscribe((change) => void main.publish('headMoved', change))
    const mover = startMover(config, chain, keccak, log)
    return {
      stop: async () => {
        await mover?.stop()
        await chain.close()
      },
    }
  },
)

async function openChain(
  { genesisText, path, historyBlocks, isDevelopment, isCopy, ledger, ...rest }: WriterConfig,
  log: Log,
): Promise<{ readonly chain: Chain; readonly genesis: Genesis }> {
  const verdict = parseGenesis(genesisText)
  assert(verdict.ok, 'The genesis file was read before the writer thread was started.')
  const { genesis } = verdict
  const [crypto, engine] = await Promise.all([
    loadCrypto(),
    chooseEngine(rest.engine, log, { forks: genesis.config.forks }),
  ])
  const genesisHash = genesisHashOf(genesis, crypto.keccak)
  const { forks } = genesis.config.forks
  const store = await openStore({
    path,
    format: ledger.dataStorageFormat,
    historyBlocks,
    genesisHash: hashToBytes(genesisHash),
    forks,
    isDevelopment,
    isCopy,
    log: log.child('store'),
    writes: rest.writes,
    otherGenesisRemedy: rest.otherGenesisRemedy,
  })
  if (rest.startsAfterMerge) await requireMergedHead(store)
  const createHeaderRules = await loadHeaderRules(rest.headerRulesModule)
  const parts = { store, genesis, genesisHash, engine, crypto, clock: systemClock, log }
  const chain = await createChain({ ...ledger, ...parts, createHeaderRules })
  return { chain, genesis }
}

/** The state of a development network is edited and rewound at will, so its blocks stay in the database. */
function startMover(
  { ledger: { historyHotBlocks: hotBlocks }, isDevelopment }: WriterConfig,
  { store }: Chain,
  keccak: Keccak,
  log: Log,
): HistoryMover | undefined {
  if (hotBlocks === 0 || isDevelopment) return undefined
  const mover = new HistoryMover({
    store,
    keccak,
    clock: systemClock,
    log,
    hotBlocks,
    segmentBlocks: SEGMENT_BLOCKS,
  })
  mover.start()
  return mover
}

/** The answer to a request that only waits. */
async function nothingAfter(work: Promise<void>): Promise<null> {
  await work
  return null
}

/** Recovering the senders takes no longer than this. */
const SENDERS_DEADLINE = { deadlineMs: 1_000 }

/** Returns the senders that the owner knows, or undefined if it does not answer in time. */
async function sendersFrom(
  owner: Pick<Owner, 'request'>,
  { block: { transactions } }: ReceivedBlock,
): Promise<KnownSenders> {
  const senders: (Address | undefined)[] = []
  try {
    for (let from = 0; from < transactions.length; from += MAX_ASKED_SENDERS) {
      const asked = encodeSenderQuestion(transactions.slice(from, from + MAX_ASKED_SENDERS))
      senders.push(...decodeSenders(await owner.request('senders', asked, SENDERS_DEADLINE)))
    }
    return senders
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}

/** The owner ends the stream when the block's time is up. */
const STREAM = { deadlineMs: 3_600_000 }

async function importBlocks(
  chain: Chain,
  request: BulkRequest & Partial<Pick<PeerBlocks, 'headers'>>,
): Promise<BulkAnswer> {
  const { blocks, headers, senders, validation, cancel } = request
  const sendersOf = new Map<ReceivedBlock, NonNullable<typeof senders>[number]>()
  const received = function* () {
    for (const [index, encoded] of blocks.entries()) {
      const block = chain.receive(ownBytes(encoded), headers?.[index])
      if (senders !== undefined) sendersOf.set(block, senders[index]!)
      yield block
    }
  }
  const isCancelled = () => Atomics.load(cancel, 0) !== 0
  const verdict = await chain.importMany(received(), {
    validation,
    cancel,
    isCancelled,
    sendersOf: (block) => sendersOf.get(block),
  })
  if (verdict.ok) return { ok: true, imported: verdict.imported }
  const { reason, sentence, imported, block } = verdict
  return { ok: false, reason, sentence, imported, number: block.header.number, hash: block.hash }
}

async function build(
  chain: Chain,
  { template, build, budgetMs, asksTwice, cancel }: BuildRequest,
  owner: Pick<Owner, 'stream'>,
  { isDevelopment }: Pick<WriterConfig, 'isDevelopment'>,
): Promise<BuildAnswer> {
  const candidates = async function* (terms: SelectionTerms) {
    for (let asked = 0; asked < (asksTwice ? 2 : 1); asked++) {
      for await (const slice of owner.stream('candidates', { build, terms }, STREAM)) {
        if (isDevelopment) yield* inTurns(decodeCandidates(slice))
        else yield decodeCandidates(slice)
      }
    }
  }
  return buildAnswerOf(await chain.build(template, { candidates, budgetMs, cancel }))
}

/** Candidates that a development network executes in one turn of the event loop. */
const CANDIDATES_PER_TURN = 8

/** Main may run this thread's work, and its timer ends the time of the block between two turns. */
async function* inTurns(slice: readonly Candidate[]): AsyncGenerator<readonly Candidate[]> {
  for (let from = 0; from < slice.length; from += CANDIDATES_PER_TURN) {
    if (from > 0) await nextTurn()
    yield slice.slice(from, from + CANDIDATES_PER_TURN)
  }
}

async function nextValidators(chain: Chain): Promise<NextValidators | null> {
  const next = await chain.nextValidators()
  return next === undefined ? null : nextValidatorsOf(next.parent, next.validatorSet)
}

/**
 * A database that failed to write fails until it is reopened, and a node without it looks healthy but produces no
 * block. The thread ends, so the node stops and a supervisor can restart it.
 */
async function endIfUnwritable<Value>(work: Promise<Value>, fail: (error: Error) => void): Promise<Value> {
  try {
    return await work
  } catch (error) {
    if (error instanceof Fault && error.kind === 'STORE_FAILED') fail(error)
    throw error
  }
}
