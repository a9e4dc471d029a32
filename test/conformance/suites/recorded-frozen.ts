/** Two QBFT chains that no longer grow, and Besu's answers about them. */
import type { RecordedEntry } from '../recorded/entry.ts'
import { differenceOf } from '../rpc/compare.ts'
import { withDigests } from '../rpc/digests.ts'
import { FROZEN_RULES, FROZEN_WAITS } from '../rpc/frozen-rules.ts'
import type { RpcTarget } from '../rpc/target.ts'
import { reasonToWait } from '../rpc/waits.ts'
import { type Outcome, outcomeOfPlay, type Suite } from '../suite.ts'

const ALL_APIS = 'ADMIN,DEBUG,ETH,MINER,NET,PERM,PLUGINS,QBFT,IBFT,TRACE,TXPOOL,WEB3'
const CHAINS = ['g1s', 'prague']
const FILES = ['eth.json', 'trace.json']
const PEERS = ['--p2p-enabled', '--p2p-port=0', '--p2p-interface=127.0.0.1', '--discovery-enabled=false']

const suite: Suite = {
  name: 'recorded/frozen',
  async *run(pack, openTarget) {
    for (const chain of CHAINS) {
      const folder = `recorded/frozen/${chain}`
      const options = [`--rpc-http-api=${ALL_APIS}`, ...PEERS]
      const target = await openTarget(pack, { folder, blocksFile: 'blocks.bin', options })
      for (const file of FILES) {
        const filterIds = new Map<string, string>()
        for (const [index, entry] of (pack.json(`${folder}/${file}`) as RecordedEntry[]).entries()) {
          const name = `${file}#${index}`
          const unit = `${folder}/${name}`
          yield outcomeOfPlay(unit, () => play(target, folder, name, entry, filterIds))
        }
      }
      await target.stop()
    }
  },
}

export default suite

const CLIENT_VERSION = /^[a-z]+\/v[^/]+\/[a-z]+-[^/]+\/[^/]+$/
/** The default extra data of blocks. */
const NAME_AND_VERSION = /^[a-z]+ \d+\.\d+\.\d+$/

interface Answer {
  readonly result?: unknown
}

async function play(
  target: RpcTarget,
  folder: string,
  name: string,
  { request, response, status }: RecordedEntry,
  filterIds: Map<string, string>,
): Promise<Outcome> {
  const unit = `${folder}/${name}`
  const call = JSON.parse(request!) as { readonly method: string }
  const reason = FROZEN_WAITS[name] ?? reasonToWait(call)
  if (reason !== undefined) return { unit, status: 'waits', reason }
  if (FINAL_TAG.test(request!)) return playFinal(target, unit, request!)
  const reply = await target.ask(withOwnIds(request!, filterIds))
  if (reply.status !== status) {
    return { unit, status: 'failed', reason: `the HTTP status is ${reply.status}, expected ${status}` }
  }
  const namesItself = /^(net_enode|admin_nodeInfo)$/.test(call.method)
  const recorded = JSON.parse(namesItself ? withoutIdentity(response!) : response!) as Answer
  const actual = JSON.parse(namesItself ? withoutIdentity(reply.body) : reply.body) as Answer
  const rule = FROZEN_RULES[name]
  const expected = rule?.instead(recorded, folder) ?? recorded
  if (/^eth_new.*Filter$/.test(call.method) && isQuantity(recorded.result) && isQuantity(actual.result)) {
    filterIds.set(recorded.result, actual.result)
    return { unit, status: 'met' }
  }
  // The program's name differs; its four parts have the same form.
  if (call.method === 'web3_clientVersion' && CLIENT_VERSION.test(String(actual.result))) {
    return { unit, status: 'met' }
  }
  if (call.method === 'miner_getExtraData' && [recorded, actual].every(isNameAndVersion)) {
    return { unit, status: 'met' }
  }
  // Only a rule contains hashes.
  const seen =
    rule === undefined
      ? { expected, actual }
      : { expected: withDigests(expected), actual: withDigests(actual) }
  const difference = differenceOf(seen.expected, seen.actual)
  if (difference !== undefined) return { unit, status: 'failed', reason: `${request}: ${difference}` }
  return rule === undefined ? { unit, status: 'met' } : { unit, status: 'deviates', decision: rule.decision }
}

/** Removes key, port and name of a node. */
function withoutIdentity(text: string): string {
  return text
    .replace(/[0-9a-f]{128}/g, 'id')
    .replace(/127\.0\.0\.1:\d+/g, 'host')
    .replace(/"listener":\d+/, '"listener":1')
    .replace(/"name":"[^"]*"/, '"name":"node"')
}

function isNameAndVersion({ result }: Answer): boolean {
  return NAME_AND_VERSION.test(Buffer.from(String(result).slice(2), 'hex').toString())
}

/** Besu knows no such block on these chains. */
const FINAL_TAG = /"(safe|finalized)"/

/** In Cairn these tags mean the head in every request. */
async function playFinal(target: RpcTarget, unit: string, request: string): Promise<Outcome> {
  const [actual, ofHead] = [
    await target.ask(request),
    await target.ask(request.replace(FINAL_TAG, '"latest"')),
  ]
  const difference = differenceOf(JSON.parse(ofHead.body), JSON.parse(actual.body))
  if (difference !== undefined) return { unit, status: 'failed', reason: `${request}: ${difference}` }
  return { unit, status: 'deviates', decision: 'final-at-once' }
}

function isQuantity(value: unknown): value is string {
  return typeof value === 'string' && /^0x(0|[1-9a-f][0-9a-f]*)$/.test(value)
}

/** Filter ids are random, so ours replace the recorded ones. */
function withOwnIds(request: string, filterIds: ReadonlyMap<string, string>): string {
  let text = request
  for (const [recorded, own] of filterIds) text = text.replaceAll(`"${recorded}"`, `"${own}"`)
  return text
}
