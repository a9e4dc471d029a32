/** Besu's scenarios of the Engine API, each on a real node whose requests depend on those before them. */
import { isDeepStrictEqual } from 'node:util'
import { createNode, type EmbeddedNode } from '#node/create-node.ts'
import { pause, systemClock } from '#platform/clock.ts'
import type { Outcome, Pack, Suite } from '../suite.ts'

interface Case {
  readonly request: { readonly method: string }
  readonly response: { readonly result?: unknown }
  readonly statusCode: number
  readonly waitTime?: number
}

/** As the origin starts its nodes; the fee of one transaction exceeds the usual limit. */
const OPTIONS = {
  'engine-rpc-enabled': true,
  'engine-rpc-port': 0,
  'engine-jwt-disabled': true,
  'rpc-http-enabled': true,
  'rpc-http-port': 0,
  'rpc-http-api': ['ETH', 'DEBUG'],
  'rpc-tx-feecap': 0,
  'target-gas-limit': 60_000_000,
  'miner-extra-data': '0x',
} as const

/** Rows of docs/reference/compatibility.md. */
const DECISIONS: Readonly<Record<string, string>> = {
  'replayBlock/test-cases/07_get_latest_block_after_replay_block.json': 'debug-replay-block',
  'paris/test-cases/08_unknown_payload.json': 'engine-unknown-payload',
  'osaka/test-cases/03_prague_send_raw_blob-v1.json': 'refusal-sentence',
}

const suite: Suite = {
  name: 'engine',
  async *run(pack) {
    const files = pack.files('engine').filter((file) => file.endsWith('.json'))
    for (const genesis of files.filter((file) => file.endsWith('/genesis.json'))) {
      const folder = genesis.slice(0, -'genesis.json'.length)
      yield* playFolder(
        pack,
        genesis,
        files.filter((file) => file.startsWith(folder) && file !== genesis),
      )
    }
  },
}

async function* playFolder(pack: Pack, genesis: string, files: readonly string[]): AsyncGenerator<Outcome> {
  const node = await createNode({ genesis: pack.text(genesis), options: OPTIONS })
  try {
    yield { unit: genesis, status: 'met' }
    const ids = new Map<string, string>()
    for (const unit of files) {
      const problem = await play(node, pack.json(unit) as Case, ids)
      yield outcomeOf(unit, problem)
    }
  } finally {
    await node.stop()
  }
}

function outcomeOf(unit: string, problem: string | undefined): Outcome {
  if (problem === undefined) return { unit, status: 'met' }
  const decision = Object.entries(DECISIONS).find(([end]) => unit.endsWith(end))?.[1]
  return decision === undefined
    ? { unit, status: 'failed', reason: problem }
    : { unit, status: 'deviates', decision }
}

/** Payload ids are the origin's own derivation; `ids` maps them to those of this node. */
async function play(node: EmbeddedNode, one: Case, ids: Map<string, string>): Promise<string | undefined> {
  if (one.waitTime !== undefined) await pause(systemClock, one.waitTime)
  let body = JSON.stringify(one.request)
  for (const [origin, own] of ids) body = body.replaceAll(origin, own)
  const { port } = /^(engine|eth)_/.test(one.request.method) ? node.engine! : node.http!
  const response = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body })
  const text = await response.text()
  const answer = JSON.parse(text)
  const [expectedId, ownId] = [payloadIdIn(one.response), payloadIdIn(answer)]
  if (expectedId !== undefined && ownId !== undefined) {
    ids.set(expectedId, ownId)
    answer.result.payloadId = expectedId
  }
  if (response.status !== one.statusCode) return `status ${response.status}`
  return isDeepStrictEqual(answer, one.response) ? undefined : text.slice(0, 300)
}

function payloadIdIn({ result }: { readonly result?: unknown }): string | undefined {
  return (result as { payloadId?: string | null } | null | undefined)?.payloadId ?? undefined
}

export default suite
