/**
 * Besu's notifications to subscribers. The chain that grew during the recording is not in the pack: another recorded
 * chain is played instead, with its transactions first sent to the pool. So answers are compared except for ids, and
 * notifications by their form: every recorded member must be present with a value of its kind, and no other member.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Lookup, type SizedBlock } from '#chain/read/lookup.ts'
import { nextTurn } from '#platform/next-turn.ts'
import { encodedBlocks } from '#types/block/block.fixture.ts'
import { formatData } from '#types/hex.ts'
import type { LocalChain } from '../../acceptance/conversations/chain-resources.ts'
import { askConnected, startDispatcher } from '../../acceptance/conversations/in-process.ts'
import { openMemoryChain, parseGenesisText } from '../chains/memory-chain.ts'
import { type RecordedEntry, readEntries } from '../recorded/entry.ts'
import { formOf } from '../recorded/news-form.ts'
import { type Outcome, outcomeOfPlay, type Pack, type Suite } from '../suite.ts'

const FILE = 'subscriptions.json'
const FOLDER = 'recorded/frozen/g1s'
/** Deliberate differences. */
const DECISIONS: Readonly<Record<number, string>> = { 10: '19', 25: 'subscribe-number' }
const SETTLING_TURNS = 200

const suite: Suite = {
  name: 'recorded/subscriptions',
  async *run(pack) {
    const walk = await Walk.open(pack)
    const entries = readEntries(pack, FILE)
    const forms = knownForms(entries)
    for (const [index, entry] of entries.entries()) {
      const unit = `recorded/jsonrpc/${FILE}#${index}`
      yield await outcomeOfPlay(unit, () => play(unit, entry, walk, forms, DECISIONS[index]))
    }
    await walk.close()
  },
}

export default suite

// biome-ignore lint/suspicious/noExplicitAny: recorded JSON
type Message = any

/** A chain that can be played repeatedly. */
class Walk {
  readonly local: LocalChain
  readonly #blocks: readonly SizedBlock[]

  private constructor(local: LocalChain) {
    this.local = local
    const { number } = local.chain.head.header
    const lookup = new Lookup(local.chain.store)
    this.#blocks = Array.from({ length: Number(number) + 1 }, (_, at) => lookup.block(at)!)
  }

  static async open(pack: Pack): Promise<Walk> {
    const genesis = parseGenesisText(pack.text(`${FOLDER}/genesis.json`))
    const { chain, engine } = await openMemoryChain(genesis)
    const blocks = Iterator.from(encodedBlocks(readFileSync(pack.path(`${FOLDER}/blocks.bin`))))
    const received = blocks.map((encoded) => chain.receive(encoded))
    assert.ok((await chain.importMany(received, { validation: 'light' })).ok)
    return new Walk({ chain, genesis, engine })
  }

  transactions(): string[] {
    return this.#blocks.flatMap(({ block }) => block.transactions.map(({ encoded }) => formatData(encoded)))
  }

  toStart(): Promise<void> {
    return this.#moveTo(this.#blocks[0]!)
  }

  toEnd(): Promise<void> {
    return this.#moveTo(this.#blocks.at(-1)!)
  }

  async #moveTo({ hash }: SizedBlock): Promise<void> {
    assert.ok((await this.local.chain.setHead(hash, { validation: 'light' })).ok)
  }

  close(): Promise<void> {
    return this.local.chain.close()
  }
}

async function play(
  unit: string,
  { frames = [] }: RecordedEntry,
  walk: Walk,
  forms: ReadonlyMap<string, ReadonlySet<string>>,
  decision: string | undefined,
): Promise<Outcome> {
  await walk.toStart()
  const dispatcher = startDispatcher([], walk.local)
  const client = askConnected(dispatcher)
  const recorded = frames.map((frame) => frame.in).filter((text) => text !== undefined)
  const expected = recorded.map((text) => JSON.parse(text)).filter((message) => !isNews(message))
  const news = recorded.map((text) => JSON.parse(text)).filter(isNews)
  const asks = frames.map(({ out }) => out).filter((text) => text !== undefined)
  const kinds = new Map<string, { readonly recordedId: string; readonly kind: string }>()
  const told: Message[] = []
  const live = async (): Promise<void> => {
    for (const raw of walk.transactions()) await client(callOf('eth_sendRawTransaction', raw))
    await walk.toEnd()
    for (let turn = 0; turn < SETTLING_TURNS; turn++) await nextTurn()
    while (client.unheard() > 0) told.push(JSON.parse(await client.hear()).params)
  }
  for (const [at, ask] of asks.entries()) {
    const isLast = ask.includes('eth_unsubscribe') && kinds.size > 0
    if (isLast) await live()
    const ids = [...kinds].map(([id, { recordedId }]) => [recordedId, id] as const)
    const own = ids.reduce((text, [recordedId, id]) => text.replace(`["${recordedId}"]`, `["${id}"]`), ask)
    const answer = JSON.parse(await client(own))
    if (decision !== 'subscribe-number') compareAnswers(expected[at], answer)
    for (const [each, call] of [answer].flat().entries()) {
      const { method, params } = [JSON.parse(ask)].flat()[each]
      if (method !== 'eth_subscribe' || call.result === undefined) continue
      kinds.set(call.result, { recordedId: [expected[at]].flat()[each].result, kind: params[0] })
    }
  }
  if (kinds.size > 0 && told.length === 0) await live()
  for (const [id, { recordedId, kind }] of kinds) {
    const ours = told.filter(({ subscription }) => subscription === id)
    const theirs = news.filter(({ params }) => params.subscription === recordedId)
    if (kind === 'droppedPendingTransactions') assert.deepEqual(ours, [], 'what was included was not dropped')
    else compareNews(kind, theirs, ours, forms)
  }
  return decision === undefined ? { unit, status: 'met' } : { unit, status: 'deviates', decision }
}

function callOf(method: string, ...params: readonly unknown[]): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
}

function isNews(message: Message): boolean {
  return message.method === 'eth_subscription'
}

/** Ids differ between runs. */
function compareAnswers(expected: Message, actual: Message): void {
  const withoutId = (message: Message): Message =>
    typeof message.result === 'string' ? { ...message, result: 'id' } : message
  assert.deepEqual([actual].flat().map(withoutId), [expected].flat().map(withoutId))
}

function compareNews(
  kind: string,
  theirs: readonly Message[],
  ours: readonly Message[],
  forms: ReadonlyMap<string, ReadonlySet<string>>,
): void {
  assert.equal(
    ours.length > 0,
    theirs.length > 0,
    `${ours.length} news of ${kind}, recorded ${theirs.length}`,
  )
  const own = new Set(ours.flatMap(({ result }) => [...formOf(result)]))
  for (const { params } of theirs) {
    for (const member of formOf(params.result)) assert.ok(own.has(member), `${kind} has no ${member}`)
  }
  const known = forms.get(kind) ?? new Set()
  for (const member of own) assert.ok(isKnown(known, member), `${kind} has ${member}, which was not recorded`)
}

/** Lists that were always empty in the recording say nothing about their elements. */
function isKnown(known: ReadonlySet<string>, member: string): boolean {
  if (known.has(member)) return true
  const lists = [...member.matchAll(/\[\]/g)].map(({ index }) => member.slice(0, index))
  const isEmpty = (list: string): boolean => !known.values().some((each) => each.startsWith(`${list}[]`))
  return lists.some((list) => known.has(`${list}: list`) && isEmpty(list))
}

/** Every member in any recording, by kind. */
function knownForms(entries: readonly RecordedEntry[]): ReadonlyMap<string, ReadonlySet<string>> {
  const forms = new Map<string, Set<string>>()
  for (const { frames = [] } of entries) {
    const asked = frames.flatMap(({ out }) => (out === undefined ? [] : [JSON.parse(out)].flat()))
    for (const { in: text } of frames) {
      const message = text === undefined ? undefined : JSON.parse(text)
      if (message === undefined || !isNews(message)) continue
      // If an entry has several subscriptions, their notifications have different forms.
      for (const { method, params } of asked) {
        if (method !== 'eth_subscribe') continue
        const known = forms.get(params[0]) ?? new Set()
        for (const member of formOf(message.params.result)) known.add(member)
        forms.set(params[0], known)
      }
    }
  }
  return forms
}
